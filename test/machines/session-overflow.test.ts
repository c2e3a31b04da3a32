import { describe, expect, it } from "vitest";
import { RETURNING, received } from "../support/facts.ts";
import {
  accept,
  createSession,
  gone,
  ready,
  toAnswered,
  toolStarted,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";

describe("a conversation that has become too large", () => {
  it("at the first turn after a resume goes to a fresh one with the same message", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("too-large", ["uuid-2"]));
    expect(session.state()).toBe("restarting");
    agent.say(gone());
    await session.probe();
    expect(session.state()).toBe("fresh-fallback");
    session.agent().say(ready);
    expect(session.agent().commands).toEqual([{ type: "prompt", messageId: 2, uuid: "uuid-2" }]);
    expect(session.notices()).toEqual([
      { code: "context-lost", reason: "too-large", parked: false },
    ]);
    expect(session.facts().archived).toMatchObject([{ agentSessionId: "s1", reason: "too-large" }]);
  });

  it("parks the message instead where a tool ran for it", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(toolStarted());
    agent.say(turnEnded("too-large", ["uuid-2"]));
    agent.say(gone());
    await session.probe();
    expect(session.state()).toBe("reaped");
    expect(session.notices()).toEqual([
      { code: "context-lost", reason: "too-large", parked: true },
    ]);
    expect(session.facts()).toMatchObject({
      messages: [{ id: 2, state: "parked" }],
      fresh: { reason: "too-large" },
    });
  });

  it("later than that only parks the message: the session is kept", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toAnswered(session);
    accept(session, agent);
    agent.say(turnEnded("too-large", ["uuid-3"]));
    expect(session.state()).toBe("idle");
    expect(session.notices()).toEqual([{ code: "parked", reason: "too-large" }]);
    expect(session.facts().bound?.agentSessionId).toBe("s1");
  });

  it("after a completed turn of the agent's own is not the resume's fault either", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("failed", ["uuid-2"]));
    agent.say({ type: "turn.began", cause: "x" });
    agent.say(turnEnded("completed", []));
    session.receive(3);
    accept(session, agent);
    agent.say(turnEnded("too-large", ["uuid-3"]));
    expect(session.state()).toBe("idle");
    expect(session.notices().at(-1)).toEqual({ code: "parked", reason: "too-large" });
    expect(session.facts().bound?.agentSessionId).toBe("s1");
  });

  it("after a turn of the agent's own that failed still is", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("failed", ["uuid-2"]));
    agent.say({ type: "turn.began", cause: "x" });
    agent.say(turnEnded("failed", []));
    session.receive(3);
    accept(session, agent);
    agent.say(turnEnded("too-large", ["uuid-3"]));
    expect(session.state()).toBe("restarting");
    expect(session.facts().archived).toMatchObject([{ agentSessionId: "s1", reason: "too-large" }]);
  });

  it("that has just begun is not: the message itself is too long, and no /new gives it again", async () => {
    const session = createSession({ facts: [received(1)] });
    const agent = await toWorking(session);
    agent.say(turnEnded("too-large", ["uuid-1"]));
    expect(session.state()).toBe("idle");
    expect(session.notices()).toEqual([{ code: "parked", reason: "too-long" }]);
    session.send({ type: "command.new", commandId: 9 });
    expect(session.facts().messages).toMatchObject([{ id: 1, parkedFor: "too-long" }]);
  });

  it("may have just begun where a tool has filled it", async () => {
    const session = createSession({ facts: [received(1)] });
    const agent = await toWorking(session);
    agent.say(toolStarted());
    agent.say(turnEnded("too-large", ["uuid-1"]));
    expect(session.notices()).toEqual([{ code: "parked", reason: "too-large" }]);
  });

  it("is not given up for a message that the user has stopped", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 9 });
    agent.say(turnEnded("too-large", ["uuid-2"]));
    expect(session.state()).toBe("idle");
    expect(session.facts().bound?.agentSessionId).toBe("s1");
  });
});
