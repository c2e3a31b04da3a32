import { describe, expect, it } from "vitest";
import { FRESH_PENDING, received, RETURNING } from "../support/facts.ts";
import {
  createSession,
  gone,
  nowBound,
  toAnswered,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";

describe("the fresh intent", () => {
  it("survives crashes, restarts and any grace until a turn completes", async () => {
    const session = createSession({ facts: FRESH_PENDING, limits: { crashMax: 9 } });
    for (const epoch of [2, 3, 4]) {
      const agent = await toWorking(session, { trace: { found: "absent" } });
      expect(agent).toMatchObject({ epoch, mode: "fresh" });
      session.clock.increment(session.limits.turnQuietMs - 1);
      agent.say(gone(epoch));
      expect(session.facts().fresh).toEqual({ epoch: 2, reason: "new" });
    }
  });

  it("survives a wedged fresh agent that is restarted long after the old grace of 180 s", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toWorking(session);
    session.clock.increment(session.limits.turnQuietMs);
    session.clock.increment(session.limits.interruptMs);
    expect(session.state()).toBe("restarting");
    agent.say(gone(1));
    session.receive(3);
    await session.probe({ trace: { found: "unfinished", toolsRan: false } });
    expect(session.agent()).toMatchObject({ epoch: 3, mode: "fresh", agentSessionId: "s3" });
    expect(session.facts().fresh).toEqual({ epoch: 2, reason: "new" });
  });

  it("survives being reaped before any turn was completed", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toWorking(session);
    agent.say(turnEnded("failed", ["uuid-2"]));
    session.clock.increment(session.limits.idleReapMs);
    agent.say(gone(1));
    expect(session.state()).toBe("reaped");
    const next = createSession({ facts: [...FRESH_PENDING, ...session.written(), received(3)] });
    await next.probe({ last: "present" });
    expect(next.agent()).toMatchObject({ mode: "fresh", agentSessionId: "s3" });
    expect(next.facts().fresh).toEqual({ epoch: 2, reason: "new" });
  });

  it("survives a restart of the service", async () => {
    const crashed = [
      ...FRESH_PENDING,
      {
        type: "launch.intended",
        epoch: 2,
        mode: "fresh",
        agentSessionId: "s2",
        transcript: "/t/s2.jsonl",
      },
      { type: "message.given", id: 2, epoch: 2, transcript: "/t/s2.jsonl" },
    ] as const;
    const session = createSession({ facts: crashed });
    await session.probe({ last: "present", trace: { found: "absent" } });
    expect(session.agent()).toMatchObject({ epoch: 3, mode: "fresh", agentSessionId: "s3" });
  });

  it.each(["local", "failed", "interrupted", "swallowed", "too-large"] as const)(
    "is not settled by a turn that ended as %s",
    async (outcome) => {
      const session = createSession({ facts: FRESH_PENDING });
      const agent = await toWorking(session);
      agent.say(turnEnded(outcome, ["uuid-2"]));
      expect(session.facts().fresh).toEqual({ epoch: 2, reason: "new" });
    },
  );

  it("is not settled by a turn that nobody asked for", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toWorking(session);
    agent.say(turnEnded("failed", ["uuid-2"]));
    agent.say({ type: "turn.began", cause: "a task ended" });
    agent.say(turnEnded("completed", []));
    expect(session.facts().fresh).toEqual({ epoch: 2, reason: "new" });
  });

  it("is released by a completed turn of the fresh launch", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    await toAnswered(session);
    expect(session.facts().fresh).toBeNull();
    expect(session.written()).toContainEqual({ type: "fresh.settled", epoch: 2 });
  });

  it("is released by a completed turn that the user stopped at the same moment", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 9 });
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.facts()).toMatchObject({
      fresh: null,
      bound: { agentSessionId: "s2", completedTurns: 1 },
      messages: [],
    });
    expect(session.answers()).toEqual([]);
  });

  it.each(["failed", "interrupted", "local"] as const)(
    "is not released by a turn that the user stopped and that ended as %s",
    async (outcome) => {
      const session = createSession({ facts: FRESH_PENDING });
      const agent = await toWorking(session);
      session.send({ type: "command.stop", commandId: 9 });
      agent.say(turnEnded(outcome, ["uuid-2"]));
      expect(session.facts()).toMatchObject({
        fresh: { epoch: 2, reason: "new" },
        bound: { completedTurns: 0 },
      });
    },
  );

  it("lets a warm relaunch resume the bound transcript by id and path, once released", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toAnswered(session);
    session.receive(3);
    agent.say(gone());
    await session.probe({ trace: { found: "absent" } });
    expect(session.state()).toBe("resuming");
    expect(session.facts().launch).toMatchObject({
      mode: "resume",
      agentSessionId: "s2",
      transcript: "/t/s2.jsonl",
    });
  });

  it("is armed by a typed /clear, and settled by the same process's next completed turn", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "agent.reset", agentSessionId: "s9", transcript: "/t/s9.jsonl" });
    expect(session.facts()).toMatchObject({
      fresh: { epoch: 2, reason: "clear" },
      bound: null,
      launch: { mode: "fresh", agentSessionId: "s9" },
    });
    agent.say(turnEnded("local", ["uuid-2"], ""));
    expect(session.facts().fresh).not.toBeNull();
    session.receive(3);
    agent.say({ type: "turn.accepted", uuid: "uuid-3" });
    agent.say(nowBound("s9"));
    agent.say(turnEnded("completed", ["uuid-3"]));
    expect(session.facts()).toMatchObject({ fresh: null, bound: { agentSessionId: "s9" } });
    expect(session.facts().archived).toMatchObject([{ agentSessionId: "s1", reason: "clear" }]);
    expect(session.world.agents).toHaveLength(1);
  });

  it("is kept over a crash between a typed /clear and the next completed turn", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "agent.reset", agentSessionId: "s9", transcript: "/t/s9.jsonl" });
    agent.say(turnEnded("local", ["uuid-2"], ""));
    session.receive(3);
    agent.say(gone(1));
    await session.probe({ trace: { found: "absent" } });
    expect(session.agent()).toMatchObject({ epoch: 3, mode: "fresh", agentSessionId: "s3" });
  });
});
