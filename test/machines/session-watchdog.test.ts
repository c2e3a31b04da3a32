import { describe, expect, it } from "vitest";
import { RETURNING, received } from "../support/facts.ts";
import {
  createSession,
  gone,
  ready,
  toolStarted,
  toWorking,
  turnEnded,
  type TestSession,
} from "../support/session-harness.ts";

/** A quiet turn that the interrupt does not end either. */
function goQuiet(session: TestSession): void {
  session.clock.increment(session.limits.turnQuietMs);
  session.clock.increment(session.limits.interruptMs);
}

describe("a turn whose agent is quiet", () => {
  it("is interrupted at its limit, and not before", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.clock.increment(session.limits.turnQuietMs - 1);
    expect(session.state()).toEqual({ running: "working" });
    session.clock.increment(1);
    expect(session.state()).toEqual({ running: "interrupting" });
    expect(agent.commands.at(-1)).toEqual({ type: "interrupt" });
  });

  it("is interrupted where the agent never takes the prompt", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    session.agent().say(ready);
    session.clock.increment(session.limits.turnQuietMs);
    expect(session.state()).toEqual({ running: "interrupting" });
  });

  it("is parked, its process kept, when the interrupt is obeyed", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toWorking(session);
    session.clock.increment(session.limits.turnQuietMs);
    agent.say(turnEnded("interrupted", ["uuid-2"]));
    expect(session.notices()).toEqual([{ code: "parked", reason: "quiet" }]);
    expect(session.turn()?.messageId).toBe(3);
    expect(session.world.agents).toHaveLength(1);
  });

  it("has its process restarted 15 s later when the interrupt is not obeyed, told once", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.clock.increment(session.limits.turnQuietMs);
    session.clock.increment(14_999);
    expect(session.state()).toEqual({ running: "interrupting" });
    session.clock.increment(1);
    expect(session.state()).toBe("restarting");
    expect(agent.commands.at(-1)).toEqual({ type: "end", now: true });
    agent.say(gone(1));
    await session.probe({ trace: { found: "unfinished", toolsRan: false } });
    expect(session.notices()).toEqual([{ code: "parked", reason: "wedged" }]);
    expect(session.facts()).toMatchObject({ deaths: [1], messages: [{ id: 2, state: "parked" }] });
  });

  it("is left alone as long as it shows signs of life, however long it takes", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    for (let hour = 0; hour < 6; hour += 1) {
      session.clock.increment(session.limits.turnQuietMs - 1);
      agent.say({ type: "agent.active" });
    }
    expect(session.state()).toEqual({ running: "working" });
  });

  it("has longer while a tool runs", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(toolStarted("t1"));
    session.clock.increment(session.limits.toolQuietMs - 1);
    expect(session.state()).toEqual({ running: "working" });
    session.clock.increment(1);
    expect(session.state()).toEqual({ running: "interrupting" });
  });

  it("has no longer once the tool has ended", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(toolStarted("t1"));
    session.clock.increment(session.limits.turnQuietMs);
    agent.say({ type: "turn.toolEnded", toolUseId: "t1" });
    session.clock.increment(session.limits.turnQuietMs - 1);
    expect(session.state()).toEqual({ running: "working" });
    session.clock.increment(1);
    expect(session.state()).toEqual({ running: "interrupting" });
  });

  it("has longest while something runs in the background", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "agent.background", count: 1 });
    session.clock.increment(session.limits.backgroundQuietMs - 1);
    expect(session.state()).toEqual({ running: "working" });
    session.clock.increment(1);
    expect(session.state()).toEqual({ running: "interrupting" });
  });

  it("is interrupted while it compacts, too", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "turn.compacting", active: true });
    expect(session.state()).toEqual({ running: "compacting" });
    agent.say({ type: "agent.active" });
    session.clock.increment(session.limits.turnQuietMs);
    expect(session.state()).toEqual({ running: "interrupting" });
  });

  it("goes on working when the compaction ends", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "turn.compacting", active: true });
    agent.say({ type: "turn.compacting", active: false });
    expect(session.state()).toEqual({ running: "working" });
  });
});

describe("a process that dies in a turn", () => {
  it("is restarted, and its message given again where the agent never had it", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    session.agent().say(ready);
    session.agent().say(gone(1));
    await session.probe({ trace: { found: "absent" } });
    expect(session.agent()).toMatchObject({ mode: "resume", agentSessionId: "s1", epoch: 3 });
    session.agent().say(ready);
    expect(session.agent().commands).toEqual([{ type: "prompt", messageId: 2, uuid: "uuid-2" }]);
    expect(session.notices()).toEqual([]);
  });

  it("leaves its answer in the transcript, which is delivered without running anything again", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(gone(1));
    const context = { used: 30, window: 100 };
    await session.probe({ trace: { found: "finished", text: "recovered", context } });
    expect(session.state()).toBe("reaped");
    expect(session.answers()).toMatchObject([{ messageId: 2, text: "recovered", percent: 30 }]);
    expect(session.world.agents).toHaveLength(1);
  });

  it("parks what was cut short and goes on with the next message", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toWorking(session);
    agent.say(gone(1));
    await session.probe({ trace: { found: "unfinished", toolsRan: true } });
    session.agent().say(ready);
    expect(session.agent().commands).toEqual([{ type: "prompt", messageId: 3, uuid: "uuid-3" }]);
    expect(session.notices()).toEqual([{ code: "parked", reason: "cut-short" }]);
  });

  it("too often within the window ends the session, and puts its message to the user", async () => {
    const session = createSession({ facts: RETURNING });
    for (const at of [1, 2, 3]) {
      await session.probe({ trace: { found: "absent" } });
      session.agent().say(ready);
      session.agent().say(gone(at));
    }
    expect(session.state()).toBe("failed");
    expect(session.notices()).toMatchObject([
      { code: "launch-failed", reason: "crash-limit", parked: true },
    ]);
    expect(session.facts().messages).toMatchObject([{ state: "parked" }]);
  });

  it("as often, but not within the window, is restarted each time", async () => {
    const session = createSession({ facts: RETURNING });
    for (const at of [0, 1, session.limits.crashWindowMs, 2 * session.limits.crashWindowMs]) {
      await session.probe({ trace: { found: "absent" } });
      session.agent().say(ready);
      session.agent().say(gone(at));
    }
    expect(session.state()).toEqual({ normalizing: "probing" });
  });

  it("because it was wedged counts like any other", async () => {
    const session = createSession({ facts: RETURNING });
    for (const at of [1, 2, 3]) {
      await session.probe({ trace: { found: "absent" } });
      session.agent().say(ready);
      goQuiet(session);
      session.agent().say(gone(at));
    }
    expect(session.state()).toBe("failed");
    expect(session.notices().map((one) => one.code)).toEqual(["wedged", "wedged", "launch-failed"]);
  });

  it("because it was wedged is not told any more once the user has cleared the context", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    goQuiet(session);
    session.send({ type: "command.new", commandId: 9 });
    session.agent().say(gone(1));
    await session.probe();
    expect(session.notices().map((one) => one.code)).toEqual(["new-context"]);
  });
});
