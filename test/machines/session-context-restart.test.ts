import { describe, expect, it } from "vitest";
import { bound, exited, FRESH_PENDING, intended, received, RETURNING } from "../support/facts.ts";
import {
  createSession,
  gone,
  ready,
  toAnswered,
  toWorking,
  turnEnded,
  type TestSession,
} from "../support/session-harness.ts";

const CLEARED = { code: "context-cleared-by-agent", agentSessionId: "s1", waiting: 0 };

/** As the agent of the launch that lives. */
function ask(session: TestSession): void {
  session.send({ type: "context.asked", epoch: session.facts().epoch });
}

describe("an agent that asks for a cleared context", () => {
  it("has its turn run to its end, and its answer given", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    ask(session);
    expect(session.state()).toEqual({ running: "working" });
    expect(session.facts().fresh).toEqual({ epoch: 3, reason: "context-restart" });
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.answers()).toHaveLength(1);
    expect(session.state()).toBe("restarting");
    expect(session.notices()).toEqual([CLEARED]);
    expect(session.facts()).toMatchObject({
      bound: null,
      archived: [{ agentSessionId: "s1", reason: "context-restart", completedTurns: 2 }],
      fresh: { epoch: 3 },
    });
    agent.say(gone(2));
    await session.probe();
    expect(session.state()).toBe("reaped");
    expect(session.facts().deaths).toEqual([]);
  });

  it("has what waits go to the new conversation, whose first turn settles the intent", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toWorking(session);
    ask(session);
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.notices()).toEqual([{ ...CLEARED, waiting: 1 }]);
    agent.say(gone(2));
    await session.probe();
    expect(session.state()).toBe("starting");
    session.agent().say(ready);
    expect(session.turn()?.messageId).toBe(3);
    session.agent().say({ type: "turn.accepted", uuid: "uuid-3" });
    session.agent().say(turnEnded("completed", ["uuid-3"]));
    expect(session.facts().fresh).toBeNull();
    expect(session.notices().filter((one) => one.code === CLEARED.code)).toHaveLength(1);
  });

  it("twice in a turn is heard once", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    ask(session);
    ask(session);
    expect(session.writtenTypes().filter((type) => type === "fresh.intended")).toHaveLength(1);
  });

  it("from its background has it at once", async () => {
    const session = createSession({ facts: RETURNING });
    await toAnswered(session);
    ask(session);
    expect(session.state()).toBe("restarting");
    expect(session.notices()).toEqual([CLEARED]);
  });

  it("of an earlier launch is not heard", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    session.send({ type: "context.asked", epoch: 1 });
    expect(session.facts().fresh).toBeNull();
  });

  it("is not forgotten where the service dies before the turn is over, and the user is told then", async () => {
    const asked = { type: "fresh.intended", epoch: 3, reason: "context-restart" } as const;
    const left = [...RETURNING, intended(2, "s1"), bound("s1"), asked, exited(2)];
    const session = createSession({ facts: left });
    await session.probe();
    expect(session.state()).toBe("starting");
    expect(session.notices()).toEqual([CLEARED].map((one) => ({ ...one, waiting: 1 })));
    expect(session.facts().archived).toMatchObject([{ reason: "context-restart" }]);
  });

  it("has no more say once the user has taken a conversation back", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toWorking(session);
    ask(session);
    session.send({ type: "command.resume", commandId: 9, agentSessionId: "s1" });
    agent.say(gone(session.facts().epoch));
    expect(session.facts()).toMatchObject({ fresh: null, bound: { agentSessionId: "s1" } });
  });
});
