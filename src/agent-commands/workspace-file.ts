import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { isAbsolute, relative, sep } from "node:path";

export interface ReadOptions {
  readonly maxBytes: number;
  /** Where an open file lies; null where the system does not tell. */
  readonly pathOf?: (fd: number) => string | null;
}

const OUTSIDE = "it is not in the workspace";
const CHANGED = "it was changed while it was looked at";

const LOOKS = 10;

/**
 * What a file of the workspace holds, or why it may not or cannot be read. A
 * link is judged by where it leads. The agent may put another file or link in
 * the place of what was looked at, so the file is judged again once it is open.
 */
export function readWorkspaceFile(
  workspace: string,
  path: string,
  { maxBytes, pathOf = openedPath }: ReadOptions,
): Buffer | string {
  try {
    const root = realpathSync(workspace);
    const real = realpathSync(path);
    // Before it is opened, for some devices begin to work by that.
    if (!liesIn(root, real)) return OUTSIDE;
    // A pipe must not hold the service up.
    const fd = openSync(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const opened = pathOf(fd);
      if (opened === null ? !isStillAt(fd, real) : !liesIn(root, opened)) return OUTSIDE;
      return readOpened(fd, maxBytes);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") return "there is no such file";
    if (code === "ELOOP" || code === "EINVAL") return CHANGED;
    return error instanceof Error ? error.message : String(error);
  }
}

function readOpened(fd: number, maxBytes: number): Buffer | string {
  const stats = fstatSync(fd);
  if (!stats.isFile()) return "it is no file";
  if (stats.size === 0) return "it is empty";
  if (stats.size > maxBytes) return `it is larger than ${maxBytes} bytes`;
  const content = readFileSync(fd);
  return content.length === 0 || content.length > maxBytes ? CHANGED : content;
}

function liesIn(root: string, path: string): boolean {
  const way = relative(root, path);
  return !(way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}

/** Linux tells it. */
function openedPath(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

/**
 * Elsewhere: whether the way to it has no link in it and ends at the open file.
 * A name can be swapped between any two looks, so it is looked at often: whoever
 * swaps would have to be right each time.
 */
function isStillAt(fd: number, real: string): boolean {
  const opened = fstatSync(fd);
  for (let look = 0; look < LOOKS; look += 1) {
    const found = lstatSync(real);
    if (opened.dev !== found.dev || opened.ino !== found.ino) return false;
    if (realpathSync(real) !== real) return false;
  }
  return true;
}
