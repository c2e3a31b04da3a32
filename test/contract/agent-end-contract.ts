import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { PromptTrace } from "../../machines/vocabulary.ts";
import type { Agent } from "../../src/ports.ts";
import type { AgentUnderTest } from "./agent-contract.ts";
import { eventually, GONE, markedPids, typesOf } from "./agent-driver.ts";
import type { Driven } from "./agent-driver.ts";

/** What holdfast relies on when an agent dies or is ended. */
export function endContract(under: AgentUnderTest): void {
  const { answer, start } = under;

  it("leaves a transcript that tells a finished turn from one cut short by a kill", async () => {
    const agentSessionId = randomUUID();
    await using one = start({ mode: "fresh", agentSessionId });
    const { pid } = await one.next("agent.spawned");
    await one.next("agent.ready");
    const finished = randomUUID();
    one.process.prompt({ uuid: finished, text: answer("all done") });
    await one.next("turn.ended");
    const cut = randomUUID();
    one.process.prompt({ uuid: cut, text: under.harness.prompt({ do: "longTool" }) });
    await one.next("turn.toolStarted");
    await eventually(() => markedPids(one.stateDir).length > 1, "a tool runs");
    const transcript = under.harness.agent.transcriptPath(agentSessionId, under.harness.workspace);
    await traced(under.harness.agent, transcript, cut, { found: "unfinished", toolsRan: true });
    process.kill(pid, "SIGKILL");
    const exited = await one.next("agent.exited");
    expect(exited).toMatchObject({ code: null, signal: "SIGKILL" });
    expect(exited.at).toBeGreaterThan(Date.now() - 60_000);
    // The last event means that the tool is gone as well.
    expect(markedPids(one.stateDir)).toEqual([]);
    expect(one.events.at(-1)).toBe(exited);
    const trace = (uuid: string) => under.harness.agent.tracePrompt(transcript, uuid);
    await expect(trace(finished)).resolves.toMatchObject({
      found: "finished",
      text: "all done",
    });
    await expect(trace(cut)).resolves.toEqual({ found: "unfinished", toolsRan: true });
    await expect(trace(randomUUID())).resolves.toEqual({ found: "absent" });
  });

  it("leaves a trace of a prompt that was killed before any answer", async () => {
    const agentSessionId = randomUUID();
    await using one = start({ mode: "fresh", agentSessionId });
    const { pid } = await one.next("agent.spawned");
    await one.next("agent.ready");
    const uuid = randomUUID();
    one.process.prompt({ uuid, text: under.harness.prompt({ do: "silence" }) });
    const { transcript } = await one.next("agent.bound");
    await traced(under.harness.agent, transcript, uuid, { found: "unfinished", toolsRan: false });
    process.kill(pid, "SIGKILL");
    await one.next("agent.exited");
    await expect(under.harness.agent.tracePrompt(transcript, uuid)).resolves.toEqual({
      found: "unfinished",
      toolsRan: false,
    });
  });

  it.each(["graceful", "now"] as const)(
    "ends with its tools in the middle of a turn (%s)",
    async (how) => {
      await using one = start();
      await one.next("agent.ready");
      one.process.prompt({ uuid: randomUUID(), text: under.harness.prompt({ do: "longTool" }) });
      await one.next("turn.toolStarted");
      await eventually(() => markedPids(one.stateDir).length > 1, "a tool runs");
      expect(await one.end(how)).toMatchObject({ type: "agent.exited" });
      expect(markedPids(one.stateDir)).toEqual([]);
      await one.process.end("now");
      expect(typesOf(one).filter((type) => type === "agent.exited")).toHaveLength(1);
    },
  );

  const ways: readonly (readonly [string, string, () => Promise<Driven>])[] = [
    [
      "that is idle",
      "agent.exited",
      async () => {
        const one = start();
        await one.next("agent.ready");
        return one;
      },
    ],
    [
      "that was killed",
      "agent.exited",
      async () => {
        const one = start();
        const { pid } = await one.next("agent.spawned");
        await one.next("agent.ready");
        process.kill(pid, "SIGKILL");
        await one.next("agent.exited");
        return one;
      },
    ],
    [
      "that refused its session",
      "agent.refused",
      async () => {
        const agentSessionId = randomUUID();
        const transcript = under.harness.agent.transcriptPath(
          agentSessionId,
          under.harness.workspace,
        );
        const one = start({ mode: "resume", agentSessionId, transcript });
        await one.next("agent.refused");
        return one;
      },
    ],
    [
      "that could not start",
      "agent.unavailable",
      async () => {
        const one = start(undefined, under.harness.broken);
        await one.next("agent.unavailable");
        return one;
      },
    ],
  ];

  it.each(ways)(
    "can be ended again and again, with one last event: one %s",
    async (_, type, make) => {
      await using one = await make();
      await Promise.all([one.end(), one.end("now"), one.end()]);
      await one.end();
      await one.end("now");
      // A second last event would come with the program's own end, a moment later.
      await sleep(200);
      expect(typesOf(one).filter((each) => GONE.includes(each))).toEqual([type]);
      expect(typesOf(one).at(-1)).toBe(type);
    },
  );
}

/** Rows are written a moment after they are told: a kill may come before them. */
async function traced(
  agent: Agent,
  transcript: string,
  uuid: string,
  expected: PromptTrace,
): Promise<void> {
  await vi.waitFor(
    async () => expect(await agent.tracePrompt(transcript, uuid)).toEqual(expected),
    { timeout: 30_000, interval: 25 },
  );
}
