import { realpathSync } from "node:fs";
import { access, constants, readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { TranscriptState } from "../../../machines/vocabulary.ts";

const FOLDER_MAX = 200;

/** Where the transcript of a session started in `cwd` is kept; symlinks in `cwd` are resolved. */
export function transcriptPath(configDir: string, agentSessionId: string, cwd: string): string {
  return join(configDir, "projects", projectFolder(realPath(cwd)), `${agentSessionId}.jsonl`);
}

/** A directory that is not there yet keeps its name: nothing can be started in it anyway. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/**
 * The agent's name for a directory: every UTF-16 unit that is no ASCII letter
 * or digit becomes `-`; beyond 200 characters a hash of the path stands for
 * the rest. Distinct directories can share a folder. Measured on 2.1.332.
 */
export function projectFolder(path: string): string {
  const encoded = path.replaceAll(/[^a-zA-Z0-9]/g, "-");
  if (encoded.length <= FOLDER_MAX) return encoded;
  let hash = 0;
  for (let at = 0; at < path.length; at += 1) {
    hash = ((hash << 5) - hash + path.charCodeAt(at)) | 0;
  }
  return `${encoded.slice(0, FOLDER_MAX)}-${Math.abs(hash).toString(36)}`;
}

export interface Inspection {
  readonly state: TranscriptState;
  readonly bytes: number | null;
}

/**
 * `missing` is only said where the folder of all projects can be read:
 * otherwise nothing is known about a single session.
 */
export async function inspectTranscript(path: string): Promise<Inspection> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return { state: "missing", bytes: null };
    await access(path, constants.R_OK);
    return { state: "present", bytes: stats.size };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ENOENT" && code !== "ENOTDIR") return { state: "unreadable", bytes: null };
  }
  try {
    await readdir(dirname(dirname(path)));
    return { state: "missing", bytes: null };
  } catch {
    return { state: "unreadable", bytes: null };
  }
}

/** Bytes of a transcript and of its subagents' ones: they grow while work goes on. */
export async function transcriptBytes(path: string): Promise<number> {
  const folder = join(path.replace(/\.jsonl$/, ""), "subagents");
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    [path, ...names.map((name) => join(folder, name))].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
