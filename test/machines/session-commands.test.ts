import { describe, expect, it } from "vitest";
import { ONE_TURN, RETURNING, received } from "../support/facts.ts";
import {
  createSession,
  gone,
  ready,
  toAnswered,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";
import { at, endProcess, PLACES } from "../support/session-places.ts";

describe("/new", () => {
  it.each(PLACES)("in $name clears the context for good and answers once", async (place) => {
    const session = await at(place);
    const inFlight = place.inFlight === true;
    session.send({ type: "command.new", commandId: 9 });
    expect(session.facts().fresh?.reason).toBe("new");
    expect(session.commandsDone()).toEqual([9]);
    const told = session.notices().filter((one) => one.code === "new-context");
    // The turn of a session that is being restarted runs until its process is gone.
    expect(told).toMatchObject([{ cancelled: inFlight ? "running" : null }]);
    session.receive(3);
    endProcess(session);
    await session.probe();
    expect(session.agent().mode).toBe("fresh");
    expect(session.agent().agentSessionId).not.toBe("s1");
    session.agent().say(ready);
    const left = inFlight || session.answers().length > 0;
    expect(session.turn()?.messageId).toBe(left ? 3 : 2);
  });

  it.each(PLACES.filter((place) => place.inFlight))(
    "in $name cancels the message in flight, whose late answer is dropped",
    async (place) => {
      const session = await at(place);
      session.send({ type: "command.new", commandId: 9 });
      expect(session.writtenTypes()).toContain("message.cancelled");
      session.agent().say(turnEnded("completed", ["uuid-2"]));
      expect(session.answers()).toEqual([]);
      expect(session.facts().messages).toEqual([]);
    },
  );

  it("keeps the session that it leaves listed for /resume", async () => {
    const session = createSession({ facts: RETURNING });
    await toAnswered(session);
    session.send({ type: "command.new", commandId: 9 });
    expect(session.facts()).toMatchObject({
      bound: null,
      archived: [{ agentSessionId: "s1", reason: "new", completedTurns: 2 }],
    });
  });

  it("while a wedged agent is ended is no death, and a /stop then has nothing to stop", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    session.clock.increment(session.limits.turnQuietMs);
    session.send({ type: "command.new", commandId: 9 });
    expect(session.state()).toBe("restarting");
    session.send({ type: "command.stop", commandId: 10 });
    expect(session.notices().at(-1)).toEqual({ code: "nothing-to-stop" });
    endProcess(session);
    expect(session.facts().deaths).toEqual([]);
  });

  it("gives a session another try that is about to fail", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    session.clock.increment(session.limits.startMs);
    session.send({ type: "command.new", commandId: 9 });
    endProcess(session);
    await session.probe();
    expect(session.state()).toBe("starting");
  });
});

describe("/stop", () => {
  it.each(PLACES.filter((place) => place.inFlight))(
    "in $name ends the message in flight with one answer, and keeps the session",
    async (place) => {
      const session = await at(place);
      const process = session.agent();
      session.send({ type: "command.stop", commandId: 9 });
      expect(session.facts().messages).toEqual([]);
      expect(session.notices().filter((one) => one.code === "stopped")).toHaveLength(1);
      expect(session.commandsDone()).toEqual([9]);
      expect(session.facts().bound?.agentSessionId).toBe("s1");
      if (place.name === "restarting") return;
      expect(process.commands.filter((one) => one.type === "interrupt")).toHaveLength(1);
      process.say(turnEnded("interrupted", ["uuid-2"]));
      expect(session.state()).toBe("idle");
      expect(session.notices().filter((one) => one.code === "turn-interrupted")).toEqual([]);
    },
  );

  it.each(
    PLACES.filter((place) => ["resuming", "starting", "fresh-fallback"].includes(place.name)),
  )("in $name cancels the message that waits for the process", async (place) => {
    const session = await at(place);
    session.send({ type: "command.stop", commandId: 9 });
    expect(session.facts().messages).toEqual([]);
    expect(session.notices().at(-1)).toEqual({ code: "stopped" });
    session.agent().say(ready);
    expect(session.state()).toBe("idle");
  });

  it("before the launch is decided cancels the message, and nothing is launched", async () => {
    const session = createSession({ facts: RETURNING });
    session.send({ type: "command.stop", commandId: 9 });
    await session.probe();
    expect(session.state()).toBe("reaped");
    expect(session.notices()).toEqual([{ code: "stopped" }]);
    expect(session.world.agents).toEqual([]);
  });

  it.each(PLACES.filter((place) => ["idle", "reaping"].includes(place.name)))(
    "in $name says that nothing is running",
    async (place) => {
      const session = await at(place);
      session.send({ type: "command.stop", commandId: 9 });
      expect(session.notices()).toEqual([{ code: "nothing-to-stop" }]);
      expect(session.state()).toEqual(place.state);
    },
  );

  it("interrupts a turn of the agent's own, and leaves the waiting message alone", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    agent.say({ type: "turn.began", cause: "x" });
    session.receive(3);
    session.send({ type: "command.stop", commandId: 9 });
    expect(agent.commands.at(-1)).toEqual({ type: "interrupt" });
    expect(session.notices()).toEqual([{ code: "stopped" }]);
    agent.say(turnEnded("interrupted", []));
    expect(session.turn()?.messageId).toBe(3);
  });

  it("sent twice leaves the next message alone", async () => {
    const session = createSession({ facts: [...RETURNING, received(3)] });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 8 });
    session.send({ type: "command.stop", commandId: 9 });
    expect(session.facts().messages).toMatchObject([{ id: 3, state: "received" }]);
    agent.say(turnEnded("interrupted", ["uuid-2"]));
    expect(session.turn()?.messageId).toBe(3);
  });

  it("leaves alone what was sent after it", async () => {
    const session = createSession({ facts: [...ONE_TURN, received(5)] });
    await session.probe();
    session.send({ type: "command.stop", commandId: 4 });
    session.agent().say(ready);
    expect(session.turn()?.messageId).toBe(5);
    expect(session.notices()).toEqual([{ code: "nothing-to-stop" }]);
  });

  it("restarts a process that does not obey, without calling it wedged or a death", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 9 });
    session.clock.increment(session.limits.interruptMs);
    expect(session.state()).toBe("restarting");
    agent.say(gone(1));
    await session.probe();
    expect(session.state()).toBe("reaped");
    expect(session.notices()).toEqual([{ code: "stopped" }]);
    expect(session.facts().deaths).toEqual([]);
  });

  it("drops an answer that is finished at the same moment", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 9 });
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.answers()).toEqual([]);
    expect(session.state()).toBe("idle");
  });
});

describe("the other commands", () => {
  const PARKED = [...RETURNING, { type: "message.parked", id: 2, reason: "quiet" }] as const;

  it("/retry gives a parked message again, under the new uuid", async () => {
    const session = createSession({ facts: [...PARKED, received(3)] });
    const agent = await toAnswered(session);
    session.send({ type: "command.retry", commandId: 9, messageId: null, uuid: "again" });
    expect(agent.commands.at(-1)).toEqual({ type: "prompt", messageId: 2, uuid: "again" });
  });

  it("/skip ends a parked message", async () => {
    const session = createSession({ facts: [...PARKED, received(3)] });
    await toAnswered(session);
    session.send({ type: "command.skip", commandId: 9, messageId: null });
    expect(session.facts().messages).toEqual([]);
    expect(session.state()).toBe("idle");
  });

  it("another workspace ends the launch, the same one does not", async () => {
    const session = createSession({ facts: RETURNING });
    await toAnswered(session);
    const path = session.facts().workspace ?? "";
    session.send({ type: "command.bindWorkspace", commandId: 8, path });
    expect(session.state()).toBe("idle");
    session.send({ type: "command.bindWorkspace", commandId: 9, path: "/work/other" });
    expect(session.state()).toBe("restarting");
    expect(session.facts()).toMatchObject({
      workspace: "/work/other",
      fresh: { reason: "workspace-changed" },
      archived: [{ agentSessionId: "s1" }],
    });
    expect(session.commandsDone()).toEqual([8, 9]);
  });

  it("/resume of an archived session ends the launch and goes back to it", async () => {
    const session = createSession({ facts: RETURNING });
    await toAnswered(session);
    session.send({ type: "command.new", commandId: 8 });
    endProcess(session);
    session.receive(3);
    session.send({ type: "command.resume", commandId: 9, agentSessionId: "s1" });
    await session.probe();
    expect(session.agent()).toMatchObject({ mode: "resume", agentSessionId: "s1" });
    expect(session.facts()).toMatchObject({ fresh: null, archived: [] });
  });

  it("/resume of an unknown session changes nothing", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    session.send({ type: "command.resume", commandId: 9, agentSessionId: "s77" });
    expect(session.state()).toEqual({ running: "working" });
    expect(session.notices()).toEqual([{ code: "resume-unknown", agentSessionId: "s77" }]);
  });
});
