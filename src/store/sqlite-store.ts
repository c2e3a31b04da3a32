import type { Database } from "better-sqlite3";
import type { AgentKind } from "../../machines/vocabulary.ts";
import type {
  Address,
  IntakeItem,
  IntakeResult,
  OutgoingDraft,
  SessionKey,
  SessionWrite,
  Store,
} from "../ports.ts";
import { sessionKey } from "../sessions/session-key.ts";
import { openForReading, openForWriting } from "./database.ts";
import { createFactCodec } from "./fact-codec.ts";
import type { Upcasters } from "./fact-codec.ts";
import { createFactLog } from "./fact-log.ts";
import type { FactLog } from "./fact-log.ts";
import { createInbox } from "./inbox.ts";
import type { Inbox, InboxSource } from "./inbox.ts";
import { createMoveChat } from "./move-chat.ts";
import { createOutbox } from "./outbox.ts";
import type { Outbox } from "./outbox.ts";
import { createProgressTable } from "./progress.ts";
import { createSessions } from "./sessions.ts";
import type { Sessions } from "./sessions.ts";
import { StoreError, asStoreError } from "./store-error.ts";

export interface StoreOptions {
  /** Absolute path of the database; its directory is made if need be. */
  readonly file: string;
  readonly clock: { now(): number };
  /** The kind of a session that has no workspace bound yet. */
  readonly agentKind: AgentKind;
  /** For looking only, beside the service that writes. Default: false. */
  readonly readOnly?: boolean;
  /** How facts of older versions are read. Default: this program's own. */
  readonly upcasters?: Upcasters;
}

interface Tables {
  readonly sessions: Sessions;
  readonly factLog: FactLog;
  readonly inbox: Inbox;
  readonly outbox: Outbox;
}

/**
 * Opens the store, making or migrating it first. Every method may throw a
 * StoreError, and then nothing is changed.
 * @throws StoreError when the file is damaged, newer, of another program or not accessible
 */
export function openStore(options: StoreOptions): Store {
  const { file, clock, agentKind, readOnly = false, upcasters } = options;
  const db = readOnly ? openForReading(file) : openForWriting(file);
  const sessions = createSessions(db);
  const factLog = createFactLog(db, createFactCodec(file, upcasters), agentKind);
  const tables: Tables = { sessions, factLog, inbox: createInbox(db), outbox: createOutbox(db) };
  const { inbox, outbox } = tables;
  const progress = createProgressTable(db);
  const moveChat = createMoveChat(db, sessions, factLog);
  const { read, transact } = createGuards(db, file, factLog);

  return {
    offset: (channel, account) => read("read an offset", () => inbox.offset(channel, account)),
    intake: (channel, account, items, nextOffset) =>
      transact("store what came in", () => {
        const result = storeItems(tables, { channel, account, at: clock.now() }, items);
        if (nextOffset !== null) inbox.storeOffset(channel, account, nextOffset);
        return result;
      }),
    pendingCommands: () => read("read the commands", () => inbox.pendingCommands()),
    message: (id) => read("read a message", () => inbox.message(id)),
    messageOnPlatform: (key, platformMessageId) =>
      read("read a message", () =>
        inbox.messageOnPlatform(sessions.resolve(key), platformMessageId),
      ),
    beginProgress: (key) =>
      transact("write a progress", () => progress.begin(sessions.resolve(key), clock.now())),
    noteProgress: (key, platformMessageId) =>
      transact("write a progress", () => progress.note(sessions.resolve(key), platformMessageId)),
    endProgress: (key) => transact("write a progress", () => progress.end(sessions.resolve(key))),
    leftProgress: () => read("read the progress", () => progress.left()),
    button: (nonce) => read("read a button", () => outbox.button(nonce) ?? progress.button(nonce)),
    sent: (key, platformMessageId) =>
      read("read a sent message", () => outbox.sent(sessions.resolve(key), platformMessageId)),
    facts: (key) => read("read the facts", () => factLog.folded(sessions.resolve(key))),
    history: (key) => read("read the facts", () => factLog.history(sessions.resolve(key))),
    *measuredTurns() {
      let after: number | null = 0;
      while (after !== null) {
        const from: number = after;
        const page = read("read the measured turns", () => factLog.measuredTurns(from));
        yield* page.turns;
        after = page.last;
      }
    },
    session: (given) =>
      read("read a session", () => {
        const key = sessions.resolve(given);
        const address = sessions.address(key);
        return address === null ? null : { key, address, facts: factLog.folded(key) };
      }),
    keysWithWork: () => read("read the sessions", () => sessions.withWork()),
    keysInWorkspace: (path) => read("read the sessions", () => sessions.inWorkspace(path)),
    recentWorkspaces: (limit) => read("read the sessions", () => sessions.recentWorkspaces(limit)),
    sessionsKnowing: (agentSessionId) =>
      read("read the sessions", () =>
        sessions.knowing(agentSessionId).flatMap((key) => {
          const address = sessions.address(key);
          return address === null ? [] : [{ key, address, facts: factLog.folded(key) }];
        }),
      ),
    write: (key, write) =>
      transact("write a session", () => writeSession(tables, key, write, clock.now())),
    ensureSession: (key, address) =>
      transact("make a session", () => void sessions.ensure(key, address)),
    pendingLanes: () => read("read the outbox", () => outbox.pendingLanes()),
    nextOutgoing: (lane) => read("read the outbox", () => outbox.next(lane)),
    markSending: (id) => transact("write the outbox", () => outbox.markSending(id)),
    markPartSent: (id, platformMessageId, last) =>
      transact("write the outbox", () => {
        outbox.markPartSent(id, platformMessageId, last ? clock.now() : null);
        const place = outbox.placeOf(id);
        if (place?.hasParked === true) outbox.unpark(place.key);
      }),
    markUnsent: (id) => transact("write the outbox", () => outbox.markUnsent(id)),
    markDropped: (id, reason, notice) =>
      transact("write the outbox", () => {
        outbox.markDropped(id, reason, clock.now());
        const place = notice === undefined ? null : outbox.placeOf(id);
        if (notice !== undefined && place !== null) send(tables, place.key, notice, clock.now());
      }),
    markParked: (id, reason, alert) =>
      transact("write the outbox", () => parkRow(tables, id, reason, alert, clock.now())),
    moveChat: (channel, from, to) => {
      if (from === to) return;
      transact("move a chat", () => moveChat({ channel, from, to, at: clock.now() }));
    },
    [Symbol.dispose]() {
      db.close();
    },
  };
}

/** SQLite's errors become StoreErrors; after a failed transaction memory is forgotten, for it may be ahead. */
function createGuards(db: Database, file: string, factLog: FactLog) {
  const read = <T>(operation: string, work: () => T): T => {
    if (!db.open) throw new StoreError(`The store ${file} is closed and cannot ${operation}.`);
    try {
      return work();
    } catch (error) {
      throw asStoreError(error, file, operation);
    }
  };
  const transact = <T>(operation: string, work: () => T): T =>
    read(operation, () => {
      try {
        return db.transaction(work).immediate();
      } catch (error) {
        factLog.forget();
        throw error;
      }
    });
  return { read, transact };
}

function storeItems(
  tables: Tables,
  source: Omit<InboxSource, "key">,
  items: readonly IntakeItem[],
): IntakeResult {
  const messages: IntakeResult["messages"][number][] = [];
  const commands: IntakeResult["commands"][number][] = [];
  const lanes = new Set<string>();
  for (const item of items) {
    const key = tables.sessions.ensure(item.key, item.intake.address);
    const before = insertBefore(tables, { ...source, key }, item);
    const id = tables.inbox.insert({ ...source, key }, item.intake, firstState(item));
    if (id === null) continue;
    if (before !== null) commands.push(before);
    for (const lane of tables.outbox.unpark(key)) lanes.add(lane);
    if (item.reply !== null) {
      const dedupe = item.reply.dedupe ?? `reply:${id}`;
      const lane = send(tables, key, { ...item.reply, dedupe }, source.at);
      if (lane !== null) lanes.add(lane);
      continue;
    }
    if (item.intake.kind === "message") {
      const hurried = item.intake.urgent === true ? [{ type: "message.hurried", id } as const] : [];
      const received = { type: "message.received", id, uuid: item.uuid } as const;
      append(tables, key, [received, ...hurried], source.at);
    }
    const [message, command] = [tables.inbox.message(id), tables.inbox.command(id)];
    if (message !== null) messages.push(message);
    if (command !== null) commands.push(command);
  }
  return { messages, commands, lanes: [...lanes] };
}

/** Under a number that no update of the platform has: an update is stored once, and so is this. */
function insertBefore({ inbox }: Tables, source: InboxSource, { intake, before }: IntakeItem) {
  if (before === undefined) return null;
  const { address, sender, platformMessageId } = intake;
  const common = { address, sender, platformMessageId, updateId: -1 - intake.updateId };
  const id = inbox.insert(source, { kind: "command", ...before, ...common }, "pending");
  return id === null ? null : inbox.command(id);
}

function firstState({ intake, reply }: IntakeItem): "received" | "pending" | "done" {
  if (reply !== null || intake.kind === "unsupported") return "done";
  return intake.kind === "message" ? "received" : "pending";
}

function writeSession(tables: Tables, given: SessionKey, write: SessionWrite, at: number) {
  const key = tables.sessions.resolve(given);
  const facts = append(tables, key, write.facts, at);
  for (const draft of write.outgoing) send(tables, key, draft, at);
  for (const id of write.commandsDone) tables.inbox.endCommand(id);
  if (write.edited !== undefined) tables.inbox.edit(key, write.edited.id, write.edited.text);
  return facts;
}

function append(tables: Tables, key: SessionKey, facts: SessionWrite["facts"], at: number) {
  if (tables.sessions.address(key) === null) throw unknownSession(key);
  const after = tables.factLog.append(key, facts, at);
  for (const fact of facts) tables.inbox.follow(key, fact);
  tables.sessions.project(key, after);
  return after;
}

function send(
  { sessions, outbox, factLog }: Tables,
  key: SessionKey,
  draft: SessionWrite["outgoing"][number],
  at: number,
): string | null {
  const address = sessions.address(key);
  if (address === null) throw unknownSession(key);
  const agentSessionId = factLog.folded(key).bound?.agentSessionId ?? null;
  return outbox.insert({ key, address, draft, at, agentSessionId });
}

/** One alert for each time that a topic is closed: its first parked row brings it, General gets it. */
function parkRow(tables: Tables, id: number, reason: string, alert: OutgoingDraft, at: number) {
  const { sessions, outbox } = tables;
  const place = outbox.placeOf(id);
  outbox.markParked(id, reason, at);
  const address = place === null || place.hasParked ? null : sessions.address(place.key);
  if (address === null || address.topicId === null) return;
  const general: Address = { ...address, topicId: null };
  send(tables, sessions.ensure(sessionKey(general), general), alert, at);
}

function unknownSession(key: SessionKey): StoreError {
  return new StoreError(
    `The session ${key} is not known, so nothing can be written to it. ` +
      "Nothing was changed; call ensureSession with its address first.",
  );
}
