/** A file that goes to the chat lies with its row until it has arrived or is given up. */
export const outgoingFiles = {
  version: 7,
  sql: `
    ALTER TABLE outbox ADD COLUMN file_name TEXT;
    ALTER TABLE outbox ADD COLUMN file_content BLOB;
    CREATE TRIGGER outbox_file_ends AFTER UPDATE OF ended_at ON outbox
      WHEN NEW.ended_at IS NOT NULL AND NEW.file_content IS NOT NULL
      BEGIN UPDATE outbox SET file_content = NULL WHERE id = NEW.id; END;
  `,
};
