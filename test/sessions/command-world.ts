import { mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { SessionCommand } from "../../machines/commands.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import { handleCommand } from "../../src/sessions/handle-command.ts";
import { laneOf } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { ACCOUNT, CHAT, commandItem } from "../contract/store-fixtures.ts";
import { openTestStore, tempDir, tempStoreFile } from "../store/store-files.ts";
import { memoryLog } from "../support/memory-log.ts";

/** Commands as they stand in the store, in a chat whose workspaces are in one root. */
export function world(phase: SessionPhase | "queued" | null = null) {
  const store = openTestStore(tempStoreFile());
  const root = join(realpathSync(tempDir()), "root");
  mkdirSync(join(root, "project"), { recursive: true });
  const asked: [string, SessionCommand][] = [];
  const filled: string[] = [];
  let updates = 0;
  return {
    store,
    root,
    asked,
    filled,
    type(name: string, args = "", of?: string) {
      updates += 1;
      const item = commandItem(updates, name);
      const intake = {
        ...item.intake,
        args,
        platformMessageId: of ?? `m${updates}`,
      } as typeof item.intake;
      const stored = store.intake("telegram", ACCOUNT, [{ ...item, intake }], updates + 1);
      const [command] = stored.commands;
      if (command === undefined) throw new Error("The command was not stored");
      handleCommand(
        {
          store,
          words: english,
          defaultWorkspace: join(root, "project"),
          roots: [root],
          limits: { messageBytes: 100, buttonMs: 60_000 },
          log: memoryLog().log,
          clock: { now: () => 7_200_000 },
          newId: () => "new-id",
          phase: () => phase,
          toSession: (key, one) => asked.push([key, one]),
          outboxFilled: (key) => filled.push(key),
          isApprover: () => true,
          offers: () => null,
          answerPress: () => undefined,
        },
        command,
      );
      return command.id;
    },
    said(): string | null {
      const row = store.nextOutgoing(laneOf(CHAT));
      if (row !== null) store.markDropped(row.id, "read by the test");
      return row?.text ?? null;
    },
  };
}
