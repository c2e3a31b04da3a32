import { describe, expect, it } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import type { SessionFact } from "../../machines/facts.ts";
import { decideResume } from "../../machines/resume.ts";
import { bound, exited, factsOf, intended, ONE_TURN, WORKSPACE } from "../support/facts.ts";

const left = (agentSessionId: string): SessionFact => ({
  type: "agentSession.archived",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
  reason: "new",
});
const taken = (agentSessionId: string): SessionFact => ({
  type: "agentSession.taken",
  how: "fork",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
  agentKind: "scripted",
  model: null,
  completedTurns: 1,
});

/** Now in `s1`; has left `abc1` and `abd2`. */
const own = factsOf(...ONE_TURN, left("abc1"), left("abd2"));
const other = (...facts: readonly SessionFact[]) => ({
  key: "telegram/7/-",
  facts: factsOf(...ONE_TURN.slice(0, 1), ...facts),
});
const decide = (asked: string, ...others: readonly ReturnType<typeof other>[]) =>
  decideResume(asked, own, others);

describe("a /resume", () => {
  it.each(["abc1", "abc"])("of %s goes back to what this chat has left", (asked) =>
    expect(decide(asked)).toMatchObject({ kind: "own", session: { agentSessionId: "abc1" } }),
  );

  it.each(["s1", "s"])("of %s, the present conversation, is nothing to do", (asked) =>
    expect(decide(asked)).toMatchObject({ kind: "current", session: { agentSessionId: "s1" } }),
  );

  it.each(["", "zzz", "abc12"])("of “%s” finds nothing", (asked) =>
    expect(decide(asked, other(bound("x1")))).toEqual({ kind: "unknown" }),
  );

  it("of a beginning that fits several asks which", () =>
    expect(decide("ab")).toEqual({ kind: "ambiguous", agentSessionIds: ["abc1", "abd2"] }));

  it("of what another chat holds says who", () =>
    expect(decide("x1", other(bound("x1")))).toEqual({
      kind: "held",
      by: "telegram/7/-",
      session: {
        agentSessionId: "x1",
        transcript: "/t/x1.jsonl",
        agentKind: "scripted",
        model: "model-1",
        completedTurns: 0,
        workspace: WORKSPACE,
      },
    }));

  it("of what this chat has left and another has taken since says who, too", () =>
    expect(decide("abc1", other(bound("abc1")))).toMatchObject({ kind: "held" }));

  it("of what another chat has left takes it from there", () =>
    expect(decide("x1", other(left("x1")))).toMatchObject({
      kind: "left",
      session: { agentSessionId: "x1", workspace: WORKSPACE },
    }));

  it("of what another chat has just left waits until its process is gone", () => {
    const leaving = other(intended(1, "x1"), bound("x1"), left("x1"));
    expect(decide("x1", leaving)).toMatchObject({ kind: "leaving" });
    const gone = other(intended(1, "x1"), bound("x1"), left("x1"), exited(1));
    expect(decide("x1", gone)).toMatchObject({ kind: "left" });
    const elsewhere = other(intended(1, "x1"), left("x1"), exited(1), intended(2, "x2"));
    expect(decide("x1", elsewhere)).toMatchObject({ kind: "left" });
  });

  it("of what another chat only copies is not kept from it", () =>
    expect(decide("abc1", other(taken("abc1")))).toMatchObject({ kind: "own" }));

  it("of another kind of agent's conversation finds nothing, for it cannot read it", () => {
    const foreign = foldFacts(own, [{ ...bound("x1"), agentKind: "claude" } as SessionFact]);
    expect(decideResume("x1", own, [{ key: "k", facts: foreign }])).toEqual({ kind: "unknown" });
  });
});
