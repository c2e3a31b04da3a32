import { describe, expect, it } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import type { SessionFact } from "../../machines/facts.ts";
import {
  isOverflowOfResume,
  planGiven,
  planOverflow,
  planTurnEnded,
} from "../../machines/turn-plans.ts";
import { settles } from "../../machines/answer-plans.ts";
import type { Turn } from "../../machines/session-types.ts";
import type { TurnOutcome } from "../../machines/vocabulary.ts";
import { factsOf, intended, ONE_TURN, received, RETURNING } from "../support/facts.ts";
import { contextOf, CRASHED, TURN } from "../support/session-context.ts";

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
