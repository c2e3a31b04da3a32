import { describe, expect, it } from "vitest";
import { endsLaunch, NO_WORK, planAgentChange, planCommand } from "../../machines/commands.ts";
import { foldFacts } from "../../machines/fold.ts";
import type { SessionFact, SessionFacts } from "../../machines/facts.ts";
import type { Notice, Plan } from "../../machines/plan.ts";
import {
  bound,
  exited,
  factsOf,
  intended,
  ONE_TURN,
  received,
  WORKSPACE,
} from "../support/facts.ts";

const given = (id: number): SessionFact => ({
  type: "message.given",
  id,
  epoch: 1,
  transcript: "/t/s1.jsonl",
});
const parked = (id: number): SessionFact => ({ type: "message.parked", id, reason: "quiet" });
const archived = (agentSessionId: string): SessionFact => ({
  type: "agentSession.archived",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
  reason: "new",
});

const notices = (written: Plan): readonly Notice[] =>
  written.say.flatMap((say) => (say.kind === "notice" ? [say.notice] : []));

const commandId = 9;
const NEW = { type: "command.new", commandId } as const;
const STOP = { type: "command.stop", commandId } as const;
const RETRY = { type: "command.retry", commandId, messageId: null, uuid: "again" } as const;
const SKIP = { type: "command.skip", commandId, messageId: null } as const;
const bindTo = (path: string) => ({ type: "command.bindWorkspace", commandId, path }) as const;
const resume = (agentSessionId: string) =>
  ({ type: "command.resume", commandId, agentSessionId }) as const;

describe("every command", () => {
  const FACTS = [
    factsOf(),
    factsOf(...ONE_TURN),
    factsOf(...ONE_TURN, received(2), given(2), received(3)),
    factsOf(...ONE_TURN, received(2), parked(2), archived("s1")),
  ];

  it.each([
    NEW,
    STOP,
    RETRY,
    SKIP,
    bindTo("/other"),
    bindTo(WORKSPACE),
    resume("s1"),
    resume("s9"),
  ])("is handled with what it writes, and answered with one notice: %o", (command) => {
    for (const facts of FACTS) {
      const written = planCommand(facts, command, NO_WORK);
      expect(written.commandsDone).toEqual([commandId]);
      expect(written.say).toHaveLength(1);
      expect(foldFacts(facts, written.facts).messages.length).toBeLessThanOrEqual(
        facts.messages.length,
      );
    }
  });
});

describe("/new", () => {
  it("archives what is bound and arms the intent for the next launch", () => {
    const facts = factsOf(...ONE_TURN, received(2));
    const written = planCommand(facts, NEW, NO_WORK);
    expect(written.facts).toEqual([
      { ...archived("s1"), reason: "new" },
      { type: "fresh.intended", epoch: 2, reason: "new" },
    ]);
    expect(notices(written)).toEqual([{ code: "new-context", cancelled: null, waiting: 1 }]);
  });

  it("cancels the message in flight and keeps those that wait or are parked", () => {
    const facts = factsOf(
      received(1),
      received(2),
      received(3),
      parked(3),
      intended(1, "s1"),
      given(1),
    );
    const written = planCommand(facts, NEW, NO_WORK);
    expect(foldFacts(facts, written.facts).messages.map((one) => [one.id, one.state])).toEqual([
      [2, "received"],
      [3, "parked"],
    ]);
    expect(notices(written)).toEqual([{ code: "new-context", cancelled: "running", waiting: 1 }]);
  });

  it("does not call a turn running whose process is gone", () => {
    const facts = factsOf(received(1), intended(1, "s1"), given(1), exited(1));
    const written = planCommand(facts, NEW, NO_WORK);
    expect(notices(written)).toMatchObject([{ cancelled: "cut-short" }]);
  });

  it("archives nothing where nothing is bound", () => {
    expect(planCommand(factsOf(), NEW, NO_WORK).facts).toEqual([
      { type: "fresh.intended", epoch: 1, reason: "new" },
    ]);
  });
});

describe("/stop", () => {
  it("cancels the message that the session works on", () => {
    const facts = factsOf(received(1), received(2));
    const written = planCommand(facts, STOP, { messageId: 1, busy: true });
    expect(written.facts).toEqual([{ type: "message.cancelled", id: 1 }]);
    expect(written.say).toEqual([{ kind: "notice", notice: { code: "stopped" }, messageId: 1 }]);
  });

  it("cancels a message whose end is not known where no process lives", () => {
    const facts = factsOf(received(1), given(1));
    expect(planCommand(facts, STOP, NO_WORK).facts).toEqual([{ type: "message.cancelled", id: 1 }]);
  });

  it("writes no fact for a turn of the agent's own", () => {
    const written = planCommand(factsOf(received(1)), STOP, { messageId: null, busy: true });
    expect(written.facts).toEqual([]);
    expect(notices(written)).toEqual([{ code: "stopped" }]);
  });

  it("drops the first that waits where nothing runs, so that a failing one can be got rid of", () => {
    const written = planCommand(factsOf(received(1), received(2)), STOP, NO_WORK);
    expect(written.facts).toEqual([{ type: "message.cancelled", id: 1 }]);
    expect(notices(written)).toEqual([{ code: "dropped", waiting: 1 }]);
  });

  it("drops a message of a failed session, one at a time, until nothing is left", () => {
    const failure: SessionFact = { type: "session.failed", reason: "start-failed", detail: "" };
    let facts = factsOf(received(1), received(2), failure);
    const told = [0, 1, 2].flatMap(() => {
      const written = planCommand(facts, STOP, NO_WORK);
      facts = foldFacts(facts, written.facts);
      return notices(written);
    });
    expect(told).toEqual([
      { code: "dropped", waiting: 1 },
      { code: "dropped", waiting: 0 },
      { code: "nothing-to-stop" },
    ]);
    expect(facts).toMatchObject({ messages: [], failure: { reason: "start-failed" } });
  });

  it("drops no message that is put to the user: that is what /skip is for", () => {
    const written = planCommand(factsOf(received(1), parked(1)), STOP, NO_WORK);
    expect(written.facts).toEqual([]);
    expect(notices(written)).toEqual([{ code: "nothing-to-stop" }]);
  });

  it("touches and counts nothing that was sent after it", () => {
    const facts = factsOf(received(1), received(10), received(11));
    const written = planCommand(facts, STOP, NO_WORK);
    expect(written.facts).toEqual([{ type: "message.cancelled", id: 1 }]);
    expect(notices(written)).toEqual([{ code: "dropped", waiting: 0 }]);
    const later = planCommand(factsOf(received(10)), STOP, { messageId: 10, busy: false });
    expect(later.facts).toEqual([]);
    expect(notices(later)).toEqual([{ code: "nothing-to-stop" }]);
  });
});

describe("/retry and /skip", () => {
  const facts = factsOf(received(1), parked(1), received(2), parked(2));

  it("/retry gives the first parked message again, under the new uuid", () => {
    expect(planCommand(facts, RETRY, NO_WORK).facts).toEqual([
      { type: "message.requeued", id: 1, uuid: "again" },
    ]);
  });

  it("/skip ends the first parked message", () => {
    expect(planCommand(facts, SKIP, NO_WORK).facts).toEqual([{ type: "message.cancelled", id: 1 }]);
  });

  it.each([RETRY, SKIP])("$type takes the message that it names", (command) => {
    const written = planCommand(facts, { ...command, messageId: 2 }, NO_WORK);
    expect(written.facts).toMatchObject([{ id: 2 }]);
  });

  it.each([RETRY, SKIP])("$type touches only what is parked", (command) => {
    const waiting = factsOf(received(1), received(2), given(1));
    for (const messageId of [null, 1, 2, 7]) {
      const written = planCommand(waiting, { ...command, messageId }, NO_WORK);
      expect(written.facts).toEqual([]);
      expect(notices(written)).toEqual([{ code: "nothing-parked" }]);
    }
  });
});

describe("/stop all", () => {
  const stopAll = { ...STOP, all: true } as const;
  const states = (facts: SessionFacts, written: Plan) =>
    foldFacts(facts, written.facts).messages.map((one) => [one.id, one.state]);

  it("drops what runs and what waits, and keeps what waits for a decision", () => {
    const facts = factsOf(...[1, 2, 3, 4].map(received), given(1), parked(3));
    const written = planCommand(facts, stopAll, NO_WORK);
    expect(states(facts, written)).toEqual([[3, "parked"]]);
    expect(notices(written)).toEqual([{ code: "stopped-all", running: true, waiting: 2 }]);
  });

  it("means nothing that was sent after it", () => {
    const facts = factsOf(received(1), received(commandId + 1));
    const written = planCommand(facts, stopAll, NO_WORK);
    expect(states(facts, written)).toEqual([[commandId + 1, "received"]]);
    expect(notices(written)).toEqual([{ code: "stopped-all", running: false, waiting: 1 }]);
  });

  it("says so where there is nothing to stop", () =>
    expect(notices(planCommand(factsOf(...ONE_TURN), stopAll, NO_WORK))).toEqual([
      { code: "nothing-to-stop" },
    ]));
});

describe("/workspace", () => {
  it("binds another directory, archives the session there and starts fresh in the new one", () => {
    const facts = factsOf(...ONE_TURN, received(2), received(3), intended(2, "s1"), given(2));
    const written = planCommand(facts, bindTo("/other"), NO_WORK);
    expect(foldFacts(facts, written.facts)).toMatchObject({
      workspace: "/other",
      bound: null,
      fresh: { epoch: 3, reason: "workspace-changed" },
      archived: [{ agentSessionId: "s1", reason: "workspace-changed" }],
      messages: [{ id: 3, state: "received" }],
    });
    expect(notices(written)).toEqual([
      { code: "workspace-bound", path: "/other", cancelled: "running", waiting: 1 },
    ]);
  });

  it("changes nothing where it is bound already", () => {
    const facts = factsOf(...ONE_TURN, received(2), given(2));
    const written = planCommand(facts, bindTo(WORKSPACE), NO_WORK);
    expect(written.facts).toEqual([]);
    expect(notices(written)).toMatchObject([
      { code: "workspace-bound", cancelled: null, waiting: 0 },
    ]);
  });
});

describe("/resume", () => {
  const facts = factsOf(...ONE_TURN, archived("abc-1"), archived("abd-2"), received(2), given(2));

  it("withdraws the intent and binds the session again, in the same breath", () => {
    const armed = foldFacts(facts, [{ type: "fresh.intended", epoch: 2, reason: "new" }]);
    const written = planCommand(armed, resume("abc-1"), NO_WORK);
    expect(written.facts.map((fact) => fact.type)).toEqual([
      "message.cancelled",
      "agentSession.archived",
      "fresh.withdrawn",
      "agentSession.bound",
    ]);
    expect(foldFacts(armed, written.facts)).toMatchObject({
      fresh: null,
      bound: { agentSessionId: "abc-1" },
      archived: [{ agentSessionId: "abd-2" }, { agentSessionId: "s1", reason: "superseded" }],
    });
  });

  it("says what it took away", () =>
    expect(notices(planCommand(facts, resume("abc-1"), NO_WORK))).toEqual([
      { code: "resumed", agentSessionId: "abc-1", cancelled: "cut-short" },
    ]));

  it("goes back to the directory that the conversation was held in", () => {
    const moved = foldFacts(facts, planCommand(facts, bindTo("/other"), NO_WORK).facts);
    expect(moved).toMatchObject({ workspace: "/other", bound: null });
    const back = foldFacts(moved, planCommand(moved, resume("s1"), NO_WORK).facts);
    expect(back).toMatchObject({ workspace: WORKSPACE, bound: { agentSessionId: "s1" } });
  });

  it.each(["zzz", "s1", "abc"])("changes nothing for %s, which is not archived", (named) => {
    const written = planCommand(facts, resume(named), NO_WORK);
    expect(written.facts).toEqual([]);
    expect(notices(written)).toEqual([{ code: "resume-unknown", agentSessionId: named }]);
  });
});

describe("a conversation of another chat", () => {
  const session = {
    agentSessionId: "x1",
    transcript: "/t/x1.jsonl",
    agentKind: "scripted",
    model: "model-9",
    completedTurns: 4,
    workspace: "/theirs",
  } as const;
  const take = (how: "resume" | "fork") =>
    ({ type: "command.take", commandId, how, session }) as const;
  const facts = factsOf(
    ...ONE_TURN,
    { type: "fresh.intended", epoch: 2, reason: "new" },
    received(2),
  );

  it.each([
    ["resume", false, "resumed"],
    ["fork", true, "forked"],
  ] as const)("is taken over to %s, in its directory, the own one kept", (how, borrowed, code) => {
    const written = planCommand(facts, take(how), NO_WORK);
    expect(foldFacts(facts, written.facts)).toMatchObject({
      workspace: "/theirs",
      fresh: null,
      bound: { agentSessionId: "x1", model: "model-9", completedTurns: 4, borrowed },
      archived: [{ agentSessionId: "s1", workspace: WORKSPACE }],
      messages: [{ id: 2, state: "received" }],
    });
    expect(notices(written)).toEqual([{ code, agentSessionId: "x1", cancelled: null }]);
  });

  it("is this chat's once the copy is there, with the turns of what it was copied from", () => {
    const taken = foldFacts(facts, planCommand(facts, take("fork"), NO_WORK).facts);
    const copied = foldFacts(taken, [bound("x2")]);
    expect(copied.bound).toMatchObject({
      agentSessionId: "x2",
      completedTurns: 4,
      borrowed: false,
    });
  });

  it("stays listed here where it is only copied", () => {
    const old = foldFacts(facts, [archived("x1")]);
    const copied = foldFacts(old, planCommand(old, take("fork"), NO_WORK).facts);
    expect(copied.archived.map((one) => one.agentSessionId)).toEqual(["x1", "s1"]);
    const resumed = foldFacts(old, planCommand(old, take("resume"), NO_WORK).facts);
    expect(resumed.archived.map((one) => one.agentSessionId)).toEqual(["s1"]);
  });

  it("is not listed here when it is left before it was copied", () => {
    const taken = foldFacts(facts, planCommand(facts, take("fork"), NO_WORK).facts);
    const left = foldFacts(taken, planCommand(taken, NEW, NO_WORK).facts);
    expect(left.bound).toBeNull();
    expect(left.archived.map((one) => one.agentSessionId)).toEqual(["s1"]);
  });
});

describe("a message that had no room", () => {
  const facts = factsOf(
    { type: "message.received", id: 1, uuid: "00000000-0000-4000-8000-0000000000ff" },
    received(2),
    { type: "message.parked", id: 1, reason: "too-large" },
    parked(2),
  );

  it("goes to the cleared context of /new, under a uuid that the agent has not seen", () => {
    const written = planCommand(facts, NEW, NO_WORK);
    expect(foldFacts(facts, written.facts).messages).toMatchObject([
      { id: 1, state: "received", uuid: "00000000-0000-4000-8000-000000000100", parkedFor: null },
      { id: 2, state: "parked" },
    ]);
    expect(notices(written)).toMatchObject([{ code: "new-context", waiting: 1 }]);
  });
});

describe("a command ends the launch", () => {
  const facts = factsOf(...ONE_TURN, archived("s0"));

  it.each([NEW, bindTo("/other"), resume("s0")])("with %o", (command) =>
    expect(endsLaunch(facts, command)).toBe(true),
  );

  it.each([STOP, RETRY, SKIP, bindTo(WORKSPACE), resume("s1"), resume("zzz")])(
    "not with %o",
    (command) => expect(endsLaunch(facts, command)).toBe(false),
  );

  it("exactly when it changes what the next launch would be", () => {
    for (const command of [NEW, STOP, RETRY, SKIP, bindTo("/o"), bindTo(WORKSPACE), resume("s0")]) {
      const after = foldFacts(facts, planCommand(facts, command, NO_WORK).facts);
      const changed =
        after.fresh !== facts.fresh ||
        after.workspace !== facts.workspace ||
        after.bound?.agentSessionId !== facts.bound?.agentSessionId;
      expect(endsLaunch(facts, command), command.type).toBe(changed);
    }
  });

  it("never for what has nothing to go back to", () => {
    expect(endsLaunch(factsOf(bound("s1")), resume(""))).toBe(false);
  });
});

describe("another kind of agent", () => {
  it("leaves the session with the other one, listed, and starts fresh, which is said once", () => {
    const facts = factsOf(...ONE_TURN);
    const written = planAgentChange(facts, "claude");
    const after = foldFacts(facts, written.facts);
    expect(after).toMatchObject({
      agentKind: "claude",
      workspace: WORKSPACE,
      bound: null,
      fresh: { epoch: 2, reason: "agent-changed" },
      archived: [{ agentSessionId: "s1", reason: "agent-changed" }],
    });
    expect(notices(written)).toEqual([{ code: "agent-changed", agentKind: "claude" }]);
    expect(planAgentChange(after, "claude").facts).toEqual([]);
  });

  it.each([
    ["it is the same one", factsOf(...ONE_TURN), "scripted"],
    ["nothing was ever bound", factsOf(), "claude"],
  ] as const)("changes nothing where %s", (_, facts, kind) =>
    expect(planAgentChange(facts, kind)).toMatchObject({ facts: [], say: [] }),
  );
});
