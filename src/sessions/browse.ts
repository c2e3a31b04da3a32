import { mkdirSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Logger } from "../log.ts";
import { checkWorkspace, type WorkspaceCheck } from "./workspace.ts";

/** The folders that may become a workspace, as they are walked through. */

export interface Folder {
  readonly path: string;
  readonly name: string;
}

export interface Listing {
  /** Where one is; null at the top, above all roots. */
  readonly here: string | null;
  /** One step up; null where that would leave the roots. */
  readonly up: { readonly path: string | null } | null;
  readonly folders: readonly Folder[];
  readonly page: number;
  readonly pages: number;
}

/** Folders on one page: a phone shows about ten rows of buttons. */
const PAGE = 8;
/** More would only be pages that nobody turns. */
const FOLDERS_MAX = 400;

/** A folder inside the roots; the top where it is not, or is gone. */
export function listFolders(
  path: string | null,
  page: number,
  roots: readonly string[],
  log: Logger,
): Listing {
  const check = path === null ? null : checkWorkspace(path, roots, log);
  if (check === null || !check.ok) return paged(null, null, roots.map(toFolder), page);
  const here = check.path;
  const parent = checkWorkspace(dirname(here), roots, log);
  const up = { path: parent.ok && dirname(here) !== here ? parent.path : null };
  return paged(here, up, foldersIn(here), page);
}

function paged(
  here: string | null,
  up: Listing["up"],
  folders: readonly Folder[],
  asked: number,
): Listing {
  const pages = Math.max(1, Math.ceil(folders.length / PAGE));
  const page = Math.min(Math.max(0, asked), pages - 1);
  return { here, up, folders: folders.slice(page * PAGE, (page + 1) * PAGE), page, pages };
}

const toFolder = (path: string): Folder => ({ path, name: basename(path) || path });

/** Hidden ones are the programs' own; what may not be read is shown as empty. */
function foldersIn(path: string): readonly Folder[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((one) => one.isDirectory() && !one.name.startsWith("."))
      .map((one) => toFolder(join(path, one.name)))
      .toSorted((a, b) => a.name.localeCompare(b.name))
      .slice(0, FOLDERS_MAX);
  } catch {
    return [];
  }
}

/** Letters, digits and what names are joined with: no separator, no way up, nothing hidden. */
const FOLDER_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._ -]{0,63}$/u;

/** Makes a folder inside the roots; one that is there already is taken as it is. */
export function makeFolder(
  parent: string,
  name: string,
  roots: readonly string[],
  log: Logger,
): WorkspaceCheck | { readonly ok: false; readonly reason: "bad-name" } {
  const trimmed = name.trim();
  if (!FOLDER_NAME.test(trimmed) || trimmed.endsWith(".")) return { ok: false, reason: "bad-name" };
  const inside = checkWorkspace(parent, roots, log);
  if (!inside.ok) return inside;
  const path = join(inside.path, trimmed);
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: "workspace-unreadable", detail };
  }
  // Again, with its symlinks: something may stand there under this name.
  return checkWorkspace(path, roots, log);
}
