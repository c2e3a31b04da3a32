import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import { RETURNING } from "../support/facts.ts";
import {
  ALLOWED,
  asks,
  createSession,
  gone,
  shownApprovals as shown,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";

const ASK = { approvals: "ask" } as const;
const OPTIONS = ["one", "two"].map((label) => ({ label, description: "" }));
const ASKS_WHICH: AgentEvent = {
  type: "approval.requested",
  request: {
    requestId: "q1",
    toolUseId: "t-q1",
    kind: "question",
    tool: "AskUserQuestion",
    summary: "",
    detail: "",
    always: null,
    questions: [
      { question: "Which?", header: "", multiSelect: true, options: OPTIONS },
      { question: "And then?", header: "", multiSelect: false, options: OPTIONS },
    ],
  },
};

describe("an approval", () => {
  it("is denied and told to the user where nobody can be asked", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    expect(session.state()).toEqual({ running: "working" });
    expect(agent.commands.at(-1)).toEqual({
      type: "decide",
      requestId: "r1",
      decision: { allow: false, reason: "no-person" },
    });
    expect(session.notices()).toEqual([{ code: "approval-denied", tool: "Bash" }]);
  });

  it("waits for a person, untouched by the watchdog, and passes the decision on once", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    expect(session.state()).toEqual({ running: "awaiting-approval" });
    expect(session.world.phases.at(-1)).toBe("waiting");
    session.clock.increment(session.limits.toolQuietMs);
    const decision = {
      type: "command.decide",
      commandId: 9,
      requestId: "r1",
      decision: ALLOWED,
    } as const;
    session.send({ ...decision, requestId: "r0" });
    expect(session.state()).toEqual({ running: "awaiting-approval" });
    session.send(decision);
    session.send(decision);
    expect(session.state()).toEqual({ running: "working" });
    expect(agent.commands.filter((one) => one.type === "decide")).toEqual([
      { type: "decide", requestId: "r1", decision: ALLOWED },
    ]);
    expect(session.world.phases.at(-1)).toBe("busy");
  });

  it("is denied after its limit, and the user told", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    session.clock.increment(session.limits.approvalMs);
    expect(session.state()).toEqual({ running: "working" });
    expect(agent.commands.at(-1)).toMatchObject({ decision: { allow: false, reason: "time-out" } });
    expect(session.notices()).toEqual([{ code: "approval-timed-out", tool: "Bash" }]);
    expect(shown(session)).toEqual(["r1 open", "r1 timed-out"]);
  });

  it("that the agent takes back is not decided any more", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    agent.say({ type: "approval.withdrawn", requestId: "r1" });
    expect(session.state()).toEqual({ running: "working" });
    session.send({ type: "command.decide", commandId: 9, requestId: "r1", decision: ALLOWED });
    expect(agent.commands.filter((one) => one.type === "decide")).toEqual([]);
  });

  it("is denied without asking while the turn is being interrupted", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 9 });
    agent.say(asks("r1"));
    expect(session.state()).toEqual({ running: "interrupting" });
    expect(agent.commands.at(-1)).toMatchObject({ type: "decide", decision: { allow: false } });
  });

  it("is shown as sent until there is evidence of what came of it", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    session.send({ type: "command.decide", commandId: 9, requestId: "r1", decision: ALLOWED });
    agent.say({ type: "turn.toolEnded", toolUseId: "t-another" });
    expect(shown(session)).toEqual(["r1 open", "r1 sent"]);
    agent.say({ type: "turn.toolEnded", toolUseId: "t-r1" });
    expect(shown(session)).toEqual(["r1 open", "r1 sent", "r1 allowed"]);
    expect(session.facts().approvals).toEqual([]);
  });

  it.each([
    ["completed", "r1 allowed", "r2 withdrawn"],
    ["interrupted", "r1 withdrawn", "r2 withdrawn"],
  ] as const)("is settled at the latest by a turn that ends as %s", async (outcome, ...closed) => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    agent.say(asks("r2"));
    session.send({ type: "command.decide", commandId: 9, requestId: "r1", decision: ALLOWED });
    agent.say(turnEnded(outcome, ["uuid-2"]));
    expect(shown(session).slice(-2)).toEqual(closed);
    expect(session.facts().approvals).toEqual([]);
  });

  it("keeps the turn waiting while another one is open", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    agent.say(asks("r2"));
    const deny = { allow: false, reason: "not now" } as const;
    session.send({ type: "command.decide", commandId: 8, requestId: "r2", decision: deny });
    expect(session.state()).toEqual({ running: "awaiting-approval" });
    session.send({ type: "command.decide", commandId: 9, requestId: "r1", decision: ALLOWED });
    expect(session.state()).toEqual({ running: "working" });
    expect(agent.commands.filter((one) => one.type === "decide")).toEqual([
      { type: "decide", requestId: "r2", decision: deny },
      { type: "decide", requestId: "r1", decision: ALLOWED },
    ]);
  });

  it("expires with its process, and the user is shown that", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    agent.say(gone(1));
    expect(shown(session)).toEqual(["r1 open", "r1 expired"]);
    session.send({ type: "command.decide", commandId: 9, requestId: "r1", decision: ALLOWED });
    expect(session.notices().at(-1)).toEqual({ code: "approval-gone" });
  });

  it("expires at the next start where the service died with it", async () => {
    const before = [
      ...RETURNING,
      {
        type: "launch.intended",
        epoch: 2,
        mode: "resume",
        agentSessionId: "s1",
        transcript: "/t/s1.jsonl",
      },
      { type: "message.given", id: 2, epoch: 2, transcript: "/t/s1.jsonl" },
    ] as const;
    const asked = asks("r1");
    if (asked.type !== "approval.requested") throw new Error("It asks");
    const { request } = asked;
    const opened = { type: "approval.opened", epoch: 2, messageId: 2, request } as const;
    const session = createSession({ facts: [...before, opened], policy: ASK });
    await session.probe({ trace: { found: "unfinished", toolsRan: false } });
    expect(shown(session)).toEqual(["r1 expired"]);
  });

  it("says so when a message is typed meanwhile, and answers it afterwards", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(asks("r1"));
    session.send({ type: "message.received", id: 3, uuid: "uuid-3" });
    expect(session.notices()).toEqual([{ code: "queued-behind-approval" }]);
    expect(session.state()).toEqual({ running: "awaiting-approval" });
  });

  it("with several choices remembers what is chosen, and forgets what is chosen twice", async () => {
    const session = createSession({ facts: RETURNING, policy: ASK });
    const agent = await toWorking(session);
    agent.say(ASKS_WHICH);
    const pick = (question: number, option: number) =>
      session.send({ type: "command.pick", commandId: 9, requestId: "q1", question, option });
    pick(0, 1);
    pick(0, 0);
    pick(1, 0);
    pick(1, 1);
    pick(0, 1);
    expect(session.facts().approvals[0]?.picks).toEqual([[0], [1]]);
    pick(5, 0);
    expect(session.notices()).toEqual([{ code: "approval-gone" }]);
  });
});
