import { accessSync, constants, opendirSync, realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { Environment } from "./sources.ts";

/** The user's home: `HOME`, else what the system says. */
export const homeOf = (env: Environment): string =>
  env["HOME"] === undefined || env["HOME"] === "" ? homedir() : env["HOME"];

/** Absolute; `~` and `~/…` are the home, what is relative starts from `base`. */
export function expandPath(text: string, base: string, home: string): string {
  if (text === "~") return home;
  return resolve(base, text.startsWith("~/") ? join(home, text.slice(2)) : text);
}

export function defaultStateDir(env: Environment, home: string): string {
  const xdg = env["XDG_STATE_HOME"] ?? "";
  // The XDG base directory specification has relative values ignored.
  return join(isAbsolute(xdg) ? xdg : join(home, ".local", "state"), "holdfast");
}

export type DirectoryCheck =
  | { readonly ok: true; readonly real: string }
  | { readonly ok: false; readonly what: string };

/** Whether an agent could work there; `real` has its symlinks resolved. */
export function checkDirectory(path: string): DirectoryCheck {
  try {
    const real = realpathSync(path);
    if (!statSync(real).isDirectory()) {
      return { ok: false, what: `${path} is a file, not a directory. Name a directory.` };
    }
    // Doing it asks the effective user; access(2) would ask the real one.
    opendirSync(real).closeSync();
    statSync(`${real}/.`);
    return { ok: true, real };
  } catch (error) {
    return { ok: false, what: `${path} ${REASONS[errorCode(error)] ?? unusable(error)}` };
  }
}

/** What keeps a directory from being created or written to; null when nothing does. */
export function checkCreatable(path: string): string | null {
  try {
    let existing = path;
    let found = statIfThere(existing);
    while (found === null && dirname(existing) !== existing) {
      existing = dirname(existing);
      found = statIfThere(existing);
    }
    if (found?.isDirectory() === false) {
      return `${existing} is a file, not a directory. Name a directory.`;
    }
    accessSync(existing, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${path} cannot be written (${errorCode(error)}). Change the permissions or the path.`;
  }
}

function statIfThere(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    // ENOTDIR: something above it is a file, which the caller comes to.
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return null;
    throw error;
  }
}

const UNREADABLE = "cannot be read by the user that runs the service. Change its permissions.";
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist. Create it or correct the path.",
  ENOTDIR: "has a file in the middle of its path. Correct the path.",
  ELOOP: "is a symlink that leads back to itself. Correct the link.",
  EACCES: UNREADABLE,
  EPERM: UNREADABLE,
};

const unusable = (error: unknown): string =>
  `cannot be used (${errorCode(error)}). Check the path.`;

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

/** Whether a real path is a root or below it. */
export function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
