import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import { readWorkspaceFile } from "../../src/agent-commands/workspace-file.ts";
import { tempDir } from "../store/store-files.ts";

/** Puts a link that leads out in the place of a folder and takes it back, as fast as it can. */
const SWAPPER = `
  const { renameSync } = require("node:fs");
  const { workerData: [folder, kept, link, over], parentPort } = require("node:worker_threads");
  parentPort.postMessage("begins");
  const rest = () => {
    for (const until = performance.now() + 0.04; performance.now() < until; );
  };
  while (Atomics.load(over, 0) === 0) {
    rest();
    renameSync(folder, kept);
    renameSync(link, folder);
    rest();
    renameSync(folder, link);
    renameSync(kept, folder);
  }
`;

/** The longer the way below the folder, the longer is the moment in which it can be swapped. */
const DEEP = "d/".repeat(10);

function createFiles() {
  const [workspace, outside] = [tempDir(), tempDir()];
  const folder = join(workspace, "folder");
  const link = join(workspace, "link");
  for (const [top, content] of [
    [folder, "inside"],
    [outside, "secret"],
  ] as const) {
    mkdirSync(join(top, DEEP), { recursive: true });
    writeFileSync(join(top, DEEP, "a.txt"), content);
  }
  symlinkSync(outside, link);
  return {
    workspace,
    folder,
    link,
    kept: join(workspace, "kept"),
    file: join(folder, DEEP, "a.txt"),
  };
}

describe("a file whose folder becomes a link while it is read", () => {
  it.each([
    ["by the path of what is open", {}],
    ["by its number where no path is told", { pathOf: () => null }],
  ])("gives nothing from outside, as judged %s", async (_, judge) => {
    const { workspace, folder, link, kept, file } = createFiles();
    const over = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(SWAPPER, { eval: true, workerData: [folder, kept, link, over] });
    const ended = new Promise((resolve) => worker.once("exit", resolve));
    await new Promise((resolve) => worker.once("message", resolve));
    const seen = new Set<string>();
    const deadline = Date.now() + 10_000;
    const isTried = () => seen.has("inside") && seen.has("it is not in the workspace");
    for (let tries = 0; tries < 10_000 || (!isTried() && Date.now() < deadline); tries += 1) {
      const found = readWorkspaceFile(workspace, file, { maxBytes: 99, ...judge });
      seen.add(String(found));
    }
    Atomics.store(over, 0, 1);
    expect(await ended).toBe(0);
    expect(isTried()).toBe(true);
    expect(seen).not.toContain("secret");
  });
});
