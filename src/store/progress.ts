import { randomBytes } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { LeftProgress, SessionKey, StoredButton } from "../ports.ts";
import { toAddress, type AddressColumns } from "./sessions.ts";

/** The messages that show running turns, at most one a session: they must be closed after a crash. */
export interface ProgressTable {
  begin(key: SessionKey, at: number): string;
  note(key: SessionKey, platformMessageId: string): void;
  end(key: SessionKey): void;
  left(): readonly LeftProgress[];
  button(nonce: string): StoredButton | null;
}

export function createProgressTable(db: Database): ProgressTable {
  const begin = db.prepare<[string, string, number]>(
    `INSERT INTO progress (session_key, nonce, started_at) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET nonce = excluded.nonce, started_at = excluded.started_at,
       platform_message_id = NULL`,
  );
  const note = db.prepare<[string, string]>(
    "UPDATE progress SET platform_message_id = ? WHERE session_key = ?",
  );
  const end = db.prepare<[string]>("DELETE FROM progress WHERE session_key = ?");
  const left = db.prepare<
    [],
    AddressColumns & { session_key: string; platform_message_id: string | null }
  >(
    `SELECT session_key, platform_message_id, channel, chat_id, topic_id
     FROM progress JOIN sessions ON sessions.key = session_key ORDER BY started_at`,
  );
  const byNonce = db.prepare<[string], { session_key: string; started_at: number }>(
    "SELECT session_key, started_at FROM progress WHERE nonce = ?",
  );
  return {
    begin(key, at) {
      const nonce = randomBytes(9).toString("base64url");
      begin.run(key, nonce, at);
      return nonce;
    },
    note: (key, platformMessageId) => void note.run(platformMessageId, key),
    end: (key) => void end.run(key),
    left: () =>
      left.all().map((row) => ({
        key: row.session_key,
        address: toAddress(row),
        platformMessageId: row.platform_message_id,
      })),
    button(nonce) {
      const row = byNonce.get(nonce);
      if (row === undefined) return null;
      const { session_key: key, started_at: createdAt } = row;
      // Good as long as its turn runs: then the row is gone.
      const action = '{"do":"stop"}';
      return { key, label: "", action, owner: null, createdAt, isVoid: false, row: 0, text: "" };
    },
  };
}
