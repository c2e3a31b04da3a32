import Database from "better-sqlite3";

/** The store cannot be used, or refuses what it was given. The message names file, cause and remedy. */
export class StoreError extends Error {
  override name = "StoreError";
}

const REMEDIES: Readonly<Record<string, string>> = {
  SQLITE_FULL: "free some disk space",
  SQLITE_BUSY: "end the other program that writes to it",
  SQLITE_READONLY: "make the file and its directory writable for this user",
  SQLITE_PERM: "make the file and its directory accessible for this user",
  SQLITE_CANTOPEN: "make the file and its directory accessible for this user",
  SQLITE_IOERR: "check the disk",
  SQLITE_CORRUPT: "stop the service and put a backup in its place",
  SQLITE_NOTADB: "stop the service and put a backup in its place",
};

/** What a person can do about an SQLite error; extended codes (`SQLITE_IOERR_FSYNC`) count as their base. */
function remedyFor(code: string): string | null {
  return REMEDIES[code.split("_").slice(0, 2).join("_")] ?? null;
}

/** Says which operation failed on which file, why, and what to do. Anything but an SQLite error is passed on. */
export function asStoreError(error: unknown, file: string, operation: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const remedy = remedyFor(error.code);
  return new StoreError(
    `The store ${file} could not ${operation}: ${error.message} (${error.code}); nothing was ` +
      `changed.${remedy === null ? "" : ` To go on, ${remedy}.`}`,
    { cause: error },
  );
}
