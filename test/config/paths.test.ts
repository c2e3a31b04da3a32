import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Environment } from "../../src/config.ts";
import { useConfigFolder } from "../support/config-folder.ts";

const folder = useConfigFolder();
const { bot, loaded, problem } = folder;

describe("the workspace", () => {
  const withWorkspace = (path: string, extra: Environment = {}) =>
    problem({ env: { ...bot(), HOLDFAST_WORKSPACE: path, ...extra } });

  it("must exist", () => {
    expect(withWorkspace("gone")).toMatch(/gone does not exist. Create it/);
  });

  it("must not be a file", () => {
    writeFileSync(join(folder.home, "file"), "");
    expect(withWorkspace("file")).toMatch(/file is a file, not a directory/);
    expect(withWorkspace("file/below")).toMatch(/has a file in the middle/);
  });

  it.each(["000", "400", "100"])("must be readable (mode %s)", (mode) => {
    chmodSync(folder.home, 0o755);
    chmodSync(folder.workspace, Number.parseInt(mode, 8));
    const restore = asUnprivileged();
    try {
      expect(withWorkspace(folder.workspace)).toMatch(
        /site cannot be read by the user.*permissions/,
      );
    } finally {
      restore();
      chmodSync(folder.workspace, 0o755);
    }
  });

  it("must not be a symlink that leads back to itself", () => {
    symlinkSync(join(folder.home, "loop"), join(folder.home, "loop"));
    expect(withWorkspace("loop")).toMatch(/leads back to itself/);
  });

  it("is resolved, symlinks and ~ included", () => {
    symlinkSync(folder.workspace, join(folder.home, "link"));
    const config = loaded({ env: { ...bot(), HOLDFAST_WORKSPACE: "~/link" } });
    expect([config.workspace, config.roots]).toEqual([
      folder.workspace,
      [join(folder.home, "projects")],
    ]);
  });

  it("must be inside the roots", () => {
    mkdirSync(join(folder.home, "projects-else"));
    const roots = { HOLDFAST_WORKSPACE_ROOTS: join(folder.home, "projects") };
    expect(withWorkspace("projects-else", roots)).toMatch(
      /outside the workspace roots.*Add a root/,
    );
  });

  it("must be inside the roots after its symlinks are resolved", () => {
    mkdirSync(join(folder.home, "outside"));
    symlinkSync(join(folder.home, "outside"), join(folder.home, "projects", "link"));
    const roots = { HOLDFAST_WORKSPACE_ROOTS: join(folder.home, "projects") };
    expect(withWorkspace("projects/link", roots)).toMatch(/outside is outside the workspace roots/);
  });

  it("may be a root itself", () => {
    const env = { ...bot(), HOLDFAST_WORKSPACE_ROOTS: folder.workspace };
    expect(loaded({ env }).roots).toEqual([folder.workspace]);
  });

  it("has roots that must exist too", () => {
    const env = { ...bot(), HOLDFAST_WORKSPACE_ROOTS: ["gone", folder.workspace].join(delimiter) };
    expect(problem({ env })).toMatch(/^HOLDFAST_WORKSPACE_ROOTS .*gone does not exist/);
  });
});

describe("the state directory", () => {
  it("must not be, or be below, a file", () => {
    writeFileSync(join(folder.home, "file"), "");
    for (const path of ["file", "file/below/it"]) {
      const found = problem({ env: { HOLDFAST_STATE_DIR: path } });
      expect(found).toMatch(/^HOLDFAST_STATE_DIR .*file is a file, not a directory/);
    }
  });

  it("need not exist yet", () => {
    expect(loaded({ env: { HOLDFAST_STATE_DIR: "a/b/c" } }).stateDir).toBe(
      join(folder.home, "a/b/c"),
    );
  });
});

/** Permissions do not bind root: until the answer is called, the file system sees a user they bind. */
function asUnprivileged(): () => void {
  if (process.geteuid?.() !== 0) return () => undefined;
  process.seteuid?.(65_534);
  return () => process.seteuid?.(0);
}
