/**
 * Rows for a topic that takes nothing wait outside their lane. `parked_at` is
 * in milliseconds since 1970, as every time here.
 */
export const parkedRows = {
  version: 2,
  sql: `
    ALTER TABLE outbox ADD COLUMN parked_at INTEGER;
    ALTER TABLE outbox ADD COLUMN parked_because TEXT;
    DROP INDEX outbox_open;
    CREATE INDEX outbox_open ON outbox (lane, id) WHERE ended_at IS NULL AND parked_at IS NULL;
    CREATE INDEX outbox_parked ON outbox (session_key) WHERE ended_at IS NULL AND parked_at IS NOT NULL;
  `,
};
