import { dirname } from "node:path";
import Database from "better-sqlite3";
import { inspectFile } from "./inspect-file.ts";
import { latestVersion, migrate, schemaVersion } from "./migrate.ts";
import { ensurePrivateFile, ensureStateDir } from "./state-dir.ts";
import { StoreError, asStoreError } from "./store-error.ts";

/** Milliseconds to wait for another program's lock, for instance a backup's. */
const BUSY_TIMEOUT_MS = 5_000;
/** Bytes the log keeps on disk after a checkpoint; a burst may have made it larger. */
const WAL_KEPT_BYTES = 16 * 1_024 * 1_024;

/**
 * Opens the store's database for writing: checked, private to its owner,
 * migrated, every commit fsynced.
 * @throws StoreError when the file is damaged, newer, of another program or not accessible
 */
export function openForWriting(file: string): Database.Database {
  ensureStateDir(dirname(file));
  inspectFile(file);
  ensurePrivateFile(file);
  return opened(file, { timeout: BUSY_TIMEOUT_MS }, (db) => {
    db.pragma("journal_mode = WAL");
    // better-sqlite3 is built with NORMAL for WAL, which does not fsync a commit.
    db.pragma("synchronous = FULL");
    db.pragma("foreign_keys = ON");
    db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
    migrate(db);
  });
}

/**
 * Opens it for looking only, beside the service that writes it.
 * @throws StoreError as above, and when there is none yet or its schema is older
 */
export function openForReading(file: string): Database.Database {
  if (inspectFile(file) === "new") {
    throw new StoreError(`There is no store at ${file} yet. Start the service once to make it.`);
  }
  return opened(file, { timeout: BUSY_TIMEOUT_MS, readonly: true }, (db) => {
    if (schemaVersion(db) === latestVersion()) return;
    throw new StoreError(
      `The store ${file} has the older schema ${schemaVersion(db)}. ` +
        "Start the service once to bring it up to date.",
    );
  });
}

function opened(
  file: string,
  options: Database.Options,
  prepare: (db: Database.Database) => void,
): Database.Database {
  let db: Database.Database | null = null;
  try {
    db = new Database(file, options);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw asStoreError(error, file, "be opened");
  }
}
