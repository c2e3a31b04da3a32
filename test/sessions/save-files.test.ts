import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FetchedFile, IncomingFile, StoredMessage } from "../../src/ports.ts";
import { fileName, saveFiles } from "../../src/sessions/save-files.ts";
import { english } from "../../src/words/english.ts";
import { CHAT, KEY } from "../contract/store-fixtures.ts";
import { tempDir } from "../store/store-files.ts";
import { memoryLog } from "../support/memory-log.ts";

const file = (name: string): IncomingFile => ({ fileId: name, name, bytes: null });

function message(text: string, ...files: readonly IncomingFile[]): StoredMessage {
  return {
    id: 12,
    key: KEY,
    address: CHAT,
    sender: "ada",
    text,
    files,
    platformMessageId: "m1",
    receivedAt: 0,
  };
}

function save(
  given: StoredMessage,
  workspace: string,
  fetched: FetchedFile = { ok: true, content: Buffer.from("content") },
) {
  const { log } = memoryLog();
  const channel = { fetchFile: async () => fetched };
  return saveFiles(
    { channel, limits: { fileBytes: 1_048_576 }, words: english, log },
    given,
    workspace,
  );
}

const dir = () => realpathSync(tempDir());

describe("the files of a message", () => {
  it("are saved in the workspace, named in its text, and images shown as such", async () => {
    const workspace = dir();
    const saved = await save(message("look", file("photo.jpg"), file("notes.txt")), workspace);
    expect(saved.text).toBe(
      "look\n\n[Files that came with this message:\n" +
        "- .holdfast/inbox/12-1-photo.jpg\n- .holdfast/inbox/12-2-notes.txt]",
    );
    const inbox = join(workspace, ".holdfast", "inbox");
    expect(saved.images).toEqual([join(inbox, "12-1-photo.jpg")]);
    expect(saved.problems).toEqual([]);
    expect(readFileSync(join(inbox, "12-2-notes.txt"), "utf8")).toBe("content");
    expect(readFileSync(join(workspace, ".holdfast", ".gitignore"), "utf8")).toBe("*\n");
  });

  it("are saved in the same places when the message is given again", async () => {
    const workspace = dir();
    const given = message("", file("a.txt"));
    const first = await save(given, workspace);
    expect(await save(given, workspace)).toEqual(first);
  });

  it("that cannot be had leave a word for the agent and one for the user", async () => {
    const tooBig = { ok: false, tooBig: true, detail: "too big" } as const;
    const saved = await save(message("look", file("film.mkv")), dir(), tooBig);
    expect(saved.text).toContain("- one that could not be passed on");
    expect(saved.problems[0]).toMatch(/film\.mkv.*larger than 1 MiB/);
    const gone = await save(message("look", file("a")), dir(), { ...tooBig, tooBig: false });
    expect(gone.problems[0]).toMatch(/could not be fetched/);
  });

  it("are not written through a link that leads out of the workspace", async () => {
    const [workspace, outside] = [dir(), dir()];
    symlinkSync(outside, join(workspace, ".holdfast"));
    const saved = await save(message("look", file("a.txt")), workspace);
    expect(saved.problems).toHaveLength(1);
    expect(existsSync(join(outside, "inbox", "12-1-a.txt"))).toBe(false);
  });

  it("replace a link that stands in their place, and leave what it leads to", async () => {
    const [workspace, outside] = [dir(), dir()];
    const inbox = join(workspace, ".holdfast", "inbox");
    mkdirSync(inbox, { recursive: true });
    symlinkSync(join(outside, "victim"), join(inbox, "12-1-a.txt"));
    await save(message("look", file("a.txt")), workspace);
    expect(existsSync(join(outside, "victim"))).toBe(false);
    expect(readFileSync(join(inbox, "12-1-a.txt"), "utf8")).toBe("content");
  });
});

it.each([
  ["photo.jpg", "12-1-photo.jpg"],
  ["../../etc/passwd", "12-1-passwd"],
  ["..\\..\\boot.ini", "12-1-boot.ini"],
  [".bashrc", "12-1-bashrc"],
  ["a b\u0000c\n.txt", "12-1-a_b_c_.txt"],
  ["Überblick.pdf", "12-1-Überblick.pdf"],
  ["---", "12-1-file"],
  ["", "12-1-file"],
  [`${"x".repeat(300)}.txt`, `12-1-${"x".repeat(80)}.txt`],
])("of the name %j is kept %j", (given, kept) => expect(fileName(12, 0, given)).toBe(kept));
