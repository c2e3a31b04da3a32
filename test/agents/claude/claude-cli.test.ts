import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { DEFAULT_LIMITS } from "../../../machines/limits.ts";
import { listProcesses, readEnvironment } from "../../../src/agents/process.ts";
import type { Agent, LaunchPlan } from "../../../src/ports.ts";
import { drive, markedPids, typesOf } from "../../contract/agent-driver.ts";
import { createClaudeWorld, LONG_COMMAND } from "./claude-world.ts";
import type { ClaudeWorld } from "./claude-world.ts";

/** What the contract does not ask of every agent, on the real CLI. */
describe("the real CLI", () => {
  let world: ClaudeWorld;
  beforeAll(async () => {
    world = await createClaudeWorld();
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
  });

  const script = (...steps: object[]): string => `Please. [[fake: ${JSON.stringify(steps)}]]`;

  function start(agent: Agent, plan?: LaunchPlan) {
    const stateDir = join(world.folder, `state-${randomUUID()}`);
    const options = { agent, stateDir, cwd: world.workspace };
    return { ...drive(plan === undefined ? options : { ...options, plan }), stateDir };
  }

  it("is checked without a transcript, a session file or a process left behind", async () => {
    const sessions = join(world.configDir, "sessions");
    const before = await readdir(sessions).catch(() => []);
    const check = await world.agent().check();
    expect(check).toEqual({
      usable: true,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
      offers: {
        models: expect.arrayContaining([{ value: "opus", label: "Opus" }]) as unknown,
        modes: ["default", "acceptEdits", "plan", "dontAsk", "auto"],
        efforts: ["low", "medium", "high", "xhigh", "max"],
      },
    });
    expect(await readdir(sessions).catch(() => [])).toHaveLength(before.length);
    const home = join(world.folder, "home");
    const left = listProcesses().filter(({ pid }) => readEnvironment(pid)?.get("HOME") === home);
    expect(left).toEqual([]);
    const folders = await readdir(join(world.configDir, "projects")).catch(() => []);
    expect(folders.filter((name) => name.endsWith("-tmp"))).toEqual([]);
  });

  it("is not usable while nobody is logged in, by check and by launch", async () => {
    const agent = world.agent({ env: { ...world.env, ANTHROPIC_API_KEY: undefined } });
    const expected = {
      reason: "not-logged-in",
      detail: expect.stringContaining("/login") as string,
    };
    await expect(agent.check()).resolves.toEqual({ usable: false, ...expected });
    await using one = start(agent);
    expect(await one.next("agent.unavailable")).toMatchObject(expected);
    expect(typesOf(one)).not.toContain("agent.ready");
    expect(markedPids(one.stateDir)).toEqual([]);
  });

  it("takes a prompt of 2 MB", async () => {
    await using one = start(world.agent());
    await one.next("agent.ready");
    const ended = await one.ask(`${"x".repeat(2_000_000)} ${script({ text: "that was long" })}`);
    expect(ended).toMatchObject({ outcome: "completed", text: "that was long" });
  });

  it("takes an answer from the transcript when its lines are too long to be read", async () => {
    const limits = { ...DEFAULT_LIMITS, lineBytes: 100_000 };
    await using one = start(world.agent({ limits }));
    await one.next("agent.ready");
    const text = "long answer ".repeat(10_000).trim();
    world.api.queue({ text });
    const ended = await one.ask("Say much.");
    expect(ended).toMatchObject({ outcome: "completed", selfReportedPercent: null });
    expect(ended.text).toBe(text);
    expect(world.logged.map(({ message }) => message)).toContain("agent.lineSkipped");
    expect(await one.ask(script({ text: "short" }))).toMatchObject({ text: "short" });
  });

  it("ends a prompt as swallowed whose turn was killed in the middle of a tool", async () => {
    const agent = world.agent();
    const agentSessionId = randomUUID();
    const first = start(agent, { mode: "fresh", agentSessionId });
    const { pid } = await first.next("agent.spawned");
    await first.next("agent.ready");
    const prompt = {
      uuid: randomUUID(),
      text: script({ tools: [{ name: "Bash", input: { command: LONG_COMMAND } }] }),
    };
    first.process.prompt(prompt);
    // Either of the two may be told first: the transcript lags behind.
    await first.next("turn.toolStarted");
    const transcript = agent.transcriptPath(agentSessionId, world.workspace);
    // Rows are written a moment after they are told; killed before, the turn would run again.
    await vi.waitFor(
      async () =>
        expect(await agent.tracePrompt(transcript, prompt.uuid)).toMatchObject({ toolsRan: true }),
      { timeout: 30_000, interval: 25 },
    );
    process.kill(pid, "SIGKILL");
    await first.next("agent.exited");
    await using second = start(agent, { mode: "resume", agentSessionId, transcript });
    await second.next("agent.ready");
    second.process.prompt(prompt);
    expect(await second.next("turn.ended")).toMatchObject({
      uuids: [prompt.uuid],
      outcome: "swallowed",
    });
    expect(await second.ask(script({ text: "go on" }))).toMatchObject({ text: "go on" });
  });

  it("goes on under another session after a typed /clear, and binds that", async () => {
    await using one = start(world.agent());
    await one.next("agent.ready");
    await one.ask(script({ text: "before" }));
    one.process.prompt({ uuid: randomUUID(), text: "/clear" });
    const reset = await one.next("agent.reset");
    expect(await one.next("turn.ended")).toMatchObject({ outcome: "local" });
    await one.ask(script({ text: "after" }));
    const bound = one.events.filter((event) => event.type === "agent.bound");
    expect(bound.at(-1)).toMatchObject({
      agentSessionId: reset.agentSessionId,
      transcript: reset.transcript,
    });
    expect(existsSync(reset.transcript)).toBe(true);
  });

  it("tells of a background task, and of the turn it starts when it ends", async () => {
    await using one = start(world.agent());
    await one.next("agent.ready");
    const command = `node -e "setTimeout(() => {}, 700)"`;
    const tool = { name: "Bash", input: { command, run_in_background: true } };
    world.api.queue({ tools: [tool] }, { text: "started" }, { text: "it has ended" });
    expect(await one.ask("Start it.")).toMatchObject({ text: "started" });
    await one.next("turn.began");
    expect(await one.next("turn.ended")).toMatchObject({ uuids: [], text: "it has ended" });
    const counts = one.events.flatMap((event) =>
      event.type === "agent.background" ? [event.count] : [],
    );
    expect(counts).toEqual([1, 0]);
  });

  it("gives up an interrupted prompt that still waited behind another turn", async () => {
    await using one = start(world.agent());
    await one.next("agent.ready");
    const command = `node -e "setTimeout(() => {}, 200)"`;
    const tool = { name: "Bash", input: { command, run_in_background: true } };
    world.api.queue({ tools: [tool] }, { text: "started" }, { hang: "headers" });
    await one.ask("Start it.");
    await one.next("turn.began");
    const uuid = randomUUID();
    one.process.prompt({ uuid, text: script({ text: "never said" }) });
    await new Promise((resolve) => setTimeout(resolve, 300));
    one.process.interrupt();
    const ends = [await one.next("turn.ended"), await one.next("turn.ended")];
    expect(ends).toMatchObject([
      { uuids: [], outcome: "interrupted" },
      { uuids: [uuid], outcome: "interrupted" },
    ]);
  });
});
