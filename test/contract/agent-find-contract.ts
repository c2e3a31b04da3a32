import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { AgentUnderTest } from "./agent-contract.ts";
import { eventually, markedPids } from "./agent-driver.ts";

/** What holdfast relies on to find the agents that it does not hold. */
export function findContract(under: AgentUnderTest): void {
  const { answer, start } = under;

  it("is found by its marker and can be ended by it", async () => {
    await using one = start();
    const { pid, startedAt } = await one.next("agent.spawned");
    await one.next("agent.ready");
    one.process.prompt({ uuid: randomUUID(), text: under.harness.prompt({ do: "longTool" }) });
    await eventually(() => markedPids(one.stateDir).length > 1, "a tool runs");
    const { agent } = under.harness;
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
    const { agent } = under.harness;
    await expect(agent.findForeign(agentSessionId, one.stateDir)).resolves.toBeNull();
    await expect(agent.findForeign(agentSessionId, "/another")).resolves.toEqual({ pid });
    await expect(agent.findForeign(randomUUID(), "/another")).resolves.toBeNull();
    await one.end();
    await expect(agent.findForeign(agentSessionId, "/another")).resolves.toBeNull();
  });
}
