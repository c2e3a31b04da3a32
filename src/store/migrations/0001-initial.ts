/**
 * Sessions with their facts, what came in and what goes out. A moved chat gives
 * its sessions new keys: everything that names one follows by ON UPDATE CASCADE.
 *
 * `workspace` and `has_work` of a session are projections of its facts, written
 * in the same transaction. Ended rows stay for diagnosis; the partial indexes
 * keep what is still open fast to find among them.
 */
export const initial = {
  version: 1,
  sql: `
    CREATE TABLE sessions (
      key TEXT NOT NULL PRIMARY KEY,
      channel TEXT NOT NULL,
      chat_id TEXT NOT NULL,
      topic_id TEXT,
      workspace TEXT,
      has_work INTEGER NOT NULL DEFAULT 0 CHECK (has_work IN (0, 1))
    ) STRICT;
    CREATE INDEX sessions_of_chat ON sessions (channel, chat_id);
    CREATE INDEX sessions_in_workspace ON sessions (workspace) WHERE workspace IS NOT NULL;
    CREATE INDEX sessions_with_work ON sessions (key) WHERE has_work = 1;

    CREATE TABLE moved_sessions (
      old_key TEXT NOT NULL PRIMARY KEY,
      new_key TEXT NOT NULL REFERENCES sessions (key) ON UPDATE CASCADE
    ) STRICT;
    CREATE INDEX moved_sessions_to ON moved_sessions (new_key);

    CREATE TABLE facts (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      session_key TEXT NOT NULL REFERENCES sessions (key) ON UPDATE CASCADE,
      at INTEGER NOT NULL,
      type TEXT NOT NULL,
      v INTEGER NOT NULL CHECK (v > 0),
      body TEXT NOT NULL
    ) STRICT;
    CREATE INDEX facts_of_session ON facts (session_key, seq);

    CREATE TABLE offsets (
      channel TEXT NOT NULL,
      account TEXT NOT NULL,
      next_offset INTEGER NOT NULL,
      PRIMARY KEY (channel, account)
    ) STRICT;

    CREATE TABLE inbox (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      channel TEXT NOT NULL,
      account TEXT NOT NULL,
      update_id INTEGER NOT NULL,
      session_key TEXT NOT NULL REFERENCES sessions (key) ON UPDATE CASCADE,
      kind TEXT NOT NULL CHECK (kind IN ('message', 'command', 'unsupported')),
      sender TEXT NOT NULL,
      text TEXT NOT NULL,
      args TEXT NOT NULL DEFAULT '',
      platform_message_id TEXT,
      received_at INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN (
        'received', 'given', 'accepted', 'parked', 'answered', 'failed', 'cancelled',
        'pending', 'done'
      )),
      UNIQUE (channel, account, update_id)
    ) STRICT;
    CREATE INDEX inbox_of_session ON inbox (session_key);
    CREATE INDEX inbox_pending ON inbox (id) WHERE state = 'pending';

    CREATE TABLE outbox (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      session_key TEXT NOT NULL REFERENCES sessions (key) ON UPDATE CASCADE,
      lane TEXT NOT NULL,
      kind TEXT NOT NULL CHECK (kind IN ('answer', 'notice')),
      text TEXT NOT NULL,
      footer TEXT,
      reply_to TEXT,
      dedupe TEXT UNIQUE,
      parts_sent INTEGER NOT NULL DEFAULT 0,
      uncertain INTEGER NOT NULL DEFAULT 0 CHECK (uncertain IN (0, 1)),
      platform_message_ids TEXT NOT NULL DEFAULT '[]',
      created_at INTEGER NOT NULL,
      ended_at INTEGER,
      dropped_because TEXT
    ) STRICT;
    CREATE INDEX outbox_of_session ON outbox (session_key);
    CREATE INDEX outbox_open ON outbox (lane, id) WHERE ended_at IS NULL;
  `,
};
