import type { Database } from "better-sqlite3";
import type { Buttons } from "./buttons.ts";

/** Rows that change the message of another row. */
export function createEdits(db: Database, buttons: Buttons) {
  const byDedupe = db.prepare<[string], { id: number; edits: number | null }>(
    "SELECT id, edits FROM outbox WHERE dedupe = ?",
  );
  const byId = db.prepare<[number], { id: number; edits: number | null }>(
    "SELECT id, edits FROM outbox WHERE id = ?",
  );
  const overtaken = db.prepare<[number, number]>(
    `UPDATE outbox SET ended_at = ?, dropped_because = 'a later change'
     WHERE edits = ? AND uncertain = 0 AND ended_at IS NULL`,
  );
  const waitWith = db.prepare<[number, number]>(
    `UPDATE outbox SET (parked_at, parked_because) =
       (SELECT parked_at, parked_because FROM outbox WHERE id = ? AND ended_at IS NULL AND parked_at IS NOT NULL)
     WHERE id = ?`,
  );
  const arrived = db.prepare<[string, number, string]>(
    `UPDATE outbox SET platform_message_ids = json_insert(platform_message_ids, '$[#]', ?)
     WHERE id = (SELECT edits FROM outbox WHERE id = ?)
       AND json_extract(platform_message_ids, '$[#-1]') IS NOT ?`,
  );
  return {
    /** The row that made the message. */
    original(named: number | string): number | null {
      const row = typeof named === "number" ? byId.get(named) : byDedupe.get(named);
      return row === undefined ? null : (row.edits ?? row.id);
    },
    /** Only the latest text of a message is worth sending. */
    replace(original: number, at: number): void {
      overtaken.run(at, original);
      buttons.voidOf(original, at);
    },
    /** A message that was too old to be changed has a follower: that one is changed from now on. */
    arrived: (id: number, platformMessageId: string) =>
      void arrived.run(platformMessageId, id, platformMessageId),
    /** What changes a parked row's message waits with it. */
    waitWith: (id: number, original: number) => void waitWith.run(original, id),
  };
}
