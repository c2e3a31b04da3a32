import { describe, expect, it } from "vitest";
import { RETURNING } from "../support/facts.ts";
import {
  accept,
  createSession,
  gone,
  ready,
  toAnswered,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";

describe("a turn that nobody asked for", () => {
  it("is relayed as one, with its cause, and the next message waits for its end", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say({ type: "turn.began", cause: "make has ended" });
    expect(session.state()).toEqual({ running: "working" });
    session.receive(3);
    expect(agent.commands).toHaveLength(1);
    agent.say(turnEnded("completed", [], "make is done"));
    expect(session.relays()).toEqual([
      {
        kind: "relay",
        text: "make is done",
        cause: "make has ended",
        percent: 62,
        agentKind: "scripted",
        usage: null,
      },
    ]);
    expect(session.turn()).toMatchObject({ origin: "user", messageId: 3 });
  });

  it("is relayed when it ends in the middle of the user's, which goes on", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("completed", [], "by the way"));
    expect(session.relays()).toMatchObject([{ text: "by the way", cause: null }]);
    expect(session.state()).toEqual({ running: "working" });
  });

  it("is relayed when it ends while the session is idle", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say(turnEnded("completed", [], "by the way"));
    expect(session.relays()).toHaveLength(1);
    expect(session.state()).toBe("idle");
  });

  it.each([
    ["empty", turnEnded("completed", [], "  ")],
    ["interrupted", turnEnded("interrupted", [], "half a sent")],
  ])("is not relayed when it is %s", async (_, event) => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say({ type: "turn.began", cause: "x" });
    agent.say(event);
    expect(session.relays()).toEqual([]);
    expect(session.state()).toBe("idle");
  });

  it("answers the user's prompt when it has folded that in", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(turnEnded("completed", ["other", "uuid-2"]));
    expect(session.answers()).toMatchObject([{ messageId: 2 }]);
    expect(session.state()).toBe("idle");
  });

  it("is watched like any other", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say({ type: "turn.began", cause: "x" });
    session.clock.increment(session.limits.turnQuietMs);
    session.clock.increment(session.limits.interruptMs);
    agent.say(gone(1));
    expect(session.facts().deaths).toEqual([1]);
    expect(session.state()).toEqual({ normalizing: "probing" });
  });
});

describe("an idle session", () => {
  it("is reaped at its limit, without a word", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    session.clock.increment(session.limits.idleReapMs - 1);
    expect(session.state()).toBe("idle");
    session.clock.increment(1);
    expect(session.state()).toBe("reaping");
    expect(agent.commands.at(-1)).toEqual({ type: "end", now: false });
    agent.say(gone());
    expect(session.state()).toBe("reaped");
    expect(session.notices()).toEqual([]);
    expect(session.facts()).toMatchObject({ deaths: [], launch: { exited: true } });
  });

  it("is kept while something runs in the background, and reaped a limit after its end", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say({ type: "agent.background", count: 1 });
    session.clock.increment(session.limits.idleReapMs);
    session.send({ type: "reap" });
    expect(session.state()).toBe("idle");
    agent.say({ type: "agent.background", count: 0 });
    session.clock.increment(session.limits.idleReapMs - 1);
    expect(session.state()).toBe("idle");
    session.clock.increment(1);
    expect(session.state()).toBe("reaping");
  });

  it("says whether something runs in the background, so that nobody counts on its slot", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "agent.background", count: 2 });
    expect(session.world.phases.at(-1)).toBe("busy");
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.world.phases.at(-1)).toBe("background");
    agent.say({ type: "agent.background", count: 0 });
    expect(session.world.phases.at(-1)).toBe("idle");
    agent.say({ type: "agent.background", count: 1 });
    expect(session.world.phases.at(-1)).toBe("background");
  });

  it("gives its slot when the pool asks for it", async () => {
    const session = createSession({ facts: RETURNING });
    await toAnswered(session);
    session.send({ type: "reap" });
    expect(session.state()).toBe("reaping");
  });

  it("whose process goes away is reaped, not restarted", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say(gone(1));
    expect(session.state()).toBe("reaped");
    expect(session.facts().deaths).toEqual([]);
  });

  it("that is being reaped keeps a new message for the next process, which waits for the last", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    session.clock.increment(session.limits.idleReapMs);
    session.receive(3);
    expect(session.state()).toBe("reaping");
    expect(session.world.agents).toHaveLength(1);
    agent.say(gone());
    expect(session.state()).toEqual({ normalizing: "probing" });
    await session.probe({ last: "present" });
    expect(session.agent()).toMatchObject({ mode: "resume", agentSessionId: "s1" });
    session.agent().say(ready);
    accept(session, session.agent());
    session.agent().say(turnEnded("completed", ["uuid-3"]));
    expect(session.answers().map((one) => one.messageId)).toEqual([2, 3]);
  });
});
