import { describe, expect, it } from "vitest";
import { received, RETURNING } from "../support/facts.ts";
import { createSession, ready, toWorking, turnEnded } from "../support/session-harness.ts";

const urgent = (id: number) =>
  ({ type: "message.received", id, uuid: `uuid-${id}`, urgent: true }) as const;

describe("an urgent message", () => {
  it("ends the running turn with one notice, and goes before what waits", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toWorking(session);
    session.receiveUrgent(4);
    expect(session.state()).toEqual({ running: "interrupting" });
    expect(agent.commands.at(-1)).toEqual({ type: "interrupt" });
    expect(session.notices()).toEqual([{ code: "overtaken" }]);
    agent.say(turnEnded("interrupted", ["uuid-2"]));
    expect(session.turn()?.messageId).toBe(4);
    agent.say(turnEnded("completed", ["uuid-4"]));
    expect(session.turn()?.messageId).toBe(3);
    expect(session.notices()).toHaveLength(1);
  });

  it("ends a turn that nobody asked for without a word", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("completed", ["uuid-2"]));
    agent.say({ type: "turn.began", cause: "task" });
    session.receiveUrgent(4);
    expect(session.state()).toEqual({ running: "interrupting" });
    expect(session.notices()).toEqual([]);
    agent.say(turnEnded("interrupted", []));
    expect(session.turn()?.messageId).toBe(4);
  });

  it("goes first while the agent still starts", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    session.receiveUrgent(4);
    session.agent().say(ready);
    expect(session.turn()?.messageId).toBe(4);
  });

  it("does not end a turn that is being ended already", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.receiveUrgent(3);
    const asked = agent.commands.length;
    session.receiveUrgent(4);
    expect(agent.commands).toHaveLength(asked);
    agent.say(turnEnded("interrupted", ["uuid-2"]));
    expect(session.turn()?.messageId).toBe(3);
  });

  it("still goes first when it was stored before a crash", async () => {
    const { type: _type, urgent: _urgent, ...message } = urgent(4);
    const session = createSession({
      facts: [
        ...RETURNING,
        received(3),
        { type: "message.received", ...message },
        { type: "message.hurried", id: 4 },
      ],
    });
    await session.probe();
    session.agent().say(ready);
    expect(session.turn()?.messageId).toBe(4);
  });
});
