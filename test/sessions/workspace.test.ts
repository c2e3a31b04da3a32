import { spawnSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { checkWorkspace, findWorkspace, normalizeWorkspace } from "../../src/sessions/workspace.ts";
import { memoryLog } from "../support/memory-log.ts";

let base = "";
let root = "";
let project = "";

/** `<base>/root/project`, `<base>/outside`, and links between them. */
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-workspace-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  root = join(base, "root");
  project = join(root, "project");
  mkdirSync(join(project, "deep"), { recursive: true });
  mkdirSync(join(base, "outside"));
});

const silent = memoryLog().log;

function normalize(path: string) {
  const { log, records } = memoryLog();
  return { normalized: normalizeWorkspace(path, log), records };
}

describe("a workspace's path", () => {
  it.each([
    ["a trailing slash", (path: string) => `${path}/`],
    ["a double slash", (path: string) => path.replace("/root/", "//root//")],
    ["a dot", (path: string) => `${path}/.`],
    ["two dots", (path: string) => `${path}/deep/../../project`],
    ["all of them", (path: string) => `${path}//deep/./..///`],
  ])("is the same with %s, which the debug log says", (_, write) => {
    const { normalized, records } = normalize(write(project));
    expect(normalized).toBe(project);
    expect(records).toEqual([
      {
        level: "debug",
        message: "workspace.normalized",
        fields: { original: write(project), normalized: project },
      },
    ]);
  });

  it("is its target where it is a symlink", () => {
    const link = join(root, "link");
    symlinkSync(project, link);
    expect(normalize(link).normalized).toBe(project);
  });

  it("is its target's where a parent is a symlink", () => {
    symlinkSync(root, join(base, "parent"));
    expect(normalize(join(base, "parent", "project", "deep")).normalized).toBe(
      join(project, "deep"),
    );
  });

  it("is only cleaned where it does not exist", () => {
    symlinkSync(root, join(base, "parent"));
    const gone = join(base, "parent", "gone");
    expect(normalize(`${gone}/./`).normalized).toBe(gone);
  });

  it("is logged only when normalizing has changed it", () => {
    expect(normalize(project)).toEqual({ normalized: project, records: [] });
    expect(normalize(join(project, "gone")).records).toEqual([]);
  });

  it("normalized twice is normalized once", () => {
    symlinkSync(root, join(base, "parent"));
    const pieces = fc.constantFrom("root", "project", "deep", "parent", "gone", ".", "..", "", "/");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (path) => {
        const once = normalizeWorkspace(`${base}/${path.join("/")}`, silent);
        expect(normalize(once)).toEqual({ normalized: once, records: [] });
      }),
      { numRuns: 200 },
    );
  });
});

describe("an agent may work", () => {
  const check = (path: string, roots = [root]) => checkWorkspace(path, roots, silent);

  it("in a directory inside a root, and in the root itself", () => {
    expect(check(`${project}/`)).toEqual({ ok: true, path: project });
    expect(check(root)).toEqual({ ok: true, path: root });
    expect(check(project, [join(base, "outside"), root])).toEqual({ ok: true, path: project });
    expect(check(project, ["/"])).toEqual({ ok: true, path: project });
  });

  it("in a directory whose name only looks like a way out", () => {
    mkdirSync(join(root, "..project"));
    expect(check(join(root, "..project")).ok).toBe(true);
  });

  it("through a symlink that stays inside the roots", () => {
    symlinkSync(project, join(root, "link"));
    expect(check(join(root, "link"))).toEqual({ ok: true, path: project });
  });

  it("not through a symlink that leaves the roots, at any depth", () => {
    symlinkSync(join(base, "outside"), join(root, "link"));
    mkdirSync(join(base, "outside", "deep"));
    for (const path of [join(root, "link"), join(root, "link", "deep")]) {
      expect(check(path)).toMatchObject({ ok: false, reason: "workspace-outside-roots" });
    }
  });

  it.each(["../outside", "project/../../outside", "../../etc", "..", "../root-not"])(
    "not in %s",
    (way) => {
      mkdirSync(join(base, "root-not"));
      expect(check(`${root}/${way}`)).toMatchObject({ reason: "workspace-outside-roots" });
    },
  );

  it("not outside the roots, whether anything is there or not", () => {
    expect(check("/etc")).toMatchObject({ reason: "workspace-outside-roots" });
    expect(check("/no/such/place")).toMatchObject({ reason: "workspace-outside-roots" });
  });

  it("nowhere without a root", () => {
    expect(check(project, [])).toMatchObject({ ok: false, reason: "workspace-outside-roots" });
  });

  it("not in a file", () => {
    writeFileSync(join(root, "file"), "");
    expect(check(join(root, "file"))).toMatchObject({ reason: "workspace-not-a-directory" });
  });

  it("not where nothing is", () => {
    const found = check(join(root, "gone"));
    expect(found).toMatchObject({ ok: false, reason: "workspace-missing" });
    expect(found).toMatchObject({ detail: expect.stringMatching(/gone does not exist/) });
  });

  it("not in a symlink to nothing", () => {
    symlinkSync(join(root, "nothing"), join(root, "dangling"));
    expect(check(join(root, "dangling"))).toMatchObject({ reason: "workspace-missing" });
  });

  it("not below a file, and not in a loop of symlinks", () => {
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "loop"), join(root, "loop"));
    for (const path of [join(root, "file", "deep"), join(root, "loop"), join(root, "loop", "x")]) {
      expect(check(path)).toMatchObject({ ok: false, reason: "workspace-missing" });
    }
  });

  it("not in a directory that the service's user may not read", () => {
    const closed = join(root, "closed");
    mkdirSync(closed, { mode: 0o000 });
    onTestFinished(() => chmodSync(closed, 0o700));
    expect(checkAsNobody(closed)).toMatchObject({ ok: false, reason: "workspace-unreadable" });
  });
});

/** Root may read everything: then another process asks, as a user that may not. */
function checkAsNobody(path: string): unknown {
  if (process.getuid?.() !== 0) return checkWorkspace(path, [root], silent);
  chmodSync(base, 0o755);
  const module = pathToFileURL(join(import.meta.dirname, "../../src/sessions/workspace.ts")).href;
  const script = `
    process.setgid(65534);
    process.setuid(65534);
    const log = { debug() {} };
    console.log(JSON.stringify(checkWorkspace(${JSON.stringify(path)}, [${JSON.stringify(root)}], log)));`;
  const child = spawnSync(
    process.execPath,
    [
      "--import",
      "tsx",
      "--input-type=module",
      "-e",
      `import { checkWorkspace } from ${JSON.stringify(module)};${script}`,
    ],
    { encoding: "utf8", timeout: 50_000 },
  );
  if (child.status !== 0) throw new Error(child.stderr);
  return JSON.parse(child.stdout);
}

describe("a workspace that the user names", () => {
  const find = (named: string, roots = [root]) => findWorkspace(named, roots, silent);

  it("is found by its name under a root, or by its absolute path", () => {
    expect(find("project")).toEqual({ ok: true, path: project });
    expect(find("project/deep")).toEqual({ ok: true, path: join(project, "deep") });
    expect(find(project)).toEqual({ ok: true, path: project });
    expect(find(".")).toEqual({ ok: true, path: root });
  });

  it("is logged as it was named where its path is another", () => {
    const { log, records } = memoryLog();
    symlinkSync(project, join(root, "link"));
    expect(findWorkspace("link/", [root], log)).toEqual({ ok: true, path: project });
    expect(findWorkspace("project", [root], log)).toEqual({ ok: true, path: project });
    expect(records).toMatchObject([
      { level: "debug", fields: { original: `${root}/link/`, normalized: project } },
    ]);
  });

  it("is the first of its name that can be used, in the order of the roots", () => {
    const outside = join(base, "outside");
    writeFileSync(join(outside, "project"), "a file");
    expect(find("project", [outside, root])).toEqual({ ok: true, path: project });
    mkdirSync(join(outside, "deep"));
    mkdirSync(join(root, "deep"));
    expect(find("deep", [outside, root])).toEqual({ ok: true, path: join(outside, "deep") });
  });

  it("may be in another root, reached by two dots", () => {
    const roots = [root, join(base, "outside")];
    expect(find("../outside", roots)).toEqual({ ok: true, path: join(base, "outside") });
  });

  it.each(["../../etc", "../outside", "..", "/etc", "/"])(
    "is refused outside the roots: %s",
    (named) => expect(find(named)).toMatchObject({ ok: false, reason: "workspace-outside-roots" }),
  );

  it("is refused as a symlink that leaves the roots", () => {
    symlinkSync("/etc", join(root, "link"));
    expect(find("link")).toMatchObject({ ok: false, reason: "workspace-outside-roots" });
  });

  it("is refused with the reason that helps most", () => {
    writeFileSync(join(root, "file"), "");
    expect(find("file")).toMatchObject({ reason: "workspace-not-a-directory" });
    expect(find("gone")).toMatchObject({ reason: "workspace-missing" });
    expect(find("project", [])).toMatchObject({ reason: "no-workspace" });
  });
});
