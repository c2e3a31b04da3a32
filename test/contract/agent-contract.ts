import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { Agent, LaunchPlan } from "../../src/ports.ts";
import { drive, markedPids } from "./agent-driver.ts";
import type { Driven } from "./agent-driver.ts";
import { endContract } from "./agent-end-contract.ts";
import { findContract } from "./agent-find-contract.ts";
import { startContract } from "./agent-start-contract.ts";
import { turnContract } from "./agent-turn-contract.ts";

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

type Started = Driven & { readonly stateDir: string };

/** What the parts of the suite get. */
export interface AgentUnderTest {
  readonly harness: AgentHarness;
  /** A launch under a state directory of its own, so that its processes can be counted. */
  readonly start: (plan?: LaunchPlan, agent?: Agent) => Started;
  /** A prompt that is answered with this text. */
  readonly answer: (text: string) => string;
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

    function start(plan?: LaunchPlan, agent = harness.agent): Started {
      const stateDir = join(harness.workspace, "..", `state-${randomUUID()}`);
      stateDirs.push(stateDir);
      const options = { agent, stateDir, cwd: harness.workspace };
      return { ...drive(plan === undefined ? options : { ...options, plan }), stateDir };
    }

    const under: AgentUnderTest = {
      get harness() {
        return harness;
      },
      start,
      answer: (text) => harness.prompt({ do: "answer", text }),
    };

    describe("starting", () => {
      startContract(under);
    });
    describe("a conversation", () => {
      turnContract(under);
    });
    describe("death and end", () => {
      endContract(under);
    });
    describe("agents at large", () => {
      findContract(under);
    });
  });
}
