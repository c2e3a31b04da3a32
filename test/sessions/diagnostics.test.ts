import { describe, expect, it } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import { type SessionFact, type SessionFacts } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import { createDiagnostics } from "../../src/sessions/diagnostics.ts";
import { factsOf, FRESH_PENDING, intended, ONE_TURN, WORKSPACE } from "../support/facts.ts";
import { memoryLog } from "../support/memory-log.ts";

const KEY = "local/c/-";

function world() {
  const time = { now: 1_000 };
  const { log, records } = memoryLog();
  const clock = { now: () => time.now, setTimeout: () => 0, clearTimeout: () => {} };
  const diagnostics = createDiagnostics(clock, log);
  return {
    time,
    records,
    diagnostics,
    /** The facts with a launch that is built. */
    build(facts: SessionFacts, launched: SessionFact) {
      const after = foldFacts(facts, [launched]);
      if (after.launch !== null) diagnostics.launchBuilt(KEY, after, after.launch);
      return records;
    },
  };
}

const PROBE: Probe = {
  workspace: { ok: true, path: WORKSPACE },
  fresh: { agentSessionId: "s2", transcript: "/t/s2.jsonl" },
  bound: "missing",
  last: "missing",
  boundIncomplete: false,
  trace: null,
  foreignPid: null,
};

describe("a transcript that is missing", () => {
  const warned = (facts: SessionFacts, probe: Probe) => {
    const { diagnostics, records } = world();
    diagnostics.looked(KEY, facts, probe);
    return records;
  };
  const unused = ONE_TURN.filter((fact) => fact.type !== "turn.completed");

  it.each([
    ["a fallback where a turn was completed", ONE_TURN, PROBE, "fresh-fallback"],
    ["a fresh start where none was", unused, PROBE, "fresh"],
    [
      "nothing where the workspace is refused",
      ONE_TURN,
      { ...PROBE, workspace: { ok: false, reason: "workspace-missing", detail: "" } } as const,
      "none",
    ],
  ])("is warned of with what follows: %s", (_, facts, probe, launch) => {
    expect(warned(factsOf(...facts), probe)).toEqual([
      {
        level: "warn",
        message: "session.transcriptMissing",
        fields: {
          session_key: KEY,
          agent_session_id: "s1",
          transcript: "/t/s1.jsonl",
          cwd: WORKSPACE,
          launch,
        },
      },
    ]);
  });

  it("is not where it is there, cannot be looked for, or nothing is bound", () => {
    const facts = factsOf(...ONE_TURN);
    expect(warned(facts, { ...PROBE, bound: "present", last: "present" })).toEqual([]);
    expect(warned(facts, { ...PROBE, bound: "unreadable" })).toEqual([]);
    expect(warned(factsOf(), { ...PROBE, bound: null })).toEqual([]);
  });
});

describe("a launch", () => {
  const FALLEN = factsOf(
    ...ONE_TURN,
    {
      type: "agentSession.archived",
      agentSessionId: "s1",
      transcript: "/t/s1.jsonl",
      reason: "resume-refused",
    },
    { type: "fresh.intended", epoch: 2, reason: "resume-refused" },
  );

  it.each([
    ["the first", factsOf(), intended(1, "s1"), { force_fresh: false, prior_transcript: false }],
    [
      "one after /new",
      factsOf(...FRESH_PENDING),
      intended(2, "s2"),
      { force_fresh: true, prior_transcript: true, fresh_intent_pending: true },
    ],
    [
      "a resume",
      factsOf(...ONE_TURN),
      { ...intended(2, "s1"), mode: "resume" } as SessionFact,
      { force_fresh: false, prior_transcript: true, resume_path: "/t/s1.jsonl" },
    ],
  ])("is told with what it was built from: %s", (_, facts, launched, fields) => {
    expect(world().build(facts, launched)).toMatchObject([
      { level: "info", message: "launch.built", fields: { session_key: KEY, ...fields } },
    ]);
  });

  it("that is a fallback is warned of with both ids, since the session was looked at", () => {
    const { time, diagnostics, build } = world();
    diagnostics.looking(KEY);
    time.now += 1_500;
    expect(build(FALLEN, intended(2, "s2"))[1]).toEqual({
      level: "warn",
      message: "session.freshFallback",
      fields: {
        session_key: KEY,
        epoch: 2,
        original_id: "s1",
        new_id: "s2",
        cwd: WORKSPACE,
        reason: "resume-refused",
        elapsed_ms: 1_500,
      },
    });
  });

  it("that follows a fallback, or the user's word, is none itself", () => {
    const { build } = world();
    build(foldFacts(FALLEN, [intended(2, "s2")]), intended(3, "s3"));
    expect(build(factsOf(...FRESH_PENDING), intended(2, "s2"))).toMatchObject([
      { message: "launch.built" },
      { message: "launch.built" },
    ]);
  });
});

describe("a reap", () => {
  const measured = factsOf(...ONE_TURN, {
    type: "context.measured",
    context: { used: 62_000, window: 100_000 },
  });

  it("has the time since the session became idle, and the size of its context", () => {
    const { time, diagnostics, records } = world();
    diagnostics.phaseChanged(KEY, "busy");
    time.now += 5_000;
    diagnostics.phaseChanged(KEY, "idle");
    time.now += 900_000;
    // Said again, which makes it no less idle.
    diagnostics.phaseChanged(KEY, "idle");
    time.now += 1;
    diagnostics.reaped(KEY, measured, "limit");
    expect(records).toEqual([
      {
        level: "info",
        message: "session.idleReap",
        fields: {
          session_key: KEY,
          cwd: WORKSPACE,
          idle_ms: 900_001,
          context_tokens: 62_000,
          cause: "limit",
        },
      },
    ]);
  });

  it.each(["busy", "background"] as const)("counts from the last idle time: %s", (phase) => {
    const { time, diagnostics, records } = world();
    diagnostics.phaseChanged(KEY, "idle");
    time.now += 10_000;
    diagnostics.phaseChanged(KEY, phase);
    time.now += 10_000;
    diagnostics.phaseChanged(KEY, "idle");
    time.now += 300;
    diagnostics.reaped(KEY, factsOf(...ONE_TURN), "slot");
    expect(records).toMatchObject([
      { fields: { idle_ms: 300, context_tokens: null, cause: "slot" } },
    ]);
  });
});
