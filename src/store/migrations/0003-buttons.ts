/**
 * Messages that are changed after they were sent, buttons under them, and which
 * agent session each message belongs to. A button lives as long as its row is
 * the last that gave its message a text: then `voided_at` is set.
 */
export const buttons = {
  version: 3,
  sql: `
    ALTER TABLE outbox ADD COLUMN edits INTEGER REFERENCES outbox (id);
    ALTER TABLE outbox ADD COLUMN agent_session_id TEXT;
    CREATE INDEX outbox_edits ON outbox (edits) WHERE edits IS NOT NULL;

    CREATE TABLE buttons (
      nonce TEXT NOT NULL PRIMARY KEY,
      outbox_id INTEGER NOT NULL REFERENCES outbox (id),
      line INTEGER NOT NULL,
      place INTEGER NOT NULL,
      label TEXT NOT NULL,
      action TEXT NOT NULL,
      owner TEXT,
      voided_at INTEGER
    ) STRICT;
    CREATE INDEX buttons_of_row ON buttons (outbox_id, line, place);

    CREATE TABLE sent_messages (
      session_key TEXT NOT NULL REFERENCES sessions (key) ON UPDATE CASCADE,
      platform_message_id TEXT NOT NULL,
      outbox_id INTEGER NOT NULL REFERENCES outbox (id),
      PRIMARY KEY (session_key, platform_message_id)
    ) STRICT;
  `,
};
