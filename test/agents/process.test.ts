import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import {
  findTree,
  hasProc,
  isAlive,
  killTree,
  listProcesses,
  readEnvironment,
  readProcess,
  withDescendants,
} from "../../src/agents/process.ts";
import type { ProcessInfo, Tree } from "../../src/agents/process.ts";
import { eventually, realClock } from "../contract/agent-driver.ts";

const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
});

const MARK = "HOLDFAST_PROCESS_TEST";

/** A parent with a child in a session of its own, as an agent has its tools; both wait. */
async function startFamily(): Promise<{ child: ChildProcess; pid: number; mark: string }> {
  const mark = randomUUID();
  const source = `
    const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { detached: true, stdio: "ignore" });
    setTimeout(() => {}, 60000);`;
  const child = spawn(process.execPath, ["-e", source], {
    detached: true,
    stdio: "ignore",
    env: { [MARK]: mark },
  });
  started.push(child);
  await eventually(() => marked(mark).length === 2, "parent and child run");
  return { child, pid: child.pid ?? 0, mark };
}

const carries = (pid: number, mark: string): boolean => readEnvironment(pid)?.get(MARK) === mark;
const marked = (mark: string): readonly ProcessInfo[] =>
  listProcesses().filter((info) => carries(info.pid, mark));

function treeOf(pid: number, mark: string): Tree {
  return {
    root: { pid, startedAt: readProcess(pid)?.startedAt ?? "gone" },
    group: true,
    owns: (info) => carries(info.pid, mark),
  };
}

const neverStuck = (): void => expect.unreachable("SIGKILL works at once");

describe.runIf(hasProc())("processes", () => {
  it("tells a process by its pid and start time, and a reused pid apart", () => {
    const own = readProcess(process.pid);
    expect(own).toMatchObject({ pid: process.pid, ppid: process.ppid });
    expect(isAlive({ pid: process.pid, startedAt: own?.startedAt ?? "" })).toBe(true);
    expect(isAlive({ pid: process.pid, startedAt: "1" })).toBe(false);
    expect(readProcess(2 ** 22 + 1)).toBeNull();
  });

  it("reads the environment a process was started with", async () => {
    const { pid, mark } = await startFamily();
    expect(readEnvironment(pid)).toEqual(new Map([[MARK, mark]]));
    expect(readEnvironment(2 ** 22 + 1)).toBeNull();
  });

  it("finds descendants whatever the order they are listed in", () => {
    const info = (pid: number, ppid: number): ProcessInfo => ({
      pid,
      ppid,
      pgid: pid,
      startedAt: "1",
    });
    const all = [info(9, 5), info(5, 3), info(3, 1), info(4, 1)];
    expect(withDescendants(new Set([3]), all).map(({ pid }) => pid)).toEqual([9, 5, 3]);
  });

  it("kills a process with the child that left its group", async () => {
    const { pid, mark } = await startFamily();
    await killTree({ ...treeOf(pid, mark), owns: () => false }, realClock, neverStuck);
    expect(marked(mark)).toEqual([]);
  });

  it("kills what carries the mark when the parent has died before", async () => {
    const { child, pid, mark } = await startFamily();
    const tree = treeOf(pid, mark);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(marked(mark)).toHaveLength(1);
    await killTree(tree, realClock, neverStuck);
    expect(marked(mark)).toEqual([]);
  });

  it("leaves a process alone that has got the pid of a recorded one", async () => {
    const { pid, mark } = await startFamily();
    const stale: Tree = { root: { pid, startedAt: "1" }, group: true, owns: () => false };
    expect(findTree(stale, new Map([[pid, "1"]]))).toEqual([]);
    await killTree(stale, realClock, neverStuck);
    expect(marked(mark)).toHaveLength(2);
    await killTree(treeOf(pid, mark), realClock, neverStuck);
  });
});
