import { describe, expect, it } from "vitest";
import { foldFacts, type SessionFact, type SessionFacts } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import {
  diesTooOften,
  isOverflowOfResume,
  planBound,
  planGiven,
  planGone,
  planLaunch,
  planOverflow,
  planRecovery,
  planReset,
  planTurnEnded,
  planUnavailable,
  settles,
} from "../../machines/session-plans.ts";
import type { SessionContext, Turn } from "../../machines/session-types.ts";
import type { PromptTrace, TurnOutcome } from "../../machines/vocabulary.ts";
import {
  bound,
  exited,
  factsOf,
  FRESH_PENDING,
  intended,
  ONE_TURN,
  received,
  RETURNING,
  WORKSPACE,
} from "../support/facts.ts";

const PROBE: Probe = {
  workspace: { ok: true, path: WORKSPACE },
  fresh: { agentSessionId: "s9", transcript: "/t/s9.jsonl" },
  bound: "present",
  last: "present",
  trace: null,
  foreignPid: null,
};

const TURN: Turn = {
  origin: "user",
  messageId: 2,
  uuid: "uuid-2",
  openTools: [],
  approval: null,
  ending: null,
  cause: "",
  cleared: false,
  compaction: null,
};

function contextOf(facts: SessionFacts, more: Partial<SessionContext> = {}): SessionContext {
  return {
    key: "k",
    limits: DEFAULT_LIMITS,
    policy: { legacyContinue: false, approvals: "deny" },
    facts,
    probe: PROBE,
    turn: TURN,
    provedByTurn: false,
    background: 0,
    process: facts.epoch,
    wedged: false,
    ...more,
  };
}

/** The service died while message 2 was with the launch 2 on the session `s1`. */
const CRASHED: readonly SessionFact[] = [
  ...RETURNING,
  {
    type: "launch.intended",
    epoch: 2,
    mode: "resume",
    agentSessionId: "s1",
    transcript: "/t/s1.jsonl",
  },
  { type: "message.given", id: 2, epoch: 2, transcript: "/t/s1.jsonl" },
];

describe("what is taken over before a launch", () => {
  it("is the workspace, as it was found", () => {
    const probe: Probe = { ...PROBE, last: null, workspace: { ok: true, path: "/real" } };
    expect(planRecovery(factsOf(), probe, false).facts).toEqual([
      { type: "workspace.bound", path: "/real", agentKind: "scripted" },
    ]);
  });

  it("is nothing where the facts are up to date", () => {
    expect(planRecovery(factsOf(...ONE_TURN), PROBE, false)).toEqual({
      facts: [],
      say: [],
      commandsDone: [],
    });
  });

  it("is the end of a process whose end nobody saw, which is no death of its own", () => {
    const facts = factsOf(...CRASHED);
    expect(
      planRecovery(facts, { ...PROBE, trace: { found: "absent" } }, false).facts,
    ).toContainEqual(exited(2));
  });

  it("is the session of a launch that died before it could say that it has a transcript", () => {
    const facts = factsOf(received(1), intended(1, "s1"));
    expect(planRecovery(facts, PROBE, false).facts).toContainEqual({
      ...bound("s1"),
      model: null,
      agentKind: "scripted",
    });
  });

  it.each([
    ["whose transcript never appeared", "missing", []],
    [
      "that the user has cleared since",
      "present",
      [{ type: "fresh.intended", epoch: 2, reason: "new" }],
    ],
    ["where another is bound", "present", [bound("s0")]],
  ] as const)("is not the session of a launch %s", (_, last, more) => {
    const facts = factsOf(received(1), intended(1, "s1"), ...more);
    const written = planRecovery(facts, { ...PROBE, last }, false).facts.map((fact) => fact.type);
    expect(written).not.toContain("agentSession.bound");
  });

  it("is not an archived session, which the user or a refusal has given up", () => {
    const facts = factsOf(...FRESH_PENDING);
    const written = planRecovery(facts, PROBE, false).facts.map((fact) => fact.type);
    expect(written).not.toContain("agentSession.bound");
  });
});

describe("the message that was in flight at a crash", () => {
  const recover = (trace: PromptTrace | null, facts = factsOf(...CRASHED)) => {
    const written = planRecovery(facts, { ...PROBE, trace }, false);
    return { written, after: foldFacts(facts, written.facts) };
  };

  it("is given again under the same uuid where the transcript does not know it", () => {
    const { written, after } = recover({ found: "absent" });
    expect(after.messages).toMatchObject([{ id: 2, uuid: "uuid-2", state: "received" }]);
    expect(written.say).toEqual([]);
  });

  it("is answered from the transcript, the turn counted", () => {
    const context = { used: 40, window: 100 };
    const { written, after } = recover({ found: "finished", text: "done", context });
    expect(after).toMatchObject({ messages: [], context, bound: { completedTurns: 2 } });
    expect(written.say).toEqual([{ kind: "answer", messageId: 2, text: "done", percent: 40 }]);
  });

  it.each<PromptTrace | null>([
    { found: "unfinished", toolsRan: true },
    { found: "unfinished", toolsRan: false },
    null,
  ])("is parked and put to the user after %o", (trace) => {
    const { written, after } = recover(trace);
    expect(after.messages).toMatchObject([{ id: 2, state: "parked" }]);
    expect(written.say).toMatchObject([{ notice: { code: "parked", reason: "cut-short" } }]);
  });

  it("is parked where a tool ran for it, although the transcript does not know it yet", () => {
    const facts = factsOf(...CRASHED, { type: "turn.toolRan", messageId: 2 });
    const { after } = recover({ found: "absent" }, facts);
    expect(after.messages).toMatchObject([{ id: 2, state: "parked" }]);
  });

  it("settles the fresh intent when its answer is found, as the turn itself would have", () => {
    const facts = factsOf(...FRESH_PENDING, intended(2, "s2"), {
      type: "message.given",
      id: 2,
      epoch: 2,
      transcript: "/t/s2.jsonl",
    });
    const { after } = recover({ found: "finished", text: "done", context: null }, facts);
    expect(after).toMatchObject({
      fresh: null,
      bound: { agentSessionId: "s2", completedTurns: 1 },
    });
  });
});

describe("what a launch writes", () => {
  const facts = factsOf(...RETURNING);

  it("is the next epoch with a session of our own when fresh, what was bound archived", () => {
    expect(planLaunch(facts, PROBE, "fresh").facts).toEqual([
      {
        type: "agentSession.archived",
        agentSessionId: "s1",
        transcript: "/t/s1.jsonl",
        reason: "superseded",
      },
      intended(2, "s9"),
    ]);
  });

  it("is the bound session with its transcript when resuming", () => {
    expect(planLaunch(facts, PROBE, "resume").facts).toEqual([
      { ...intended(2, "s1"), mode: "resume" },
    ]);
  });

  it("is no session when continuing: the agent chooses", () => {
    expect(planLaunch(factsOf(), PROBE, "continue").facts).toEqual([
      {
        type: "launch.intended",
        epoch: 1,
        mode: "continue",
        agentSessionId: null,
        transcript: null,
      },
    ]);
  });
});

describe("what a process tells", () => {
  const event = (agentSessionId: string, model: string | null = "model-1", epoch = 1) =>
    ({
      type: "agent.bound",
      epoch,
      agentSessionId,
      transcript: `/t/${agentSessionId}.jsonl`,
      model,
    }) as const;

  it("binds its session once, and again when the model becomes known", () => {
    const facts = factsOf(intended(1, "s1"));
    expect(planBound(facts, event("s1")).facts).toEqual([bound("s1")]);
    const unknown = factsOf({ ...bound("s1"), model: null } as SessionFact);
    expect(planBound(unknown, event("s1", null)).facts).toEqual([]);
    expect(planBound(unknown, event("s1")).facts).toEqual([bound("s1")]);
    expect(planBound(factsOf(bound("s1")), event("s1")).facts).toEqual([]);
  });

  it("binds nothing that the user has cleared since", () => {
    const facts = factsOf(intended(1, "s1"), { type: "fresh.intended", epoch: 2, reason: "new" });
    expect(planBound(facts, event("s1")).facts).toEqual([]);
    expect(planBound(facts, event("s2", null, 2)).facts).toHaveLength(1);
  });

  it("counts its own end as a death only where the session says so", () => {
    const end = {
      type: "agent.exited",
      epoch: 1,
      at: 7,
      code: 1,
      signal: null,
      stderr: "",
    } as const;
    expect(planGone(end, true).facts).toEqual([exited(1, 7)]);
    expect(planGone(end, false).facts).toEqual([exited(1)]);
  });

  it.each([
    [
      { type: "agent.exited", epoch: 1, at: 7, code: 1, signal: null, stderr: "boom" },
      "start-failed",
      "boom",
    ],
    [{ type: "agent.refused", epoch: 1, detail: "no", stderr: "" }, "start-failed", "no"],
    [
      { type: "agent.unavailable", epoch: 1, reason: "binary-missing", detail: "x", stderr: "" },
      "binary-missing",
      "x",
    ],
  ] as const)("before it was ready fails the session: %o", (end, reason, detail) => {
    const written = planUnavailable(end);
    expect(written.facts).toEqual([exited(1), { type: "session.failed", reason, detail }]);
    expect(written.say).toMatchObject([{ notice: { code: "launch-failed", reason, detail } }]);
  });

  it("of a typed /clear arms the intent for the launch that runs", () => {
    const facts = factsOf(...RETURNING, intended(2, "s1"));
    const reset = {
      type: "agent.reset",
      epoch: 2,
      agentSessionId: "s7",
      transcript: "/t/s7.jsonl",
    } as const;
    const after = foldFacts(facts, planReset(facts, reset).facts);
    expect(after).toMatchObject({ bound: null, fresh: { epoch: 2, reason: "clear" } });
    expect(settles(after, after.launch)).toBe(true);
  });
});

describe("a message that is given", () => {
  it("says where its trace will be", () => {
    const facts = factsOf(...RETURNING, intended(2, "s2"));
    expect(planGiven(facts).facts).toEqual([
      { type: "message.given", id: 2, epoch: 2, transcript: "/t/s2.jsonl" },
    ]);
  });

  it.each([
    ["no message", factsOf(intended(1, "s1"))],
    ["no launch", factsOf(received(1))],
  ])("is none where there is %s", (_, facts) => expect(planGiven(facts).facts).toEqual([]));
});

describe("the fresh intent is settled", () => {
  const pending = factsOf({ type: "fresh.intended", epoch: 2, reason: "new" }, intended(2, "s2"));
  const launch = pending.launch;
  if (launch === null) throw new Error("There is a launch");

  it.each([
    ["by a fresh launch that it governs", launch, true],
    ["by a later fresh launch", { ...launch, epoch: 3 }, true],
    ["not by an earlier launch", { ...launch, epoch: 1 }, false],
    ["not by a resume", { ...launch, mode: "resume" as const }, false],
    ["not by a continued session", { ...launch, mode: "continue" as const }, false],
    ["not by a launch that is not known", null, false],
  ])("%s", (_, one, settled) => expect(settles(pending, one)).toBe(settled));

  it("not where there is none", () => expect(settles(factsOf(...ONE_TURN), launch)).toBe(false));
});

describe("the end of the user's turn", () => {
  const facts = factsOf(...CRASHED);
  const ended = (outcome: TurnOutcome, context: { used: number; window: number } | null = null) =>
    ({
      type: "turn.ended",
      epoch: 2,
      uuids: ["uuid-2"],
      outcome,
      text: "text",
      context,
      usage: null,
      selfReportedPercent: null,
    }) as const;

  it.each<[TurnOutcome, Partial<Turn>, string, string]>([
    ["completed", {}, "message.answered", "answer"],
    ["local", {}, "message.answered", "answer"],
    ["failed", {}, "message.failed", "turn-failed"],
    ["too-large", {}, "message.parked", "parked"],
    ["swallowed", {}, "message.parked", "parked"],
    ["interrupted", {}, "message.failed", "turn-interrupted"],
    ["interrupted", { ending: "quiet" }, "message.parked", "partial,parked"],
    ["local", { cleared: true }, "message.answered", "new-context"],
    ["local", { compaction: { ok: true, detail: "" } }, "message.answered", "compacted"],
    ["local", { compaction: { ok: false, detail: "no" } }, "message.failed", "compact-failed"],
  ])("as %s %o is %s and says %s", (outcome, turn, type, said) => {
    const written = planTurnEnded(contextOf(facts, { turn: { ...TURN, ...turn } }), ended(outcome));
    expect(written.facts[0]).toMatchObject({ type, id: 2 });
    expect(
      written.say.map((say) => (say.kind === "notice" ? say.notice.code : say.kind)).join(),
    ).toBe(said);
    expect(written.say[0]).toMatchObject({ messageId: 2 });
    expect(foldFacts(facts, written.facts).messages.some((one) => one.state !== "parked")).toBe(
      false,
    );
  });

  it("ends nothing a second time: what the user has cancelled stays so", () => {
    const cancelled = foldFacts(facts, [{ type: "message.cancelled", id: 2 }]);
    const context = { used: 1, window: 2 };
    expect(planTurnEnded(contextOf(cancelled), ended("completed", context))).toEqual({
      facts: [
        { type: "turn.completed", epoch: 2 },
        { type: "context.measured", context },
      ],
      say: [],
      commandsDone: [],
    });
  });

  it.each(["local", "failed", "too-large", "swallowed", "interrupted"] as const)(
    "as %s counts for nothing where the user has cancelled the message",
    (outcome) => {
      const cancelled = foldFacts(facts, [{ type: "message.cancelled", id: 2 }]);
      expect(planTurnEnded(contextOf(cancelled), ended(outcome))).toEqual({
        facts: [],
        say: [],
        commandsDone: [],
      });
    },
  );

  it("shows the last known size of the context where the agent reports none", () => {
    const known = foldFacts(facts, [
      { type: "context.measured", context: { used: 50, window: 100 } },
    ]);
    for (const outcome of ["completed", "local"] as const) {
      const written = planTurnEnded(contextOf(known), ended(outcome));
      expect(written.say).toMatchObject([{ percent: 50 }]);
    }
  });
});

describe("an overflow", () => {
  it.each([
    ["resume", false, true],
    ["continue", false, true],
    ["fresh", false, false],
    ["resume", true, false],
  ] as const)(
    "of a %s, a turn completed since: %s, is the resume's fault: %s",
    (mode, provedByTurn, is) => {
      const facts = factsOf({ ...intended(1, "s1"), mode } as SessionFact);
      expect(isOverflowOfResume(contextOf(facts, { provedByTurn }))).toBe(is);
    },
  );

  it.each([
    ["no tool", [], "received"],
    ["a tool", [{ type: "turn.toolRan", messageId: 2 }], "parked"],
  ] as const)(
    "gives the session up; a message for which %s ran %o is then %s",
    (_, more, state) => {
      const facts = factsOf(...CRASHED, ...more);
      const written = planOverflow(contextOf(facts));
      expect(foldFacts(facts, written.facts)).toMatchObject({
        bound: null,
        fresh: { epoch: 3, reason: "too-large" },
        messages: [{ id: 2, uuid: "uuid-2", state }],
      });
      const parked = state === "parked";
      expect(written.say).toMatchObject([
        { notice: { code: "context-lost", reason: "too-large", parked } },
      ]);
    },
  );
});

describe("deaths", () => {
  const dying = (...at: readonly number[]) =>
    contextOf(factsOf(intended(1, "s1"), ...at.map((one) => exited(1, one))));
  const window = DEFAULT_LIMITS.crashWindowMs;

  it.each([
    ["none", [], false],
    ["one fewer than the limit", [0, 1], false],
    ["as many as the limit at once", [0, 1, 2], true],
    ["as many as the limit just within the window", [0, 1, window - 1], true],
    ["as many as the limit, the first just outside the window", [0, 1, window], false],
    ["the limit again after a long time", [0, 9 * window, 9 * window + 1, 9 * window + 2], true],
  ])("%s are too many: %s", (_, at, tooMany) => expect(diesTooOften(dying(...at))).toBe(tooMany));
});
