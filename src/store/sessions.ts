import type { Database } from "better-sqlite3";
import { mayHaveProcess } from "../../machines/facts.ts";
import type { SessionFacts } from "../../machines/facts.ts";
import type { Address, SessionKey } from "../ports.ts";
import { sessionKey } from "../sessions/session-key.ts";
import { StoreError } from "./store-error.ts";

export interface Sessions {
  /** The key a session has now: a moved chat's old keys stay known. */
  resolve(key: SessionKey): SessionKey;
  address(key: SessionKey): Address | null;
  /** @throws StoreError when the key is not the address's */
  ensure(key: SessionKey, address: Address): SessionKey;
  /** Keeps what is asked across sessions beside them. */
  project(key: SessionKey, facts: SessionFacts): void;
  withWork(): readonly SessionKey[];
  inWorkspace(path: string): readonly SessionKey[];
  recentWorkspaces(limit: number): readonly string[];
  /** Keys with a fact about an agent session whose id begins so. */
  knowing(agentSessionId: string): readonly SessionKey[];
}

export interface AddressColumns {
  readonly channel: string;
  readonly chat_id: string;
  readonly topic_id: string | null;
}

export function toAddress(row: AddressColumns): Address {
  return { channel: row.channel, chatId: row.chat_id, topicId: row.topic_id };
}

export function createSessions(db: Database): Sessions {
  const newKey = db.prepare<[string], { new_key: string }>(
    "SELECT new_key FROM moved_sessions WHERE old_key = ?",
  );
  const byKey = db.prepare<[string], AddressColumns>(
    "SELECT channel, chat_id, topic_id FROM sessions WHERE key = ?",
  );
  const insert = db.prepare<[string, string, string, string | null]>(
    `INSERT INTO sessions (key, channel, chat_id, topic_id) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO NOTHING`,
  );
  const update = db.prepare<[string | null, number, string]>(
    "UPDATE sessions SET workspace = ?, has_work = ? WHERE key = ?",
  );
  const withWork = db.prepare<[], { key: string }>(
    "SELECT key FROM sessions WHERE has_work = 1 ORDER BY key",
  );
  const inWorkspace = db.prepare<[string], { key: string }>(
    "SELECT key FROM sessions WHERE workspace = ? ORDER BY key",
  );

  const recent = db.prepare<[number], { path: string }>(
    `SELECT json_extract(body, '$.path') AS path FROM facts WHERE type = 'workspace.bound'
     GROUP BY path ORDER BY max(seq) DESC LIMIT ?`,
  );

  // `substr` and not LIKE: what a user types holds no wildcards.
  const knowing = db.prepare<[string, string], { key: string }>(
    `SELECT DISTINCT session_key AS key FROM facts
     WHERE type IN ('agentSession.bound', 'agentSession.archived', 'agentSession.taken')
       AND substr(json_extract(body, '$.agentSessionId'), 1, length(?)) = ? ORDER BY session_key`,
  );

  const resolve = (key: SessionKey): SessionKey => newKey.get(key)?.new_key ?? key;
  return {
    resolve,
    address(key) {
      const row = byKey.get(key);
      return row === undefined ? null : toAddress(row);
    },
    ensure(key, address) {
      if (key !== sessionKey(address)) {
        throw new StoreError(
          `The session key ${key} does not belong to the address ${JSON.stringify(address)}. ` +
            "Nothing was written; make keys with sessionKey().",
        );
      }
      const current = resolve(key);
      if (current === key) insert.run(key, address.channel, address.chatId, address.topicId);
      return current;
    },
    project(key, facts) {
      const hasWork = facts.messages.length > 0 || mayHaveProcess(facts);
      update.run(facts.workspace, hasWork ? 1 : 0, key);
    },
    withWork: () => withWork.all().map((row) => row.key),
    inWorkspace: (path) => inWorkspace.all(path).map((row) => row.key),
    recentWorkspaces: (limit) => recent.all(limit).map((row) => row.path),
    knowing: (id) => knowing.all(id, id).map((row) => row.key),
  };
}
