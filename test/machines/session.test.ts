import { describe, expect, it } from "vitest";
import { RETURNING, received } from "../support/facts.ts";
import {
  accept,
  asks,
  createSession,
  gone,
  nowBound,
  ready,
  refused,
  toAnswered,
  toolStarted,
  toWorking,
  turnEnded,
  unavailable,
} from "../support/session-harness.ts";

describe("the way of a message", () => {
  it("starts fresh, is given once, and its answer comes with the size of the context", async () => {
    const session = createSession({ facts: [received(1)] });
    expect(session.state()).toEqual({ normalizing: "probing" });
    const agent = await toWorking(session);
    expect(session.state()).toEqual({ running: "working" });
    expect(agent).toMatchObject({ epoch: 1, mode: "fresh", agentSessionId: "s1" });
    agent.say(turnEnded("completed", ["uuid-1"]));
    expect(session.state()).toBe("idle");
    expect(agent.commands).toEqual([{ type: "prompt", messageId: 1, uuid: "uuid-1" }]);
    expect(session.answers()).toEqual([
      {
        kind: "answer",
        messageId: 1,
        text: "the answer",
        percent: 62,
        agentKind: "scripted",
        usage: null,
      },
    ]);
    expect(session.notices()).toEqual([]);
    expect(session.facts()).toMatchObject({ messages: [], bound: { completedTurns: 1 } });
    expect(session.facts()).toEqual(session.world.stored);
  });

  it("writes each fact before the effect that it allows", async () => {
    const session = createSession({ facts: [received(1)] });
    await toAnswered(session);
    expect(session.writtenTypes()).toEqual([
      "workspace.bound",
      "launch.intended",
      "message.given",
      "message.accepted",
      "agentSession.bound",
      "message.answered",
      "turn.completed",
      "context.measured",
      "turn.measured",
    ]);
  });

  it("gives one message at a time, in order", async () => {
    const session = createSession({ facts: [received(1), received(2)] });
    const agent = await toWorking(session);
    session.receive(3);
    expect(agent.commands).toHaveLength(1);
    for (const nth of [1, 2, 3]) {
      accept(session, agent);
      agent.say(turnEnded("completed", [`uuid-${nth}`]));
    }
    expect(agent.commands.map((one) => one.type === "prompt" && one.messageId)).toEqual([1, 2, 3]);
    expect(session.answers().map((one) => one.messageId)).toEqual([1, 2, 3]);
    expect(session.world.agents).toHaveLength(1);
  });

  it("does not wait for a message that comes while it starts", async () => {
    const session = createSession({ facts: [received(1)] });
    await session.probe();
    session.receive(2);
    session.agent().say(ready);
    session.agent().say(turnEnded("completed", ["uuid-1"]));
    expect(session.turn()?.messageId).toBe(2);
  });

  it("keeps the context of a failed turn and says so", async () => {
    const session = createSession({ facts: [received(1)] });
    const agent = await toWorking(session);
    agent.say(turnEnded("failed", ["uuid-1"], "API Error: 529 Overloaded"));
    expect(session.state()).toBe("idle");
    expect(session.notices()).toEqual([
      { code: "turn-failed", detail: "API Error: 529 Overloaded" },
    ]);
    expect(session.facts().messages).toEqual([]);
  });

  it("answers a local command without counting a turn", async () => {
    const session = createSession({ facts: [received(1)] });
    const agent = await toWorking(session);
    agent.say(turnEnded("local", ["uuid-1"], "cost: 0"));
    expect(session.answers()).toMatchObject([{ text: "cost: 0", percent: null }]);
    expect(session.facts().bound?.completedTurns).toBe(0);
  });

  it("parks a message that the agent swallowed and goes on with the next", async () => {
    const session = createSession({ facts: [received(1), received(2)] });
    const agent = await toWorking(session);
    agent.say(turnEnded("swallowed", ["uuid-1"]));
    expect(session.notices()).toEqual([{ code: "parked", reason: "swallowed" }]);
    expect(session.turn()?.messageId).toBe(2);
  });

  it("says once that nothing is kept where a turn ended and no transcript ever appeared", async () => {
    const session = createSession({ facts: [received(1), received(2)] });
    await session.probe();
    const agent = session.agent();
    agent.say(ready);
    agent.say(turnEnded("completed", ["uuid-1"]));
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.notices()).toEqual([{ code: "not-kept" }]);
  });
});

describe("events of an earlier launch", () => {
  it.each([
    ready,
    refused,
    unavailable,
    gone(5),
    nowBound("s7"),
    turnEnded("completed", ["uuid-2"]),
    { type: "turn.accepted", uuid: "uuid-2" } as const,
    { type: "agent.background", count: 3 } as const,
    { type: "agent.reset", agentSessionId: "s7", transcript: "/t/s7" } as const,
    { type: "turn.compacting", active: true } as const,
    { type: "agent.spawned", pid: 5, startedAt: "t" } as const,
    toolStarted(),
    asks("r1"),
  ])("change nothing in a running turn: $type", async (event) => {
    const session = createSession({ facts: RETURNING, policy: { approvals: "ask" } });
    await session.probe();
    session.agent().say(ready);
    const before = { state: session.state(), turn: session.turn(), facts: session.facts() };
    const plans = session.world.plans.length;
    session.agent().sayAs(1, event);
    expect({ state: session.state(), turn: session.turn(), facts: session.facts() }).toEqual(
      before,
    );
    expect(session.world.plans).toHaveLength(plans);
  });

  it.each([ready, refused, unavailable, gone(5)])(
    "change nothing while a launch waits for its proof: $type",
    async (event) => {
      const session = createSession({ facts: RETURNING });
      await session.probe();
      session.agent().sayAs(1, event);
      expect(session.state()).toBe("resuming");
      expect(session.notices()).toEqual([]);
    },
  );

  it("are told to the log where they would have meant something", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    session.agent().sayAs(1, turnEnded("completed", ["uuid-2"]));
    session.agent().sayAs(1, gone());
    expect(session.world.stale).toEqual(["turn.ended", "agent.exited"]);
  });

  it("do not end the turn when they answer another message of the same launch", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("completed", ["uuid-1"]));
    expect(session.state()).toEqual({ running: "working" });
    expect(session.answers()).toEqual([]);
  });
});
