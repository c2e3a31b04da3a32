import type { Database } from "better-sqlite3";
import { z } from "zod";
import type { SessionFact } from "../../machines/facts.ts";
import type { Intake, SessionKey, StoredCommand, StoredMessage } from "../ports.ts";
import { toAddress } from "./sessions.ts";
import type { AddressColumns } from "./sessions.ts";
import { StoreError } from "./store-error.ts";

export interface Inbox {
  offset(channel: string, account: string): number | null;
  /** A lower one is taken as it is: the platform numbers anew after a silent week. */
  storeOffset(channel: string, account: string, next: number): void;
  /** Returns the row's id, or null when this update is stored already. */
  insert(
    source: InboxSource,
    intake: Intake,
    state: "received" | "pending" | "done",
  ): number | null;
  message(id: number): StoredMessage | null;
  messageOnPlatform(key: SessionKey, platformMessageId: string): StoredMessage | null;
  /** @throws StoreError for a message that is not the session's */
  edit(key: SessionKey, id: number, text: string): void;
  command(id: number): StoredCommand | null;
  pendingCommands(): readonly StoredCommand[];
  /** @throws StoreError for a command that does not exist */
  endCommand(id: number): void;
  /**
   * Keeps a message's row in step with its facts.
   * @throws StoreError for a message that is not the session's
   */
  follow(key: SessionKey, fact: SessionFact): void;
}

export interface InboxSource {
  readonly channel: string;
  readonly account: string;
  readonly key: SessionKey;
  readonly at: number;
}

interface InboxRow extends AddressColumns {
  readonly id: number;
  readonly session_key: string;
  readonly sender: string;
  readonly text: string;
  readonly args: string;
  readonly platform_message_id: string | null;
  readonly about: string | null;
  readonly files: string;
  readonly received_at: number;
}

const SELECT = `
  SELECT inbox.id, session_key, sender, text, args, platform_message_id, about, files, received_at,
    sessions.channel, sessions.chat_id, sessions.topic_id
  FROM inbox JOIN sessions ON sessions.key = inbox.session_key`;

export function createInbox(db: Database): Inbox {
  const offset = db.prepare<[string, string], { next_offset: number }>(
    "SELECT next_offset FROM offsets WHERE channel = ? AND account = ?",
  );
  const storeOffset = db.prepare<[string, string, number]>(
    `INSERT INTO offsets (channel, account, next_offset) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET next_offset = excluded.next_offset`,
  );
  const insert = db.prepare(
    `INSERT INTO inbox (channel, account, update_id, session_key, kind, sender, text, args,
       platform_message_id, about, files, received_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (channel, account, update_id) DO NOTHING`,
  );
  const byId = db.prepare<[number, string], InboxRow>(
    `${SELECT} WHERE inbox.id = ? AND inbox.kind = ?`,
  );
  const onPlatform = db.prepare<[string, string], InboxRow>(
    `${SELECT} WHERE inbox.session_key = ? AND inbox.platform_message_id = ?
     AND inbox.kind = 'message' ORDER BY inbox.id DESC LIMIT 1`,
  );
  const edit = db.prepare<[string, number, string]>(
    "UPDATE inbox SET text = ? WHERE id = ? AND session_key = ? AND kind = 'message'",
  );
  const pending = db.prepare<[], InboxRow>(
    `${SELECT} WHERE inbox.state = 'pending' ORDER BY inbox.id`,
  );
  const endCommand = db.prepare<[number]>(
    "UPDATE inbox SET state = 'done' WHERE id = ? AND kind = 'command'",
  );

  return {
    offset: (channel, account) => offset.get(channel, account)?.next_offset ?? null,
    storeOffset: (channel, account, next) => void storeOffset.run(channel, account, next),
    insert({ channel, account, key, at }, intake, state) {
      const result = insert.run(
        channel,
        account,
        intake.updateId,
        key,
        intake.kind,
        intake.sender,
        textOf(intake),
        intake.kind === "command" ? intake.args : "",
        intake.platformMessageId,
        intake.kind === "command" ? (intake.about ?? null) : null,
        JSON.stringify(intake.kind === "message" ? (intake.files ?? []) : []),
        at,
        state,
      );
      return result.changes === 0 ? null : Number(result.lastInsertRowid);
    },
    message(id) {
      const row = byId.get(id, "message");
      return row === undefined ? null : toMessage(row);
    },
    messageOnPlatform(key, platformMessageId) {
      const row = onPlatform.get(key, platformMessageId);
      return row === undefined ? null : toMessage(row);
    },
    edit(key, id, text) {
      if (edit.run(text, id, key).changes > 0) return;
      throw new StoreError(`The message ${id} is not one of ${key}. Nothing was written.`);
    },
    command(id) {
      const row = byId.get(id, "command");
      return row === undefined ? null : toCommand(row);
    },
    pendingCommands: () => pending.all().map(toCommand),
    endCommand(id) {
      if (endCommand.run(id).changes > 0) return;
      throw new StoreError(`There is no command ${id} in the inbox to end. Nothing was written.`);
    },
    follow: createFollow(db),
  };
}

const OPEN = "'received', 'given', 'accepted', 'parked'";

function createFollow(db: Database): Inbox["follow"] {
  const reopen = db.prepare<[string, number, string]>(
    "UPDATE inbox SET state = ? WHERE id = ? AND session_key = ? AND kind = 'message'",
  );
  // As in the fold: what has ended stays ended, whatever is told about it later.
  const change = db.prepare<[string, number, string]>(
    `UPDATE inbox SET state = ?
     WHERE id = ? AND session_key = ? AND kind = 'message' AND state IN (${OPEN})`,
  );
  const exists = db.prepare<[number, string]>(
    "SELECT 1 FROM inbox WHERE id = ? AND session_key = ? AND kind = 'message'",
  );
  return (key, fact) => {
    const next = stateAfter(fact);
    if (next === null || !("id" in fact)) return;
    const statement = fact.type === "message.received" ? reopen : change;
    if (statement.run(next, fact.id, key).changes > 0) return;
    if (exists.get(fact.id, key) !== undefined) return;
    throw new StoreError(
      `The fact ${fact.type} names the message ${fact.id}, which is not one of ${key}. ` +
        "Nothing was written.",
    );
  };
}

function stateAfter(fact: SessionFact): string | null {
  if (!fact.type.startsWith("message.") || fact.type === "message.hurried") return null;
  return fact.type === "message.requeued" ? "received" : fact.type.slice("message.".length);
}

function textOf(intake: Intake): string {
  switch (intake.kind) {
    case "message":
      return intake.text;
    case "command":
      return intake.name;
    case "unsupported":
      return intake.what;
  }
}

function toMessage(row: InboxRow): StoredMessage {
  return {
    id: row.id,
    key: row.session_key,
    address: toAddress(row),
    sender: row.sender,
    text: row.text,
    files: filesSchema.parse(JSON.parse(row.files)),
    platformMessageId: row.platform_message_id,
    receivedAt: row.received_at,
  };
}

const filesSchema = z.array(
  z.object({ fileId: z.string(), name: z.string(), bytes: z.number().nullable() }),
);

function toCommand(row: InboxRow): StoredCommand {
  return {
    id: row.id,
    key: row.session_key,
    address: toAddress(row),
    sender: row.sender,
    name: row.text,
    args: row.args,
    about: row.about,
    platformMessageId: row.platform_message_id,
  };
}
