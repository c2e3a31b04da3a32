import { describe, expect, it } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import {
  diesTooOften,
  planBound,
  planGone,
  planLaunch,
  planRecovery,
  planReset,
  planUnavailable,
} from "../../machines/launch-plans.ts";
import { settles } from "../../machines/answer-plans.ts";
import type { PromptTrace } from "../../machines/vocabulary.ts";
import {
  bound,
  exited,
  factsOf,
  FRESH_PENDING,
  intended,
  ONE_TURN,
  received,
  RETURNING,
} from "../support/facts.ts";
import { contextOf, CRASHED, PROBE } from "../support/session-context.ts";

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
    expect(written.say).toEqual([
      {
        kind: "answer",
        messageId: 2,
        text: "done",
        percent: 40,
        agentKind: "scripted",
        usage: null,
      },
    ]);
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

  it("is parked where the transcript it was given to is gone, or was cut: nobody knows what was done", () => {
    const facts = factsOf(...RETURNING, ...CRASHED.slice(RETURNING.length));
    const gone = planRecovery(
      facts,
      { ...PROBE, bound: "missing", trace: { found: "absent" } },
      false,
    );
    const cut = planRecovery(
      facts,
      { ...PROBE, boundIncomplete: true, trace: { found: "absent" } },
      false,
    );
    for (const written of [gone, cut]) {
      expect(written.facts).toContainEqual({ type: "message.parked", id: 2, reason: "cut-short" });
    }
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

  it("says once that a resumed transcript lacks what was answered", () => {
    const cut = planLaunch(facts, { ...PROBE, boundIncomplete: true }, "resume");
    expect(cut.facts.map((fact) => fact.type)).toEqual([
      "agentSession.incomplete",
      "launch.intended",
    ]);
    expect(cut.say).toMatchObject([{ notice: { code: "partly-kept" } }]);
    const later = planLaunch(
      foldFacts(facts, cut.facts),
      { ...PROBE, boundIncomplete: true },
      "resume",
    );
    expect(later).toMatchObject({ facts: [{ type: "launch.intended" }], say: [] });
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
