/* oxlint-disable unicorn/no-thenable -- a behaviour is data and never awaited */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PromptTrace } from "../../machines/vocabulary.ts";
import { isAlive } from "../../src/agents/process.ts";
import type { Agent, LaunchPlan } from "../../src/ports.ts";
import { drive, eventually, markedPids, typesOf } from "./agent-driver.ts";
import type { Driven } from "./agent-driver.ts";

/** How the agent behaves for one prompt. */
export type AgentBehaviour =
  | { readonly do: "answer"; readonly text: string }
  /** Says something, runs a tool that prints `output`, then answers. */
  | { readonly do: "tool"; readonly saying: string; readonly output: string; readonly then: string }
  /** Runs a tool that takes a minute. */
  | { readonly do: "longTool" }
  /** Asks for a permission, then answers whatever the decision. */
  | { readonly do: "approval"; readonly then: string }
  /** Reports an error that holds this text. */
  | { readonly do: "error"; readonly text: string }
  | { readonly do: "tooLarge" }
  /** Takes the prompt and says nothing until it is interrupted. */
  | { readonly do: "silence" };

export interface AgentHarness {
  readonly agent: Agent;
  /** The same agent with a program that does not exist. */
  readonly broken: Agent;
  /** An empty directory to start agents in. */
  readonly workspace: string;
  /** The text of a prompt that makes the agent behave so. */
  prompt(behaviour: AgentBehaviour): string;
  /** All that the agent had before it when it answered last: earlier prompts and answers included. */
  seen(): Promise<string>;
  cleanup(): Promise<void>;
}

/** What holdfast relies on of every agent. */
export function agentContract(name: string, setup: () => Promise<AgentHarness>): void {
  describe(`agent contract: ${name}`, () => {
    let harness: AgentHarness;
    const stateDirs: string[] = [];

    beforeAll(async () => {
      harness = await setup();
    });
    afterAll(async () => {
      const left = stateDirs.flatMap(markedPids);
      await harness.cleanup();
      expect(left).toEqual([]);
    });

    /** A launch under a state directory of its own, so that its processes can be counted. */
    function start(
      plan?: LaunchPlan,
      agent = harness.agent,
    ): Driven & { readonly stateDir: string } {
      const stateDir = join(harness.workspace, "..", `state-${randomUUID()}`);
      stateDirs.push(stateDir);
      const options = { agent, stateDir, cwd: harness.workspace };
      return { ...drive(plan === undefined ? options : { ...options, plan }), stateDir };
    }

    const answer = (text: string): string => harness.prompt({ do: "answer", text });

    describe("starting", () => {
      it("is usable, and the check leaves no process behind", async () => {
        await expect(harness.agent.check()).resolves.toMatchObject({ usable: true });
      });

      it("proves that it is ready before any prompt", async () => {
        await using one = start();
        const spawned = await one.next("agent.spawned");
        expect(isAlive(spawned)).toBe(true);
        await one.next("agent.ready");
        expect(await one.end()).toMatchObject({ type: "agent.exited", code: 0, signal: null });
        expect(typesOf(one).filter((type) => type !== "agent.active")).toEqual([
          "agent.spawned",
          "agent.ready",
          "agent.exited",
        ]);
      });

      it("says that its program is missing, by launch and by check", async () => {
        await using one = start(undefined, harness.broken);
        const gone = await one.end();
        expect(gone).toMatchObject({ type: "agent.unavailable", reason: "binary-missing" });
        expect(typesOf(one)).toEqual(["agent.unavailable"]);
        const check = await harness.broken.check();
        expect(check).toMatchObject({ usable: false, reason: "binary-missing" });
      });

      it("says that its workspace is missing", async () => {
        const cwd = join(harness.workspace, "not-there");
        await using one = drive({ agent: harness.agent, stateDir: cwd, cwd });
        const gone = await one.end();
        expect(gone).toMatchObject({ type: "agent.unavailable", reason: "workspace-missing" });
      });

      it("refuses to resume a session that is not there", async () => {
        const agentSessionId = randomUUID();
        const transcript = harness.agent.transcriptPath(agentSessionId, harness.workspace);
        await expect(harness.agent.inspectTranscript(transcript)).resolves.toMatchObject({
          state: expect.stringMatching(/missing|unreadable/) as string,
        });
        await using one = start({ mode: "resume", agentSessionId, transcript });
        const refused = await one.next("agent.refused");
        expect(refused.detail).toContain(agentSessionId);
        await one.end();
        expect(typesOf(one)).not.toContain("agent.ready");
        expect(typesOf(one).at(-1)).toBe("agent.refused");
      });

      it("can be ended while it starts, once and again", async () => {
        await using one = start();
        const [first] = await Promise.all([one.end(), one.end("now"), one.end()]);
        expect(first).toMatchObject({ type: "agent.unavailable", reason: "start-failed" });
        expect(typesOf(one).filter((type) => type === "agent.unavailable")).toHaveLength(1);
        expect(markedPids(one.stateDir)).toEqual([]);
      });
    });

    describe("a conversation", () => {
      it("answers, and binds the session to the transcript it foretold", async () => {
        const agentSessionId = randomUUID();
        await using one = start({ mode: "fresh", agentSessionId });
        await one.next("agent.ready");
        const ended = await one.ask(answer("Hello back [ctx: ~7%]"));
        expect(ended).toMatchObject({
          outcome: "completed",
          text: "Hello back",
          selfReportedPercent: 7,
        });
        expect(ended.context?.used).toBeGreaterThan(0);
        expect(ended.context?.window).toBeGreaterThan(ended.context?.used ?? 0);
        const bound = one.events.filter((event) => event.type === "agent.bound");
        const transcript = harness.agent.transcriptPath(agentSessionId, harness.workspace);
        expect(bound).toMatchObject([{ agentSessionId, transcript }]);
        const types = typesOf(one);
        expect(types.indexOf("turn.accepted")).toBeGreaterThan(0);
        expect(types.indexOf("agent.bound")).toBeLessThan(types.indexOf("turn.ended"));
        const { state, bytes } = await harness.agent.inspectTranscript(transcript);
        expect(state).toBe("present");
        expect(bytes).toBeGreaterThan(0);
      });

      it("keeps its context over prompts, an end and a resume", async () => {
        const agentSessionId = randomUUID();
        const first = start({ mode: "fresh", agentSessionId });
        await first.next("agent.ready");
        await first.ask(answer("alpha-answer"));
        await first.ask(answer("beta-answer"));
        expect(await harness.seen()).toContain("alpha-answer");
        await first.end();
        const transcript = harness.agent.transcriptPath(agentSessionId, harness.workspace);
        await using second = start({ mode: "resume", agentSessionId, transcript });
        await second.next("agent.ready");
        const ended = await second.ask(answer("gamma-answer"));
        expect(ended).toMatchObject({ outcome: "completed", text: "gamma-answer" });
        const seen = await harness.seen();
        expect(seen).toContain("alpha-answer");
        expect(seen).toContain("beta-answer");
        const bound = second.events.filter((event) => event.type === "agent.bound");
        expect(bound).toMatchObject([{ agentSessionId, transcript }]);
      });

      it("tells of a tool and of the text before it", async () => {
        await using one = start();
        await one.next("agent.ready");
        const saying = "Let me look.";
        const ended = await one.ask(
          harness.prompt({ do: "tool", saying, output: "tool-output", then: "I have looked." }),
        );
        expect(ended).toMatchObject({ outcome: "completed", text: "I have looked." });
        const told = one.events.filter((event) =>
          ["turn.text", "turn.toolStarted", "turn.toolEnded"].includes(event.type),
        );
        expect(told).toMatchObject([
          { type: "turn.text", text: saying },
          { type: "turn.toolStarted", name: "Bash" },
          { type: "turn.toolEnded" },
        ]);
      });

      it("asks for a permission and goes on when it is denied", async () => {
        await using one = start();
        await one.next("agent.ready");
        const uuid = randomUUID();
        const text = harness.prompt({ do: "approval", then: "As you wish." });
        one.process.prompt({ uuid, text });
        const { requestId, tool } = await one.next("approval.requested");
        expect(tool).not.toBe("");
        one.process.decide("not-asked", true, "");
        one.process.decide(requestId, false, "not now");
        const ended = await one.next("turn.ended");
        expect(ended).toMatchObject({ uuids: [uuid], outcome: "completed", text: "As you wish." });
      });

      it("withdraws a permission that an interrupt makes pointless", async () => {
        await using one = start();
        await one.next("agent.ready");
        const text = harness.prompt({ do: "approval", then: "never said" });
        one.process.prompt({ uuid: randomUUID(), text });
        const { requestId } = await one.next("approval.requested");
        one.process.interrupt();
        expect(await one.next("approval.withdrawn")).toMatchObject({ requestId });
        expect(await one.next("turn.ended")).toMatchObject({ outcome: "interrupted" });
      });

      it("is silent until it is interrupted, and answers the next prompt", async () => {
        await using one = start();
        await one.next("agent.ready");
        const uuid = randomUUID();
        one.process.prompt({ uuid, text: harness.prompt({ do: "silence" }) });
        await one.next("turn.accepted");
        await new Promise((resolve) => setTimeout(resolve, 300));
        expect(typesOf(one)).not.toContain("turn.ended");
        one.process.interrupt();
        const ended = await one.next("turn.ended");
        expect(ended).toMatchObject({ uuids: [uuid], outcome: "interrupted" });
        expect(await one.ask(answer("back again"))).toMatchObject({ text: "back again" });
      });

      it("reports an error and lives on", async () => {
        await using one = start();
        await one.next("agent.ready");
        const ended = await one.ask(harness.prompt({ do: "error", text: "no such luck" }));
        expect(ended.outcome).toBe("failed");
        expect(ended.text).toContain("no such luck");
        expect(await one.ask(answer("still here"))).toMatchObject({ outcome: "completed" });
      });

      it("tells an overflowing context from other errors", async () => {
        await using one = start();
        await one.next("agent.ready");
        expect(await one.ask(harness.prompt({ do: "tooLarge" }))).toMatchObject({
          outcome: "too-large",
        });
      });
    });

    describe("death and end", () => {
      it("leaves a transcript that tells a finished turn from one cut short by a kill", async () => {
        const agentSessionId = randomUUID();
        await using one = start({ mode: "fresh", agentSessionId });
        const { pid } = await one.next("agent.spawned");
        await one.next("agent.ready");
        const finished = randomUUID();
        one.process.prompt({ uuid: finished, text: answer("all done") });
        await one.next("turn.ended");
        const cut = randomUUID();
        one.process.prompt({ uuid: cut, text: harness.prompt({ do: "longTool" }) });
        await one.next("turn.toolStarted");
        await eventually(() => markedPids(one.stateDir).length > 1, "a tool runs");
        const transcript = harness.agent.transcriptPath(agentSessionId, harness.workspace);
        await traced(harness.agent, transcript, cut, { found: "unfinished", toolsRan: true });
        process.kill(pid, "SIGKILL");
        const exited = await one.next("agent.exited");
        expect(exited).toMatchObject({ code: null, signal: "SIGKILL" });
        expect(exited.at).toBeGreaterThan(Date.now() - 60_000);
        // The last event means that the tool is gone as well.
        expect(markedPids(one.stateDir)).toEqual([]);
        expect(one.events.at(-1)).toBe(exited);
        const trace = (uuid: string) => harness.agent.tracePrompt(transcript, uuid);
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
        one.process.prompt({ uuid, text: harness.prompt({ do: "silence" }) });
        const { transcript } = await one.next("agent.bound");
        await traced(harness.agent, transcript, uuid, { found: "unfinished", toolsRan: false });
        process.kill(pid, "SIGKILL");
        await one.next("agent.exited");
        await expect(harness.agent.tracePrompt(transcript, uuid)).resolves.toEqual({
          found: "unfinished",
          toolsRan: false,
        });
      });

      it.each(["graceful", "now"] as const)(
        "ends with its tools in the middle of a turn (%s)",
        async (how) => {
          await using one = start();
          await one.next("agent.ready");
          one.process.prompt({ uuid: randomUUID(), text: harness.prompt({ do: "longTool" }) });
          await one.next("turn.toolStarted");
          await eventually(() => markedPids(one.stateDir).length > 1, "a tool runs");
          expect(await one.end(how)).toMatchObject({ type: "agent.exited" });
          expect(markedPids(one.stateDir)).toEqual([]);
          await one.process.end("now");
          expect(typesOf(one).filter((type) => type === "agent.exited")).toHaveLength(1);
        },
      );

      it("is found by its marker and can be ended by it", async () => {
        await using one = start();
        const { pid, startedAt } = await one.next("agent.spawned");
        await one.next("agent.ready");
        one.process.prompt({ uuid: randomUUID(), text: harness.prompt({ do: "longTool" }) });
        await eventually(() => markedPids(one.stateDir).length > 1, "a tool runs");
        const { agent } = harness;
        const running = await agent.findRunning(one.stateDir);
        const marker = { stateDir: one.stateDir, sessionKey: "local/1/-", epoch: 1 };
        expect(running).toEqual([{ pid, startedAt, marker }]);
        await expect(agent.findRunning(one.stateDir, "local/1/-")).resolves.toHaveLength(1);
        await expect(agent.findRunning(one.stateDir, "local/2/-")).resolves.toEqual([]);
        for (const found of running) await agent.endRunning(found);
        expect(markedPids(one.stateDir)).toEqual([]);
        await one.next("agent.exited");
        await expect(agent.findRunning(one.stateDir)).resolves.toEqual([]);
      });

      it("is foreign to another state directory, and to nobody once it is gone", async () => {
        const agentSessionId = randomUUID();
        await using one = start({ mode: "fresh", agentSessionId });
        const { pid } = await one.next("agent.spawned");
        await one.next("agent.ready");
        await one.ask(answer("in use"));
        const { agent } = harness;
        await expect(agent.findForeign(agentSessionId, one.stateDir)).resolves.toBeNull();
        await expect(agent.findForeign(agentSessionId, "/another")).resolves.toEqual({ pid });
        await expect(agent.findForeign(randomUUID(), "/another")).resolves.toBeNull();
        await one.end();
        await expect(agent.findForeign(agentSessionId, "/another")).resolves.toBeNull();
      });
    });
  });
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
