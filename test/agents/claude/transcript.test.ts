import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  inspectTranscript,
  projectFolder,
  transcriptBytes,
  transcriptPath,
} from "../../../src/agents/claude/transcript.ts";

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-transcript-")));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("where a transcript is", () => {
  it("names a directory by its letters and digits", () => {
    expect(projectFolder("/home/ünï.x/My_Work 2")).toBe("-home--n--x-My-Work-2");
    expect(projectFolder("/a/🏠")).toBe("-a---");
  });

  it("ends a name over 200 characters with a hash of the path", () => {
    const path = `/${"deep/".repeat(50)}end`;
    const name = projectFolder(path);
    expect(name.slice(0, 200)).toBe(path.replaceAll("/", "-").slice(0, 200));
    expect(name).toMatch(/^.{200}-[0-9a-z]+$/);
    expect(projectFolder(`${path}!`)).not.toBe(projectFolder(`${path}?`));
    expect(projectFolder(`/${"a".repeat(199)}`)).toHaveLength(200);
  });

  it("is the same by a symlink and by a trailing slash", async () => {
    await mkdir(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "link"));
    const direct = transcriptPath("/config", "id", join(folder, "real"));
    expect(transcriptPath("/config", "id", join(folder, "link"))).toBe(direct);
    expect(transcriptPath("/config", "id", `${join(folder, "real")}/`)).toBe(direct);
    expect(direct).toBe(`/config/projects/${projectFolder(join(folder, "real"))}/id.jsonl`);
  });

  it("is told for a directory that is not there yet", () => {
    expect(transcriptPath("/config", "id", "/nowhere/./x")).toBe(
      "/config/projects/-nowhere-x/id.jsonl",
    );
  });
});

describe("whether a transcript is there", () => {
  it("tells a present one with its size, and a missing one", async () => {
    const place = join(folder, "projects", "-w");
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "a.jsonl"), "12345");
    await expect(inspectTranscript(join(place, "a.jsonl"))).resolves.toEqual({
      state: "present",
      bytes: 5,
    });
    const missing = { state: "missing", bytes: null };
    await expect(inspectTranscript(join(place, "b.jsonl"))).resolves.toEqual(missing);
    await expect(inspectTranscript(join(folder, "projects", "-other", "b.jsonl"))).resolves.toEqual(
      missing,
    );
    await mkdir(join(place, "c.jsonl"));
    await expect(inspectTranscript(join(place, "c.jsonl"))).resolves.toEqual(missing);
  });

  it("knows nothing where the folder of all projects is not there", async () => {
    await expect(inspectTranscript(join(folder, "projects", "-w", "a.jsonl"))).resolves.toEqual({
      state: "unreadable",
      bytes: null,
    });
  });

  it.skipIf(process.getuid?.() === 0)("knows nothing of a file it may not read", async () => {
    const place = join(folder, "projects", "-w");
    await mkdir(place, { recursive: true });
    await writeFile(join(place, "a.jsonl"), "12345");
    await chmod(join(place, "a.jsonl"), 0o000);
    await expect(inspectTranscript(join(place, "a.jsonl"))).resolves.toEqual({
      state: "unreadable",
      bytes: null,
    });
  });

  it("sums up its size and that of its subagents' transcripts", async () => {
    const file = join(folder, "a.jsonl");
    await writeFile(file, "12345");
    await expect(transcriptBytes(file)).resolves.toBe(5);
    await mkdir(join(folder, "a", "subagents"), { recursive: true });
    await writeFile(join(folder, "a", "subagents", "agent-1.jsonl"), "123");
    await expect(transcriptBytes(file)).resolves.toBe(8);
    await expect(transcriptBytes(join(folder, "none.jsonl"))).resolves.toBe(0);
  });
});
