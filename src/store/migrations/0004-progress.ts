/** Messages that show a turn that runs; what a crash leaves here is closed at the next start. */
export const progress = {
  version: 4,
  sql: `
    CREATE TABLE progress (
      session_key TEXT NOT NULL PRIMARY KEY REFERENCES sessions (key) ON UPDATE CASCADE,
      nonce TEXT NOT NULL UNIQUE,
      platform_message_id TEXT,
      started_at INTEGER NOT NULL
    ) STRICT;
  `,
};
