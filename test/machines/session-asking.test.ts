import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import { RETURNING } from "../support/facts.ts";
import {
  ALLOWED,
  asks,
  createSession,
  gone,
  shownApprovals,
  toAnswered,
  toWorking,
  turnEnded,
  type TestSession,
} from "../support/session-harness.ts";

const BUSY: AgentEvent = { type: "agent.background", count: 1 };
const OVER: AgentEvent = { type: "agent.background", count: 0 };

/** Nothing in flight; a task in the background asks. */
async function toAsking(session: TestSession) {
  const agent = await toAnswered(session);
  agent.say(BUSY);
  agent.say(asks("r1"));
  return agent;
}

const create = () => createSession({ facts: RETURNING, policy: { approvals: "ask" } });

const allow = (requestId: string) =>
  ({ type: "command.decide", commandId: 9, requestId, decision: ALLOWED }) as const;

describe("an approval that work in the background asks for", () => {
  it("is denied at once and told where nobody can be asked", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAsking(session);
    expect(session.state()).toBe("idle");
    expect(agent.commands.at(-1)).toMatchObject({ type: "decide", decision: { allow: false } });
    expect(session.notices()).toEqual([{ code: "approval-denied", tool: "Bash" }]);
  });

  it("is put to a person, and passed on once it is decided", async () => {
    const session = create();
    const agent = await toAsking(session);
    expect(session.state()).toBe("asking");
    expect(session.world.phases.at(-1)).toBe("waiting");
    session.send(allow("r1"));
    expect(session.state()).toBe("idle");
    expect(agent.commands.at(-1)).toEqual({ type: "decide", requestId: "r1", decision: ALLOWED });
    agent.say({ type: "turn.toolEnded", toolUseId: "t-r1" });
    expect(shownApprovals(session)).toEqual(["r1 open", "r1 sent", "r1 allowed"]);
  });

  it("keeps the process alive while it waits", async () => {
    const session = create();
    await toAsking(session);
    session.send({ type: "reap" });
    session.clock.increment(session.limits.idleReapMs * 2);
    expect(session.state()).toBe("asking");
  });

  it("holds up no message: the turn runs and the question stays open after it", async () => {
    const session = create();
    const agent = await toAsking(session);
    session.receive(3);
    expect(session.state()).toEqual({ running: "delivering" });
    agent.say(turnEnded("completed", ["uuid-3"]));
    expect(session.state()).toBe("asking");
    session.send(allow("r1"));
    expect(shownApprovals(session)).toEqual(["r1 open", "r1 sent"]);
  });

  it("can be decided while another turn runs", async () => {
    const session = create();
    const agent = await toAsking(session);
    session.receive(3);
    session.send(allow("r1"));
    expect(agent.commands.at(-1)).toMatchObject({ type: "decide", requestId: "r1" });
    agent.say(turnEnded("completed", ["uuid-3"]));
    expect(session.state()).toBe("idle");
  });

  it("asked for within a turn outlasts that turn, stopped or not", async () => {
    const session = create();
    const agent = await toWorking(session);
    agent.say(BUSY);
    agent.say(asks("r1"));
    session.send({ type: "command.stop", commandId: 9 });
    agent.say(turnEnded("interrupted", ["uuid-2"]));
    expect(session.state()).toBe("asking");
    expect(shownApprovals(session)).toEqual(["r1 open"]);
  });

  it("that was allowed is not called withdrawn when a turn is stopped meanwhile", async () => {
    const session = create();
    const agent = await toAsking(session);
    session.receive(3);
    session.send(allow("r1"));
    session.send({ type: "command.stop", commandId: 10 });
    agent.say(turnEnded("interrupted", ["uuid-3"]));
    expect(shownApprovals(session)).toEqual(["r1 open", "r1 sent"]);
    agent.say(OVER);
    expect(shownApprovals(session).at(-1)).toBe("r1 allowed");
  });

  it("waits with others, and the wait is over with the last", async () => {
    const session = create();
    const agent = await toAsking(session);
    agent.say(asks("r2"));
    session.send(allow("r2"));
    expect(session.state()).toBe("asking");
    agent.say({ type: "approval.withdrawn", requestId: "r1" });
    expect(session.state()).toBe("idle");
  });

  it("is withdrawn when the last task in the background has ended", async () => {
    const session = create();
    const agent = await toAsking(session);
    agent.say(OVER);
    expect(session.state()).toBe("idle");
    expect(shownApprovals(session)).toEqual(["r1 open", "r1 withdrawn"]);
  });

  it("is denied after its limit, and the user told", async () => {
    const session = create();
    const agent = await toAsking(session);
    session.clock.increment(session.limits.approvalMs);
    expect(session.state()).toBe("idle");
    expect(agent.commands.at(-1)).toMatchObject({ decision: { allow: false, reason: "time-out" } });
    expect(session.notices()).toEqual([{ code: "approval-timed-out", tool: "Bash" }]);
  });

  it("expires with its process", async () => {
    const session = create();
    const agent = await toAsking(session);
    agent.say(gone());
    expect(session.state()).toBe("reaped");
    expect(shownApprovals(session)).toEqual(["r1 open", "r1 expired"]);
  });
});
