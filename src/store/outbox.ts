import type { Database } from "better-sqlite3";
import type { Address, OutboxRow, OutgoingDraft, SentMessage, SessionKey } from "../ports.ts";
import { laneOf } from "../sessions/session-key.ts";
import { toAddress } from "./sessions.ts";
import type { AddressColumns } from "./sessions.ts";
import { createButtons, type Buttons } from "./buttons.ts";
import { createEdits } from "./edits.ts";
import { StoreError } from "./store-error.ts";

export interface Outbox {
  /** Returns the lane, or null when a row with the same `dedupe` exists. */
  insert(entry: OutboxEntry): string | null;
  button: Buttons["find"];
  sent(key: SessionKey, platformMessageId: string): SentMessage | null;
  pendingLanes(): readonly string[];
  next(lane: string): OutboxRow | null;
  /** Lanes whose parked rows of this session are to be sent again. */
  unpark(key: SessionKey): readonly string[];
  /** The session of an open row, and whether another row of it is parked. */
  placeOf(id: number): { readonly key: SessionKey; readonly hasParked: boolean } | null;
  /** These five throw a StoreError for a row that does not exist, has ended or is parked. */
  markSending(id: number): void;
  markPartSent(id: number, platformMessageId: string, endedAt: number | null): void;
  markUnsent(id: number): void;
  markDropped(id: number, reason: string, at: number): void;
  markParked(id: number, reason: string, at: number): void;
}

export interface OutboxEntry {
  readonly key: SessionKey;
  readonly address: Address;
  readonly draft: OutgoingDraft;
  readonly at: number;
  /** What the session is bound to now. */
  readonly agentSessionId: string | null;
}

interface Row extends AddressColumns {
  readonly id: number;
  readonly session_key: string;
  readonly kind: "answer" | "notice";
  readonly text: string;
  readonly footer: string | null;
  readonly reply_to: string | null;
  readonly parts_sent: number;
  readonly uncertain: number;
  readonly created_at: number;
  readonly dedupe: string | null;
  readonly edits: number | null;
  readonly edit_of: string | null;
  readonly file_name: string | null;
  readonly file_content: Buffer | null;
}

const WAITING = "ended_at IS NULL AND parked_at IS NULL";
const PARKED = "ended_at IS NULL AND parked_at IS NOT NULL";

export function createOutbox(db: Database): Outbox {
  const insert = db.prepare(
    `INSERT INTO outbox (session_key, lane, kind, text, footer, reply_to, dedupe, edits,
       agent_session_id, created_at, file_name, file_content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (dedupe) DO NOTHING`,
  );
  const buttons = createButtons(db);
  const edits = createEdits(db, buttons);
  const sent = db.prepare<[string, string], SentMessage>(
    `SELECT dedupe, agent_session_id AS agentSessionId FROM sent_messages JOIN outbox ON outbox.id = outbox_id
     WHERE sent_messages.session_key = ? AND platform_message_id = ?`,
  );
  const remember = db.prepare<[string, number]>(
    `INSERT INTO sent_messages (session_key, platform_message_id, outbox_id)
     SELECT session_key, ?, coalesce(edits, id) FROM outbox WHERE id = ?
     ON CONFLICT DO UPDATE SET outbox_id = excluded.outbox_id`,
  );
  const lanes = db.prepare<[], { lane: string }>(
    `SELECT DISTINCT lane FROM outbox WHERE ${WAITING} ORDER BY lane`,
  );
  const next = db.prepare<[string], Row>(
    `SELECT outbox.id, session_key, kind, text, footer, reply_to, parts_sent, uncertain,
       created_at, dedupe, edits, file_name, file_content, channel, chat_id, topic_id,
       (SELECT json_extract(original.platform_message_ids, '$[#-1]') FROM outbox AS original
        WHERE original.id = outbox.edits) AS edit_of
     FROM outbox JOIN sessions ON sessions.key = outbox.session_key
     WHERE lane = ? AND ${WAITING} ORDER BY outbox.id LIMIT 1`,
  );
  const change = (set: string): ((id: number, values: readonly unknown[]) => void) => {
    const statement = db.prepare<unknown[]>(`UPDATE outbox SET ${set} WHERE id = ? AND ${WAITING}`);
    return (id, values) => {
      if (statement.run(...values, id).changes > 0) return;
      throw new StoreError(`The outbox row ${id} is not waiting to be sent. Nothing was written.`);
    };
  };
  const sending = change("uncertain = 1");
  const unsent = change("uncertain = 0");
  const dropped = change("ended_at = ?, dropped_because = ?");
  const parked = change("uncertain = 0, parked_at = ?, parked_because = ?");
  const unpark = db.prepare<[string], { lane: string }>(
    `UPDATE outbox SET parked_at = NULL, parked_because = NULL
     WHERE session_key = ? AND ${PARKED} RETURNING lane`,
  );
  const placeOf = db.prepare<[number], { key: string; parked: number }>(
    `SELECT session_key AS key, EXISTS (
       SELECT 1 FROM outbox AS other WHERE other.session_key = outbox.session_key AND ${PARKED}
     ) AS parked FROM outbox WHERE id = ?`,
  );
  const partSent = change(
    `uncertain = 0, parts_sent = parts_sent + 1, ended_at = ?,
     platform_message_ids = json_insert(platform_message_ids, '$[#]', ?)`,
  );

  return {
    insert({ key, address, draft, at, agentSessionId }) {
      const lane = laneOf(address);
      const { kind, text, footer, replyTo, dedupe, file } = draft;
      const original = draft.edits === undefined ? null : edits.original(draft.edits);
      if (original !== null) edits.replace(original, at);
      const result = insert.run(
        ...[key, lane, kind, text, footer, replyTo, dedupe, original, agentSessionId, at],
        ...(file === undefined ? [null, null] : [file.name, Buffer.from(file.content)]),
      );
      if (result.changes === 0) return null;
      const id = Number(result.lastInsertRowid);
      if (draft.buttons !== undefined) buttons.insert(id, draft.buttons);
      if (original !== null) edits.waitWith(id, original);
      return lane;
    },
    button: (nonce) => buttons.find(nonce),
    sent: (key, platformMessageId) => sent.get(key, platformMessageId) ?? null,
    pendingLanes: () => lanes.all().map((row) => row.lane),
    next(lane) {
      const row = next.get(lane);
      return row === undefined ? null : toOutboxRow(row, buttons.of(row.id));
    },
    unpark: (key) => [...new Set(unpark.all(key).map((row) => row.lane))],
    placeOf(id) {
      const row = placeOf.get(id);
      return row === undefined ? null : { key: row.key, hasParked: row.parked === 1 };
    },
    markSending: (id) => sending(id, []),
    markPartSent(id, platformMessageId, endedAt) {
      partSent(id, [endedAt, platformMessageId]);
      if (platformMessageId === "") return;
      remember.run(platformMessageId, id);
      edits.arrived(id, platformMessageId);
    },
    markUnsent: (id) => unsent(id, []),
    markDropped: (id, reason, at) => dropped(id, [at, reason]),
    markParked: (id, reason, at) => parked(id, [at, reason]),
  };
}

function toOutboxRow(row: Row, buttons: NonNullable<OutboxRow["buttons"]>): OutboxRow {
  return {
    id: row.id,
    key: row.session_key,
    address: toAddress(row),
    kind: row.kind,
    text: row.text,
    footer: row.footer,
    replyTo: row.reply_to,
    partsSent: row.parts_sent,
    uncertain: row.uncertain === 1,
    createdAt: row.created_at,
    dedupe: row.dedupe,
    buttons,
    edits: row.edits !== null,
    ...(row.file_name === null || row.file_content === null
      ? {}
      : { file: { name: row.file_name, content: row.file_content } }),
    ...(row.edit_of === null || row.edit_of === "" ? {} : { editOf: row.edit_of }),
  };
}
