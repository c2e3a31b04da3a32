import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { isAlive } from "../../src/agents/process.ts";
import type { AgentUnderTest } from "./agent-contract.ts";
import { drive, markedPids, typesOf } from "./agent-driver.ts";

/** What holdfast relies on until an agent takes prompts. */
export function startContract(under: AgentUnderTest): void {
  const { start } = under;

  it("is usable, and the check leaves no process behind", async () => {
    await expect(under.harness.agent.check()).resolves.toMatchObject({ usable: true });
  });

  it("proves that it is ready before any prompt", async () => {
    await using one = start();
    const spawned = await one.next("agent.spawned");
    expect(isAlive(spawned)).toBe(true);
    await one.next("agent.ready");
    expect(await one.end()).toMatchObject({ type: "agent.exited", code: 0, signal: null });
    expect(typesOf(one).filter((type) => type !== "agent.active")).toEqual([
      "agent.spawned",
      "agent.offers",
      "agent.ready",
      "agent.exited",
    ]);
  });

  it("says that its program is missing, by launch and by check", async () => {
    await using one = start(undefined, under.harness.broken);
    const gone = await one.end();
    expect(gone).toMatchObject({ type: "agent.unavailable", reason: "binary-missing" });
    expect(typesOf(one)).toEqual(["agent.unavailable"]);
    const check = await under.harness.broken.check();
    expect(check).toMatchObject({ usable: false, reason: "binary-missing" });
  });

  it("says that its workspace is missing", async () => {
    const cwd = join(under.harness.workspace, "not-there");
    await using one = drive({ agent: under.harness.agent, stateDir: cwd, cwd });
    const gone = await one.end();
    expect(gone).toMatchObject({ type: "agent.unavailable", reason: "workspace-missing" });
  });

  it("refuses to resume a session that is not there", async () => {
    const agentSessionId = randomUUID();
    const transcript = under.harness.agent.transcriptPath(agentSessionId, under.harness.workspace);
    await expect(under.harness.agent.inspectTranscript(transcript)).resolves.toMatchObject({
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
}
