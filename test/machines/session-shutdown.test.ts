import { describe, expect, it } from "vitest";
import { RETURNING, received } from "../support/facts.ts";
import {
  createSession,
  gone,
  toolStarted,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";
import { at, endProcess, PLACES } from "../support/session-places.ts";

describe("a shutdown", () => {
  it.each(PLACES)("in $name gives nothing up: what is open stays open", async (place) => {
    const session = await at(place);
    const before = session.facts();
    session.send({ type: "shutdown" });
    endProcess(session);
    expect(session.state()).toBe("stopped");
    expect(session.status()).toBe("done");
    const after = session.facts();
    expect({ ...after, launch: null }).toEqual({ ...before, launch: null, approvals: [] });
    expect(after.launch?.exited ?? true).toBe(true);
  });

  it("lets a running turn end within its bound, and then ends the process", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toWorking(session);
    session.send({ type: "shutdown" });
    expect(session.state()).toEqual({ stopping: "draining" });
    expect(agent.commands.at(-1)?.type).toBe("prompt");
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.answers()).toMatchObject([{ messageId: 2 }]);
    expect(session.state()).toEqual({ stopping: "ending" });
    expect(agent.commands.at(-1)).toEqual({ type: "end", now: false });
    agent.say(gone());
    expect(session.state()).toBe("stopped");
    expect(session.facts().messages.map((one) => [one.id, one.state])).toEqual([[3, "received"]]);
  });

  it("ends a turn at the bound, which is found as it was after the restart", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "shutdown" });
    session.clock.increment(session.limits.drainMs);
    expect(agent.commands.at(-1)).toEqual({ type: "end", now: false });
    agent.say(gone());
    expect(session.facts().messages).toMatchObject([{ id: 2, state: "accepted" }]);
  });

  it("remembers a typed /clear that takes hold while the turn is drained", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "shutdown" });
    agent.say({ type: "agent.reset", agentSessionId: "s9", transcript: "/t/s9.jsonl" });
    agent.say(turnEnded("local", ["uuid-2"], ""));
    agent.say(gone());
    expect(session.state()).toBe("stopped");
    expect(session.world.stored).toMatchObject({
      fresh: { epoch: 2, reason: "clear" },
      bound: null,
      archived: [{ agentSessionId: "s1", reason: "clear" }],
    });
  });

  it("remembers a tool that starts while the turn is drained", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "shutdown" });
    agent.say(toolStarted());
    session.clock.increment(session.limits.drainMs);
    agent.say(gone());
    expect(session.world.stored.messages).toMatchObject([{ id: 2, toolsRan: true }]);
  });

  it("asked for twice does not shorten the drain", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    session.send({ type: "shutdown" });
    session.send({ type: "shutdown" });
    expect(session.state()).toEqual({ stopping: "draining" });
  });

  it("goes to a fresh session after the restart where the drained turn did not fit", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "shutdown" });
    agent.say(turnEnded("too-large", ["uuid-2"]));
    agent.say(gone());
    expect(session.state()).toBe("stopped");
    const next = createSession({ facts: session.written() });
    expect(session.facts()).toMatchObject({ fresh: { reason: "too-large" }, bound: null });
    expect(next.state()).toEqual({ normalizing: "probing" });
  });
});

describe("a fact that cannot be written", () => {
  it("ends the process and the actor, and nothing more is written", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    const plans = session.world.plans.length;
    session.world.broken = true;
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.state()).toEqual({ stopping: "ending" });
    expect(agent.commands.at(-1)).toEqual({ type: "end", now: false });
    agent.say(gone());
    expect(session.state()).toBe("stopped");
    expect(session.world.plans).toHaveLength(plans);
    expect(session.world.stored.messages).toMatchObject([{ id: 2, state: "accepted" }]);
  });
});
