import { lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname, join, relative, sep } from "node:path";
import type { Limits } from "../../machines/limits.ts";
import type { Logger } from "../log.ts";
import type { Channel, StoredMessage } from "../ports.ts";
import type { FileWords } from "../words/words.ts";
import type { Wording } from "../words/wording.ts";

/** What a message's files become: places in the workspace that its text names, and images to be shown. */
export interface SavedFiles {
  readonly text: string;
  /** Absolute paths. */
  readonly images: readonly string[];
  /** What the user must know: files that could not be passed on. */
  readonly problems: readonly Wording[];
}

export interface SaveOptions {
  readonly channel: Pick<Channel, "fetchFile">;
  readonly limits: Pick<Limits, "fileBytes">;
  readonly log: Logger;
  readonly words: { readonly files: FileWords };
}

/** In the workspace, so that the agent may read it without asking; kept out of its version control. */
const INBOX = join(".holdfast", "inbox");

const IMAGES: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp"]);

/** Fetches and saves; never throws. Doing it again, after a crash, gives the same places. */
export async function saveFiles(
  { channel, limits, log, words }: SaveOptions,
  message: StoredMessage,
  workspace: string,
): Promise<SavedFiles> {
  const saved: string[] = [];
  const problems: Wording[] = [];
  for (const [index, file] of message.files.entries()) {
    const fetched = (await channel.fetchFile?.(file, limits.fileBytes)) ?? NOT_FETCHED;
    const written = fetched.ok
      ? write(workspace, fileName(message.id, index, file.name), fetched.content)
      : fetched.detail;
    if (typeof written === "object") saved.push(written.path);
    else {
      log.warn({ session_key: message.key, id: message.id, detail: written }, "file.notPassedOn");
      const isTooBig = !fetched.ok && fetched.tooBig;
      const { tooBig, failed } = words.files;
      problems.push(isTooBig ? tooBig(file.name, limits.fileBytes) : failed(file.name));
    }
  }
  const lines = [
    ...saved.map((path) => relative(workspace, path)),
    ...problems.map(() => words.files.missing),
  ];
  const items = lines.map((one) => `- ${one}`).join("\n");
  const list = lines.length === 0 ? "" : `[${words.files.came}\n${items}]`;
  return {
    text: [message.text, list].filter((one) => one.trim() !== "").join("\n\n"),
    images: saved.filter((path) => IMAGES.has(extname(path).toLowerCase())),
    problems,
  };
}

const NOT_FETCHED = { ok: false, tooBig: false, detail: "this channel has no files" } as const;

const NAME_MAX = 80;

/** Of a name that somebody chose, what is harmless; the number keeps two of one name apart. */
export function fileName(messageId: number, index: number, given: string): string {
  const base = basename(given.replaceAll("\\", "/"))
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "_")
    .replace(/^[._-]+/, "");
  const extension = extname(base).slice(0, 12);
  const stem = base.slice(0, base.length - extname(base).length).slice(0, NAME_MAX);
  return `${messageId}-${index + 1}-${stem === "" ? "file" : stem}${extension}`;
}

/** The path, or why it could not be written. A link in the workspace must not lead the file elsewhere. */
function write(workspace: string, name: string, content: Uint8Array): { path: string } | string {
  try {
    const root = realpathSync(workspace);
    const folder = join(root, INBOX);
    mkdirSync(folder, { recursive: true });
    if (realpathSync(folder) !== folder) return `${INBOX} leads out of the workspace`;
    ignoreFolder(join(root, ".holdfast"));
    const path = join(folder, name);
    if (!path.startsWith(`${folder}${sep}`)) return "a name that leads elsewhere";
    rmSync(path, { force: true });
    writeFileSync(path, content, { flag: "wx" });
    return { path };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function ignoreFolder(folder: string): void {
  const path = join(folder, ".gitignore");
  try {
    lstatSync(path);
  } catch {
    writeFileSync(path, "*\n", { flag: "wx" });
  }
}
