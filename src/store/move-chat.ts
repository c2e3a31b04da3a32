import type { Database } from "better-sqlite3";
import { messageInFlight } from "../../machines/facts.ts";
import type { SessionFact, SessionFacts } from "../../machines/facts.ts";
import type { Address, SessionKey } from "../ports.ts";
import { laneOf, sessionKey } from "../sessions/session-key.ts";
import type { FactLog } from "./fact-log.ts";
import { toAddress } from "./sessions.ts";
import type { AddressColumns, Sessions } from "./sessions.ts";

export interface ChatMove {
  readonly channel: string;
  readonly from: string;
  readonly to: string;
  readonly at: number;
}

/**
 * Gives the sessions of a chat the keys of another one; to be called inside a
 * transaction. Old keys stay known, so that a late write of a running actor or
 * a late update of the old chat lands in the session under its new key.
 */
export function createMoveChat(
  db: Database,
  sessions: Sessions,
  factLog: FactLog,
): (move: ChatMove) => void {
  const ofChat = db.prepare<[string, string], AddressColumns>(
    "SELECT channel, chat_id, topic_id FROM sessions WHERE channel = ? AND chat_id = ? ORDER BY key",
  );
  const rekey = db.prepare<[string, string, string]>(
    "UPDATE sessions SET key = ?, chat_id = ? WHERE key = ?",
  );
  const rename = db.prepare<[string, string, string]>(
    "UPDATE outbox SET lane = ? WHERE lane = ? AND session_key = ?",
  );
  const unmove = db.prepare<[string]>("DELETE FROM moved_sessions WHERE old_key = ?");
  const remember = db.prepare<[string, string]>(
    "INSERT INTO moved_sessions (old_key, new_key) VALUES (?, ?)",
  );
  // Another chat numbers its messages anew.
  const forgetSent = db.prepare<[string]>("DELETE FROM sent_messages WHERE session_key = ?");
  const merge = createMerge(db, sessions, factLog);

  return ({ channel, from, to, at }) => {
    for (const address of ofChat.all(channel, from).map(toAddress)) {
      const target: Address = { ...address, chatId: to };
      const [oldKey, newKey] = [sessionKey(address), sessionKey(target)];
      unmove.run(newKey);
      forgetSent.run(oldKey);
      if (sessions.address(newKey) === null) rekey.run(newKey, to, oldKey);
      else merge(oldKey, newKey, at);
      remember.run(oldKey, newKey);
      rename.run(laneOf(target), laneOf(address), newKey);
      factLog.forget();
    }
  };
}

/**
 * Both chats have a session: the old one's facts become the beginning of the
 * new one's. Where the new one never launched an agent, the old one's agent
 * session goes on with the new one's messages. Where it did, it goes on as it
 * is; the old one's agent session is archived and stays listed for `/resume`.
 */
function createMerge(
  db: Database,
  sessions: Sessions,
  factLog: FactLog,
): (oldKey: SessionKey, newKey: SessionKey, at: number) => void {
  const last = db.prepare<[], { seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM facts");
  const copyBehind = db.prepare<[string, number]>(
    `INSERT INTO facts (session_key, at, type, v, body)
     SELECT session_key, at, type, v, body FROM facts
     WHERE session_key = ? AND seq <= ? ORDER BY seq`,
  );
  const deleteCopied = db.prepare<[string, number]>(
    "DELETE FROM facts WHERE session_key = ? AND seq <= ?",
  );
  const hand = ["facts", "inbox", "outbox"].map((table) =>
    db.prepare<[string, string]>(`UPDATE ${table} SET session_key = ? WHERE session_key = ?`),
  );
  const handMoves = db.prepare<[string, string]>(
    "UPDATE moved_sessions SET new_key = ? WHERE new_key = ?",
  );
  const remove = db.prepare<[string]>("DELETE FROM sessions WHERE key = ?");

  return (oldKey, newKey, at) => {
    const [before, after] = [factLog.folded(oldKey), factLog.folded(newKey)];
    factLog.append(oldKey, closingFacts(before, after), at);
    const { seq } = last.get() ?? { seq: 0 };
    copyBehind.run(newKey, seq);
    deleteCopied.run(newKey, seq);
    for (const statement of hand) statement.run(newKey, oldKey);
    handMoves.run(newKey, oldKey);
    remove.run(oldKey);
    factLog.forget();
    sessions.project(newKey, factLog.append(newKey, takenOverFacts(before, after), at));
  };
}

/** Ends the old session's affairs where the new one has launched an agent of its own. */
function closingFacts(before: SessionFacts, after: SessionFacts): readonly SessionFact[] {
  const { launch, bound, fresh } = before;
  const inFlight = messageInFlight(before);
  if (after.launch === null) return [];
  return [
    ...(inFlight === null
      ? []
      : [{ type: "message.parked", id: inFlight.id, reason: "cut-short" } as const]),
    ...(launch === null || launch.exited
      ? []
      : [{ type: "launch.exited", epoch: launch.epoch, crashedAt: null } as const]),
    ...(bound === null
      ? []
      : [
          {
            type: "agentSession.archived",
            agentSessionId: bound.agentSessionId,
            transcript: bound.transcript,
            reason: "superseded",
          } as const,
        ]),
    ...(fresh === null ? [] : [{ type: "fresh.settled", epoch: fresh.epoch } as const]),
  ];
}

/** The old session's agent session goes on: in its own workspace, unless the user chose anew. */
function takenOverFacts(before: SessionFacts, after: SessionFacts): readonly SessionFact[] {
  const { workspace, agentKind } = before;
  const goesOn = after.launch === null && after.fresh === null;
  return goesOn && workspace !== null && workspace !== after.workspace
    ? [{ type: "workspace.bound", path: workspace, agentKind }]
    : [];
}
