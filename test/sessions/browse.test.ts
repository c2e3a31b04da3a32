import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAction } from "../../src/buttons.ts";
import { listFolders, makeFolder } from "../../src/sessions/browse.ts";
import { chooseWorkspace } from "../../src/sessions/chooser.ts";
import { english } from "../../src/words/english.ts";
import { tempDir } from "../store/store-files.ts";
import { memoryLog } from "../support/memory-log.ts";

const { log } = memoryLog();

/** Two roots; the first holds folders, a file, a hidden folder and a link that leads out. */
function world() {
  const dir = realpathSync(tempDir());
  const [one, two] = [join(dir, "one"), join(dir, "two")];
  for (const path of [join(one, "b", "deep"), join(one, "a"), join(one, ".hidden"), two]) {
    mkdirSync(path, { recursive: true });
  }
  writeFileSync(join(one, "file.txt"), "");
  symlinkSync("/etc", join(one, "escape"));
  return { dir, one, two, roots: [one, two] };
}

describe("the folders to choose from", () => {
  it("are the roots at the top", () => {
    const { one, two, roots } = world();
    const { here, up, folders } = listFolders(null, 0, roots, log);
    expect([here, up]).toEqual([null, null]);
    expect(folders.map((folder) => folder.path)).toEqual([one, two]);
  });

  it("are those inside a folder, by name, without files, hidden ones and links", () => {
    const { one, roots } = world();
    const { here, up, folders } = listFolders(one, 0, roots, log);
    expect(here).toBe(one);
    expect(up).toEqual({ path: null });
    expect(folders.map((folder) => folder.name)).toEqual(["a", "b"]);
    expect(listFolders(join(one, "b"), 0, roots, log).up).toEqual({ path: one });
  });

  it.each(["/etc", "/nowhere", "../.."])("are the roots again for %s", (path) => {
    const { roots } = world();
    expect(listFolders(path, 0, roots, log).here).toBeNull();
    expect(listFolders(join(roots[0] ?? "", "escape"), 0, roots, log).here).toBeNull();
  });

  it("come in pages, the last one for a number that is too high", () => {
    const { two, roots } = world();
    for (let at = 10; at < 30; at += 1) mkdirSync(join(two, `folder-${at}`));
    const first = listFolders(two, 0, roots, log);
    expect([first.page, first.pages, first.folders.length]).toEqual([0, 3, 8]);
    expect(listFolders(two, 9, roots, log).folders.map((one) => one.name)).toEqual([
      "folder-26",
      "folder-27",
      "folder-28",
      "folder-29",
    ]);
  });
});

describe("a new folder", () => {
  it("is made inside the roots, and taken as it is where it exists", () => {
    const { one, roots } = world();
    const made = { ok: true, path: join(one, "new one") };
    expect(makeFolder(one, " new one ", roots, log)).toEqual(made);
    expect(makeFolder(one, "new one", roots, log)).toEqual(made);
    expect(existsSync(made.path)).toBe(true);
  });

  it.each(["", ".", "..", ".git", "a/b", "../x", "a\u0000b", "x".repeat(65), "-rf", "dot."])(
    "is not made under the name %j",
    (name) => {
      const { one, roots } = world();
      expect(makeFolder(one, name, roots, log)).toEqual({ ok: false, reason: "bad-name" });
    },
  );

  it("is made nowhere else, nor is a link that leads out taken for one", () => {
    const { one, roots } = world();
    expect(makeFolder("/etc", "x", roots, log)).toMatchObject({
      ok: false,
      reason: "workspace-outside-roots",
    });
    expect(makeFolder(one, "escape", roots, log)).toMatchObject({
      ok: false,
      reason: "workspace-outside-roots",
    });
    expect(makeFolder(one, "file.txt", roots, log).ok).toBe(false);
  });
});

describe("the chooser", () => {
  const actions = (rows: ReturnType<typeof chooseWorkspace>["buttons"]) =>
    rows.map((row) => row.map((one) => readAction(one.action)));

  it("offers recent workspaces that may still be used before the roots", () => {
    const { one, two, roots } = world();
    const store = { recentWorkspaces: () => [join(one, "a"), "/etc", join(one, "gone")] };
    const { buttons } = chooseWorkspace({ store, roots, log, words: english }, null);
    expect(actions(buttons)).toEqual([
      [{ do: "bind", path: join(one, "a") }],
      [
        { do: "bind", path: one },
        { do: "browse", path: one, page: 0 },
      ],
      [
        { do: "bind", path: two },
        { do: "browse", path: two, page: 0 },
      ],
    ]);
  });

  it("offers inside a folder that folder, a new one, and the way back", () => {
    const { one, roots } = world();
    const store = { recentWorkspaces: () => [] };
    const { text, buttons } = chooseWorkspace({ store, roots, log, words: english }, one);
    expect(text).toContain(one);
    expect(actions(buttons)[0]).toEqual([
      { do: "bind", path: one },
      { do: "folder", path: one },
    ]);
    expect(actions(buttons).at(-1)).toEqual([{ do: "browse", path: "", page: 0 }]);
  });
});
