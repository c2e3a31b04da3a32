import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { z } from "zod";
import { ensurePrivateFile, ensureStateDir } from "./state-dir.ts";
import { StoreError } from "./store-error.ts";

/** Held until disposed, or until the process ends in whatever way. */
export type StateLock = Disposable;

/** Another process serves from this state directory. */
export class StateLockedError extends Error {
  override name = "StateLockedError";
  /** Null in the instant between its taking the lock and its saying so. */
  readonly holder: LockHolder | null;

  constructor(stateDir: string, holder: LockHolder | null) {
    const who = holder === null ? "" : ` (pid ${holder.pid}, since ${holder.since})`;
    super(
      `Another holdfast${who} uses the state directory ${stateDir}. ` +
        "Stop it first, or give this one a state directory of its own.",
    );
    this.holder = holder;
  }
}

const lockHolder = z.object({ pid: z.int().positive(), since: z.iso.datetime() });
export type LockHolder = Readonly<z.infer<typeof lockHolder>>;

/** A connection that nobody refers to is closed by the garbage collector, and its lock with it. */
const held = new Set<Database.Database>();

/**
 * Claims a state directory for this process. The lock is an open exclusive
 * transaction on a database of its own (`lock.db`), so the kernel takes it back
 * however the process dies, and the store stays readable for others. Who holds
 * it stands in `lock.json`, for the lock database itself cannot be read meanwhile.
 * @throws StateLockedError when another process, or this one, holds it
 * @throws StoreError when the lock database cannot be used
 */
export function acquireStateLock(stateDir: string, clock: { now(): number }): StateLock {
  ensureStateDir(stateDir);
  const file = join(stateDir, "lock.db");
  const note = join(stateDir, "lock.json");
  ensurePrivateFile(file);
  const db = new Database(file, { timeout: 0 });
  try {
    db.exec("BEGIN EXCLUSIVE");
    writeNote(note, { pid: process.pid, since: new Date(clock.now()).toISOString() });
  } catch (error) {
    db.close();
    throw isBusy(error) ? new StateLockedError(stateDir, readNote(note)) : unusable(file, error);
  }
  held.add(db);
  return {
    [Symbol.dispose]() {
      if (!held.delete(db)) return;
      rmSync(note, { force: true });
      db.close();
    },
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function unusable(file: string, cause: unknown): StoreError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(
    `The lock ${file} cannot be taken: ${detail}. ` +
      "It holds no data: make sure that no holdfast runs here, then delete it.",
    { cause },
  );
}

/** Renamed into place, so that nobody reads half of it. */
function writeNote(note: string, holder: LockHolder): void {
  const draft = `${note}.${holder.pid}`;
  writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(draft, note);
}

/** Null when there is none, or when it was left behind by a process that is gone. */
function readNote(note: string): LockHolder | null {
  try {
    const parsed = lockHolder.safeParse(JSON.parse(readFileSync(note, "utf8")));
    return parsed.success && isAlive(parsed.data.pid) ? parsed.data : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
