import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { APPLICATION_ID, latestVersion, schemaVersion } from "./migrate.ts";
import { StoreError, asStoreError } from "./store-error.ts";

/**
 * Above this size only the small tables are checked at the start: the whole check reads every
 * page, measured at 0.9 s for 240 MB in the page cache; a slow disk takes far longer.
 */
const WHOLE_CHECK_MAX_BYTES = 256 * 1_024 * 1_024;
/** SQLite's smallest page (https://www.sqlite.org/fileformat.html): what is shorter it takes for empty, and overwrites. */
const PAGE_MIN_BYTES = 512;

/**
 * Decides before anything is written whether the file can be our store: `new`
 * (there is none yet) or `ours` (sound, of a schema this program knows).
 * @throws StoreError for everything else; the file is left as it was
 */
export function inspectFile(file: string): "new" | "ours" {
  try {
    const size = sizeOf(file);
    if (size === 0) return inspectEmpty(file);
    if (size < PAGE_MIN_BYTES) throw damaged(file, `it has ${size} bytes only`);
    return inspectDatabase(file, size);
  } catch (error) {
    throw asRefusal(error, file);
  }
}

/** Zero where there is no file. Never opens it: closing it again would drop this process's locks on it. */
function sizeOf(file: string): number {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isDirectory() !== true) return stat?.size ?? 0;
  throw new StoreError(
    `The store ${file} is a directory. Choose another state directory, or move it away.`,
  );
}

/** SQLite writes the main file before it makes a log: a log without one means that the data is gone. */
function inspectEmpty(file: string): "new" {
  const left = [`${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
  if (left.length > 0) throw damaged(file, `it is empty or missing although ${left[0]} exists`);
  return "new";
}

function inspectDatabase(file: string, size: number): "new" | "ours" {
  // A rollback journal is there only if the very first start was interrupted; read-only
  // connections cannot undo it. All others must not write: closing would checkpoint the log.
  const db = new Database(file, { readonly: !existsSync(`${file}-journal`), timeout: 5_000 });
  try {
    const version = schemaVersion(db);
    const ours = db.pragma("application_id", { simple: true }) === APPLICATION_ID;
    const empty = db.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
    if (!ours && !(version === 0 && empty)) {
      throw new StoreError(
        `The store ${file} is a database of another program; nothing was changed. ` +
          "Choose another state directory, or move the file away.",
      );
    }
    if (version > latestVersion()) throw tooNew(file, version);
    const fault = findFault(db, size, empty);
    if (fault !== null) throw damaged(file, fault);
    return empty ? "new" : "ours";
  } finally {
    db.close();
  }
}

function findFault(db: Database.Database, size: number, empty: boolean): string | null {
  const checks =
    size <= WHOLE_CHECK_MAX_BYTES || empty
      ? ["quick_check(1)"]
      : ["quick_check('sessions')", "quick_check('offsets')"];
  for (const check of checks) {
    const result = String(db.pragma(check, { simple: true }));
    if (result !== "ok") return result.replaceAll(/\s+/g, " ");
  }
  return null;
}

function asRefusal(error: unknown, file: string): unknown {
  if (error instanceof StoreError) return error;
  if (error instanceof Database.SqliteError) {
    return /^SQLITE_(NOTADB|CORRUPT)/.test(error.code)
      ? damaged(file, error.message, error)
      : asStoreError(error, file, "be opened");
  }
  const detail = error instanceof Error ? error.message : String(error);
  return new StoreError(
    `The store ${file} cannot be read: ${detail}. Make it accessible for this user.`,
    { cause: error },
  );
}

function damaged(file: string, detail: string, cause?: unknown): StoreError {
  return new StoreError(
    `The store ${file} is damaged: ${detail}; nothing was changed. Put a backup in its place, or ` +
      "move it away together with its -wal and -shm files to start with an empty one.",
    cause === undefined ? {} : { cause },
  );
}

function tooNew(file: string, version: number): StoreError {
  return new StoreError(
    `The store ${file} has schema ${version}, and this holdfast knows up to ${latestVersion()}; ` +
      "nothing was changed. Run the newer holdfast that wrote it, or choose another state directory.",
  );
}
