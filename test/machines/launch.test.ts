import { describe, expect, it } from "vitest";
import {
  decideLaunch,
  isUnlaunchedFallback,
  launchInputs,
  type LaunchDecision,
  type LaunchInputs,
  type Probe,
} from "../../machines/launch.ts";
import type { FreshReason } from "../../machines/facts.ts";
import { bound, factsOf, intended, ONE_TURN } from "../support/facts.ts";

const BOOLEANS = [false, true] as const;

const ALL: readonly LaunchInputs[] = BOOLEANS.flatMap((freshIntended) =>
  (["present", "missing", "unreadable", null] as const).flatMap((bound) =>
    [0, 1, 7].flatMap((completedTurns) =>
      BOOLEANS.flatMap((everBound) =>
        BOOLEANS.flatMap((legacyContinue) =>
          BOOLEANS.flatMap((borrowed) =>
            BOOLEANS.map((inUse) => ({
              freshIntended,
              bound,
              completedTurns,
              everBound,
              legacyContinue,
              borrowed,
              inUse,
            })),
          ),
        ),
      ),
    ),
  ),
);

interface Rule {
  readonly name: string;
  readonly decision: LaunchDecision;
  when(inputs: LaunchInputs): boolean;
}

const RULES: readonly Rule[] = [
  {
    name: "is fresh while the fresh intent is pending, whatever else is known",
    decision: { kind: "launch", mode: "fresh" },
    when: (one) => one.freshIntended,
  },
  {
    name: "resumes the bound session whose transcript exists",
    decision: { kind: "launch", mode: "resume" },
    when: (one) => !one.freshIntended && one.bound === "present" && !one.borrowed && !one.inUse,
  },
  {
    name: "copies the session that belongs to another chat, whoever writes to it",
    decision: { kind: "launch", mode: "fork" },
    when: (one) => !one.freshIntended && one.bound === "present" && one.borrowed,
  },
  {
    name: "is unavailable, the session kept, while another program has it open",
    decision: { kind: "unavailable", reason: "session-in-use" },
    when: (one) => !one.freshIntended && one.bound === "present" && !one.borrowed && one.inUse,
  },
  {
    name: "is unavailable, the session kept, while the folder of transcripts cannot be read",
    decision: { kind: "unavailable", reason: "projects-missing" },
    when: (one) => !one.freshIntended && one.bound === "unreadable",
  },
  {
    name: "falls back where the transcript of a session with completed turns is missing",
    decision: { kind: "fallback", reason: "transcript-missing" },
    when: (one) => !one.freshIntended && one.bound === "missing" && one.completedTurns > 0,
  },
  {
    name: "is fresh without a word where the missing transcript held no completed turn",
    decision: { kind: "launch", mode: "fresh" },
    when: (one) => !one.freshIntended && one.bound === "missing" && one.completedTurns === 0,
  },
  {
    name: "continues only where nothing was ever bound and the legacy setting is on",
    decision: { kind: "launch", mode: "continue" },
    when: (one) => !one.freshIntended && one.bound === null && !one.everBound && one.legacyContinue,
  },
  {
    name: "is fresh where nothing is bound, once anything was, legacy setting or not",
    decision: { kind: "launch", mode: "fresh" },
    when: (one) => !one.freshIntended && one.bound === null && one.everBound,
  },
  {
    name: "is fresh where nothing was ever bound and the legacy setting is off",
    decision: { kind: "launch", mode: "fresh" },
    when: (one) =>
      !one.freshIntended && one.bound === null && !one.everBound && !one.legacyContinue,
  },
];

describe("the launch table", () => {
  it.each(RULES)("$name", ({ when, decision }) => {
    const cases = ALL.filter(when);
    expect(cases.length).toBeGreaterThan(0);
    for (const inputs of cases)
      expect(decideLaunch(inputs), JSON.stringify(inputs)).toEqual(decision);
  });

  it("is total: every combination of its inputs falls under exactly one rule", () => {
    expect(ALL).toHaveLength(2 * 4 * 3 * 2 * 2 * 2 * 2);
    for (const inputs of ALL) {
      const ruled = RULES.filter((rule) => rule.when(inputs)).map((rule) => rule.name);
      expect(ruled, JSON.stringify(inputs)).toHaveLength(1);
    }
  });
});

const PROBE: Probe = {
  workspace: { ok: true, path: "/w" },
  fresh: { agentSessionId: "s9", transcript: "/t/s9.jsonl" },
  bound: "present",
  last: "missing",
  boundIncomplete: false,
  trace: null,
  foreignPid: null,
};

describe("the inputs of the launch table", () => {
  it("are read from the facts of a session never seen", () => {
    const probe = { ...PROBE, bound: null, last: null };
    expect(launchInputs(factsOf(), probe, true)).toEqual({
      borrowed: false,
      freshIntended: false,
      bound: null,
      completedTurns: 0,
      everBound: false,
      legacyContinue: true,
      inUse: false,
    });
  });

  it("take the last launch's transcript for a session that it has bound", () => {
    const facts = factsOf(...ONE_TURN);
    expect(launchInputs(facts, PROBE, false)).toMatchObject({
      bound: "missing",
      completedTurns: 1,
      everBound: true,
    });
  });

  it("take the bound session's transcript where the last launch ran another session", () => {
    const facts = factsOf(...ONE_TURN, intended(2, "s2"));
    expect(launchInputs(facts, PROBE, false).bound).toBe("present");
  });

  it("take a bound transcript that the probe did not look at for missing", () => {
    const facts = factsOf(bound("s1"));
    expect(launchInputs(facts, { ...PROBE, bound: null }, false).bound).toBe("missing");
  });

  it("know a pending intent and a foreign process", () => {
    const facts = factsOf({ type: "fresh.intended", epoch: 1, reason: "new" });
    expect(launchInputs(facts, { ...PROBE, foreignPid: 4 }, false)).toMatchObject({
      freshIntended: true,
      inUse: true,
    });
  });
});

describe("an intent that is a fallback not launched yet", () => {
  const after = (reason: FreshReason) =>
    factsOf(...ONE_TURN, { type: "fresh.intended", epoch: 2, reason });

  it.each(["resume-refused", "too-large", "transcript-missing"] as const)(
    "is one of %s",
    (reason) => expect(isUnlaunchedFallback(after(reason))).toBe(true),
  );

  it.each(["new", "agent-changed", "context-restart", "clear", "workspace-changed"] as const)(
    "is none of the user's own %s",
    (reason) => expect(isUnlaunchedFallback(after(reason))).toBe(false),
  );

  it("is launched once the launch that it governs is intended", () => {
    const facts = after("resume-refused");
    const launched = factsOf(
      ...ONE_TURN,
      { type: "fresh.intended", epoch: 2, reason: "resume-refused" },
      intended(2, "s2"),
    );
    expect([isUnlaunchedFallback(facts), isUnlaunchedFallback(launched)]).toEqual([true, false]);
  });

  it("is none without an intent", () => {
    expect(isUnlaunchedFallback(factsOf(...ONE_TURN))).toBe(false);
  });
});
