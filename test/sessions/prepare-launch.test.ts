import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SimulatedClock } from "xstate";
import { describe, expect, it, onTestFinished } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import type { SessionFacts } from "../../machines/facts.ts";
import type { PromptTrace } from "../../machines/vocabulary.ts";
import type { Agent, RunningAgent } from "../../src/ports.ts";
import { prepareLaunch } from "../../src/sessions/prepare-launch.ts";
import { factsOf, intended, ONE_TURN, RETURNING } from "../support/facts.ts";
import { memoryLog } from "../support/memory-log.ts";

const KEY = "local/c/-";
const LEFTOVER_BUSY_MS = 600_000;

/** The service died while its agent, with the pid 22, worked on the message 2. */
const CRASHED = factsOf(
  ...RETURNING,
  intended(2, "s1"),
  { type: "launch.started", epoch: 2, pid: 22, startedAt: "t" },
  { type: "message.given", id: 2, epoch: 2, transcript: "/t/s1.jsonl" },
);

/** A machine on which agents run although no actor knows them. */
function createWorld() {
  const stateDir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-prepare-")));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  const workspace = join(stateDir, "w");
  mkdirSync(workspace);
  const clock = new SimulatedClock();
  const { log } = memoryLog();
  const world = {
    running: [] as readonly RunningAgent[],
    trace: { found: "unfinished", toolsRan: false } as PromptTrace,
    /** Uuids of prompts that the transcript does not hold. */
    lost: [] as readonly string[],
    foreign: null as { readonly pid: number } | null,
    /** What was done, in order: pids that were ended, `own` for a process of this service. */
    ended: [] as (number | "own")[],
    looksAt: (_what: "processes" | "transcript"): void => {},
  };
  const agent: Agent = {
    kind: "scripted",
    check: async () => ({ usable: true, version: "1", offers: null }),
    launch: () => {
      throw new Error("A probe launches nothing");
    },
    transcriptPath: (id, cwd) => join(cwd, `${id}.jsonl`),
    inspectTranscript: async () => ({ state: "present", bytes: 1 }),
    lacksPrompt: async (_transcript, uuids) => uuids.some((uuid) => world.lost.includes(uuid)),
    tracePrompt: async () => {
      world.looksAt("transcript");
      return world.trace;
    },
    findRunning: async () => {
      world.looksAt("processes");
      return world.running;
    },
    endRunning: async ({ pid }) => {
      world.ended.push(pid);
      world.running = world.running.filter((one) => one.pid !== pid);
    },
    findForeign: async () => world.foreign,
  };
  const options = {
    agent,
    stateDir,
    defaultWorkspace: workspace,
    roots: [stateDir],
    limits: { leftoverBusyMs: LEFTOVER_BUSY_MS },
    clock: {
      now: () => clock.now(),
      setTimeout: (fn: () => void, ms: number) => clock.setTimeout(fn, ms),
      clearTimeout: (id: number) => clock.clearTimeout(id),
    },
    log,
    newId: () => "own-id",
    endOwn: async () => void world.ended.push("own"),
  };
  return {
    world,
    workspace,
    leftover: (pid: number, epoch = 2): RunningAgent => ({
      pid,
      startedAt: "t",
      marker: { stateDir, sessionKey: KEY, epoch },
    }),
    prepare: (facts: SessionFacts, signal = new AbortController().signal) =>
      prepareLaunch(options, KEY, facts, signal),
    /** Time passes, and what it set off is done. */
    async pass(ms: number) {
      await setImmediate();
      clock.increment(ms);
      await setImmediate();
    },
  };
}

describe("before a launch is decided", () => {
  it("everything is read that the decision needs, an id of our own among it", async () => {
    const { world, prepare, workspace } = createWorld();
    const before = foldFacts(CRASHED, [
      { type: "workspace.bound", path: workspace, agentKind: "scripted" },
    ]);
    expect(await prepare(before)).toEqual({
      workspace: { ok: true, path: workspace },
      fresh: { agentSessionId: "own-id", transcript: join(workspace, "own-id.jsonl") },
      bound: "present",
      boundIncomplete: false,
      last: "present",
      trace: { found: "unfinished", toolsRan: false },
      foreignPid: null,
    });
    expect(world.ended).toEqual(["own"]);
  });

  it("nothing is looked for that there never was", async () => {
    const { prepare, workspace } = createWorld();
    expect(await prepare(factsOf())).toMatchObject({
      workspace: { ok: true, path: workspace },
      bound: null,
      last: null,
      trace: null,
      foreignPid: null,
    });
  });

  it("a bound transcript without its first or its last answered prompt is incomplete", async () => {
    const { world, prepare } = createWorld();
    const facts = factsOf(...ONE_TURN, { type: "turn.completed", epoch: 1, prompt: "last" });
    expect(await prepare(facts)).toMatchObject({ boundIncomplete: false });
    for (const lost of ["uuid-1", "last"]) {
      world.lost = [lost];
      expect(await prepare(facts)).toMatchObject({ boundIncomplete: true });
    }
    const anew = foldFacts(facts, [{ type: "fresh.intended", epoch: 2, reason: "new" }]);
    expect(await prepare(anew)).toMatchObject({ boundIncomplete: false });
  });

  it("somebody else's process on the bound session is found", async () => {
    const { world, prepare } = createWorld();
    world.foreign = { pid: 77 };
    expect(await prepare(factsOf(...ONE_TURN))).toMatchObject({ foreignPid: 77 });
    expect(world.ended).toEqual(["own"]);
  });
});

describe("an agent that outlived the service", () => {
  it("may finish the message that it works on, and is then ended", async () => {
    const { world, prepare, leftover, pass } = createWorld();
    world.running = [leftover(22)];
    const probed = prepare(CRASHED);
    await pass(LEFTOVER_BUSY_MS - 1);
    expect(world.ended).toEqual(["own"]);
    world.trace = { found: "finished", text: "done", context: null };
    await pass(250);
    expect(await probed).toMatchObject({ trace: { found: "finished", text: "done" } });
    expect(world.ended).toEqual(["own", 22]);
  });

  it("is ended at the bound where it does not finish", async () => {
    const { world, prepare, leftover, pass } = createWorld();
    world.running = [leftover(22)];
    const probed = prepare(CRASHED);
    await pass(LEFTOVER_BUSY_MS);
    expect(await probed).toMatchObject({ trace: { found: "unfinished" } });
    expect(world.ended).toEqual(["own", 22]);
  });

  it("is ended at once where no message is in flight", async () => {
    const { world, prepare, leftover } = createWorld();
    world.running = [leftover(11, 1)];
    await prepare(factsOf(...ONE_TURN));
    expect(world.ended).toEqual(["own", 11]);
  });

  it("is ended at once where only its tools are left, which finish nothing", async () => {
    const { world, prepare, leftover } = createWorld();
    world.running = [leftover(23), leftover(24)];
    await prepare(CRASHED);
    expect(world.ended).toEqual(["own", 23, 24]);
  });
});

describe("a probe that nobody waits for any more", () => {
  it("ends nothing: the next process is not its own to judge", async () => {
    const { world, prepare, leftover, pass } = createWorld();
    const leaving = new AbortController();
    world.running = [leftover(22)];
    const first = prepare(CRASHED, leaving.signal);
    const refused = expect(first).rejects.toThrow("aborted");
    await setImmediate();
    // The user sends `/new`: the session probes anew, with the message cancelled.
    leaving.abort();
    const cleared = foldFacts(CRASHED, [
      { type: "message.cancelled", id: 2 },
      { type: "fresh.intended", epoch: 3, reason: "new" },
    ]);
    await prepare(cleared);
    expect(world.ended).toEqual(["own", "own", 22]);
    // The next launch runs when the first probe looks again.
    world.running = [leftover(33, 3)];
    await pass(250);
    await refused;
    expect(world.ended).toEqual(["own", "own", 22]);
  });

  it.each([
    ["for processes that there are", [22], "processes"],
    ["for processes that there are not", [], "processes"],
    ["into the transcript, where the message is finished", [22], "transcript"],
  ] as const)("goes no further where it is left while it looks %s", async (_, pids, at) => {
    const { world, prepare, leftover } = createWorld();
    const leaving = new AbortController();
    world.running = pids.map((pid) => leftover(pid));
    world.trace = { found: "finished", text: "done", context: null };
    world.looksAt = (what) => {
      if (what === at) leaving.abort();
    };
    await expect(prepare(CRASHED, leaving.signal)).rejects.toThrow("aborted");
    expect(world.ended).toEqual(["own"]);
  });
});
