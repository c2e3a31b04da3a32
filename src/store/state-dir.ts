import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "./store-error.ts";

const PRIVATE_DIR = 0o700;
const PRIVATE_FILE = 0o600;

/**
 * Makes the directory, readable by its owner only. One that exists keeps its
 * mode: it may be somebody's home or a shared place, and the files in it are
 * private anyway.
 * @throws StoreError when it cannot be made or is a file
 */
export function ensureStateDir(dir: string): void {
  try {
    makeDirs(dir);
  } catch (cause) {
    throw new StoreError(
      `The state directory ${dir} cannot be made: ${reasonOf(cause)}. ` +
        "Choose another one or make its parent writable.",
      { cause },
    );
  }
}

/** One by one: a recursive mkdir below /proc never returns (Node 20.20), for it says ENOENT of a parent that is there. */
function makeDirs(dir: string): void {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(dir);
  if (parent !== dir) makeDirs(parent);
  try {
    mkdirSync(dir, { mode: PRIVATE_DIR });
  } catch (error) {
    // Another process was faster.
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/**
 * Makes sure that the file exists and only its owner can read it, before a
 * database is opened on it: SQLite gives its side files the mode of the main one.
 * @throws StoreError when it cannot be made, or belongs to somebody else
 */
export function ensurePrivateFile(file: string): void {
  try {
    // Only a new file is opened: closing one drops all locks this process holds on it.
    if (!existsSync(file)) closeSync(openSync(file, "ax", PRIVATE_FILE));
    for (const path of [file, `${file}-wal`, `${file}-shm`]) {
      if (existsSync(path) && (statSync(path).mode & 0o077) !== 0) chmodSync(path, PRIVATE_FILE);
    }
  } catch (cause) {
    throw new StoreError(
      `The file ${file} cannot be written: ${reasonOf(cause)}. ` +
        "Make it and its directory writable for this user, or choose another state directory.",
      { cause },
    );
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
