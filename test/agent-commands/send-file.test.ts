import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sendFile } from "../../src/agent-commands/send-file.ts";
import { KEY, messageItem, ACCOUNT, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempDir, tempStoreFile } from "../store/store-files.ts";

function createSession(workspace = tempDir()) {
  const store = openTestStore(tempStoreFile());
  store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
  store.write(
    KEY,
    only({ facts: [{ type: "workspace.bound", path: workspace, agentKind: "scripted" }] }),
  );
  const filled: string[] = [];
  const options = {
    store,
    limits: { fileBytes: 1_000 },
    outboxFilled: (key: string) => void filled.push(key),
  };
  return {
    workspace,
    filled,
    row: () => store.nextOutgoing(store.pendingLanes()[0] ?? ""),
    send: (path: string, caption = "") => sendFile(options, KEY, { path, caption }),
  };
}

describe("a file that an agent sends", () => {
  it("lies in the outbox with its name, its words and what it holds", () => {
    const { workspace, send, row, filled } = createSession();
    mkdirSync(join(workspace, "out"));
    writeFileSync(join(workspace, "out", "a.txt"), "abc");
    expect(send(join(workspace, "out", "a.txt"), "look")).toMatchObject({ ok: true });
    expect(filled).toEqual([KEY]);
    expect(row()).toMatchObject({ text: "look", kind: "answer" });
    expect(row()?.file).toEqual({ name: "a.txt", content: Buffer.from("abc") });
  });

  it("through a link is taken where the link stays inside", () => {
    const { workspace, send } = createSession();
    writeFileSync(join(workspace, "a.txt"), "abc");
    symlinkSync(join(workspace, "a.txt"), join(workspace, "b.txt"));
    expect(send(join(workspace, "b.txt"))).toMatchObject({ ok: true });
  });

  it.each([
    ["stands outside", "not in the workspace", () => "/etc/hostname"],
    [
      "is reached by dots",
      "not in the workspace",
      (w: string) => join(w, "..", "..", "etc", "hostname"),
    ],
    [
      "is a link that leads out",
      "not in the workspace",
      (w: string) => (symlinkSync("/etc/hostname", join(w, "l")), join(w, "l")),
    ],
    [
      "lies in a folder that leads out",
      "not in the workspace",
      (w: string) => (symlinkSync("/etc", join(w, "d")), join(w, "d", "hostname")),
    ],
    ["is not there", "no such file", (w: string) => join(w, "none")],
    ["is the workspace itself", "not in the workspace", (w: string) => w],
    ["is a folder", "no file", (w: string) => (mkdirSync(join(w, "f")), join(w, "f"))],
    ["is a pipe", "no file", (w: string) => (execFileSync("mkfifo", [join(w, "p")]), join(w, "p"))],
    ["is empty", "empty", (w: string) => (writeFileSync(join(w, "e"), ""), join(w, "e"))],
    [
      "is too large",
      "larger than 1000",
      (w: string) => (writeFileSync(join(w, "g"), "x".repeat(1_001)), join(w, "g")),
    ],
  ])("is refused where it %s", (_, why, make) => {
    const { workspace, send, row } = createSession();
    expect(send(make(workspace))).toMatchObject({ ok: false, words: expect.stringContaining(why) });
    expect(row()).toBeNull();
  });
});
