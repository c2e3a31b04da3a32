import { basename } from "node:path";
import type { Limits } from "../../machines/limits.ts";
import type { SessionKey, Store } from "../ports.ts";
import type { CommandResult, SendCommand } from "./door.ts";
import { readWorkspaceFile } from "./workspace-file.ts";

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
  const content =
    workspace === null
      ? "this chat has no workspace"
      : readWorkspaceFile(workspace, path, { maxBytes: limits.fileBytes });
  if (typeof content === "string") return { ok: false, words: `${path} was not sent: ${content}` };
  const file = { name: basename(path), content };
  const row = { kind: "answer", text: caption, footer: null, replyTo: null, dedupe: null } as const;
  store.write(key, { facts: [], outgoing: [{ ...row, file }], commandsDone: [] });
  outboxFilled(key);
  return { ok: true, words: `${file.name} is on its way to the chat` };
}
