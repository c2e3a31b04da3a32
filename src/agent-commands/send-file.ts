import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from "node:fs";
import { basename, isAbsolute, relative, sep } from "node:path";
import type { Limits } from "../../machines/limits.ts";
import type { OutgoingFile, SessionKey, Store } from "../ports.ts";
import type { CommandResult, SendCommand } from "./door.ts";

export interface SendFileOptions {
  readonly store: Pick<Store, "facts" | "write">;
  readonly limits: Pick<Limits, "fileBytes">;
  outboxFilled(key: SessionKey): void;
}

/** Gives a file of the session's workspace to its chat: it lies in the outbox when this returns. */
export function sendFile(
  { store, limits, outboxFilled }: SendFileOptions,
  key: SessionKey,
  { path, caption }: SendCommand,
): CommandResult {
  const { workspace } = store.facts(key);
  const file = workspace === null ? "this chat has no workspace" : read(workspace, path, limits);
  if (typeof file === "string") return { ok: false, words: `${path} was not sent: ${file}` };
  const row = { kind: "answer", text: caption, footer: null, replyTo: null, dedupe: null } as const;
  store.write(key, { facts: [], outgoing: [{ ...row, file }], commandsDone: [] });
  outboxFilled(key);
  return { ok: true, words: `${file.name} is on its way to the chat` };
}

/** The file, or why it may not or cannot be sent. A link is judged by where it leads. */
function read(
  workspace: string,
  path: string,
  { fileBytes }: Pick<Limits, "fileBytes">,
): OutgoingFile | string {
  try {
    const real = realpathSync(path);
    const way = relative(realpathSync(workspace), real);
    if (way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) {
      return "it is not in the workspace";
    }
    // A pipe must not hold the service up, nor a link lead away that has just been put there.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const fd = openSync(real, flags);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return "it is no file";
      if (stats.size === 0) return "it is empty";
      if (stats.size > fileBytes) return `it is larger than ${fileBytes} bytes`;
      return { name: basename(path), content: readFileSync(fd) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT") return "there is no such file";
    return error instanceof Error ? error.message : String(error);
  }
}
