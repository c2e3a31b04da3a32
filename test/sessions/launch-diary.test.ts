import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import { createLaunchDiary } from "../../src/sessions/launch-diary.ts";
import { factsOf, intended, ONE_TURN, WORKSPACE } from "../support/facts.ts";
import { memoryLog } from "../support/memory-log.ts";
import { gone, ready, refused, unavailable } from "../support/session-harness.ts";

const KEY = "local/c/-";
const RESUME: SessionFact = {
  type: "launch.intended",
  epoch: 2,
  mode: "resume",
  agentSessionId: "s1",
  transcript: "/t/s1.jsonl",
};
const FRESH = intended(2, "s2");

/** The diary of a session's second launch. */
function createDiary(launched: SessionFact, inspect = async () => ({ bytes: 4711 })) {
  let now = 1_000;
  let facts = factsOf(...ONE_TURN, launched);
  const { log, records } = memoryLog();
  const { launch } = facts;
  if (launch === null) throw new Error("No launch");
  const options = {
    agent: {
      inspectTranscript: async () => ({ state: "present" as const, ...(await inspect()) }),
    },
    store: { facts: () => facts },
    model: "configured",
    clock: { now: () => now, setTimeout: () => 0, clearTimeout: () => {} },
    log,
  };
  const diary = createLaunchDiary(options, KEY, facts, launch);
  return {
    records,
    endAsked: () => diary.endAsked(),
    store: (...more: readonly SessionFact[]) => {
      facts = foldFacts(facts, more);
    },
    /** An event some time after the last one; `meanwhile` is what the machine does about it. */
    async happens(event: AgentEvent, meanwhile = () => {}) {
      now += 10;
      const write = diary.note(event);
      meanwhile();
      now += 1_000;
      write();
      await setImmediate();
      return records.at(-1);
    },
  };
}

describe("the record of a spawn", () => {
  const spawned = { type: "agent.spawned", pid: 5, startedAt: "t" } as const;

  it("names the agent session that is resumed, and the model that it ran with", async () => {
    expect(await createDiary(RESUME).happens(spawned)).toEqual({
      level: "info",
      message: "session.spawn",
      fields: {
        session_key: KEY,
        epoch: 2,
        cwd: WORKSPACE,
        agent_session_id: "s1",
        model: "model-1",
        elapsed_ms: 10,
        agent_pid: 5,
      },
    });
  });

  it("says new of a fresh one, and the configured model", async () => {
    expect(await createDiary(FRESH).happens(spawned)).toMatchObject({
      fields: { agent_session_id: "new", model: "configured" },
    });
  });
});

describe("the record of a resume", () => {
  it("has the transcript's size, and the time at which it was proved", async () => {
    expect(await createDiary(RESUME).happens(ready)).toMatchObject({
      level: "info",
      message: "session.resumed",
      fields: {
        agent_session_id: "s1",
        transcript: "/t/s1.jsonl",
        transcript_bytes: 4711,
        elapsed_ms: 10,
      },
    });
  });

  it("is written where the size cannot be read, too", async () => {
    const diary = createDiary(RESUME, () => Promise.reject(new Error("EIO")));
    expect(await diary.happens(ready)).toMatchObject({ fields: { transcript_bytes: null } });
  });

  it.each([
    ["is refused", refused, { reason: "refused", error: "No conversation found" }],
    ["cannot be tried", unavailable, { reason: "not-logged-in", error: "no key" }],
  ])(
    "that %s is an error, with what the agent said and the transcript's size",
    async (_, ...of) => {
      const [event, fields] = of;
      expect(await createDiary(RESUME).happens(event)).toMatchObject({
        level: "error",
        message: "session.resumeFailed",
        fields: {
          ...fields,
          agent_session_id: "s1",
          stderr: expect.any(String),
          cwd: WORKSPACE,
          transcript_bytes: 4711,
        },
      });
    },
  );

  it("that does not answer in time is an error, although its end was asked for", async () => {
    const { store, endAsked, happens } = createDiary(RESUME);
    store({ type: "session.failed", reason: "start-timeout", detail: "no answer within 60 s" });
    endAsked();
    expect(await happens(unavailable)).toMatchObject({
      level: "error",
      message: "session.resumeFailed",
      fields: { reason: "start-timeout", error: "no answer within 60 s" },
    });
  });

  it("that the user ends is none", async () => {
    const { endAsked, happens } = createDiary(RESUME);
    endAsked();
    expect(await happens(unavailable)).toMatchObject({ level: "info", message: "agent.exited" });
  });
});

describe("the end of a process", () => {
  const left = { ...gone(), code: 0 } as const;

  it.each([
    ["code 1", gone(), "exit code 1"],
    ["code 0", left, "exit code 0"],
    ["a signal", { ...gone(), code: null, signal: "SIGKILL" } as const, "signal SIGKILL"],
  ])("that nobody asked for is a failure: %s", async (_, event, error) => {
    const { happens, endAsked } = createDiary(FRESH);
    await happens(ready);
    // Its machine lets go of it when it hears of the end.
    expect(await happens(event, endAsked)).toMatchObject({
      level: "error",
      message: "agent.failed",
      fields: { agent_session_id: "s2", error, stderr: "boom", cwd: WORKSPACE },
    });
  });

  it("that was asked for is none, however it comes", async () => {
    const { happens, endAsked } = createDiary(FRESH);
    await happens(ready);
    endAsked();
    expect(await happens(gone())).toMatchObject({ level: "info", message: "agent.exited" });
  });

  it("before a fresh one is ready is a failure, with its reason", async () => {
    expect(await createDiary(FRESH).happens(unavailable)).toMatchObject({
      level: "error",
      message: "agent.failed",
      fields: { reason: "not-logged-in", error: "no key", agent_session_id: "s2" },
    });
  });

  it("is that of the agent session that a typed /clear has put in the first one's place", async () => {
    const { happens } = createDiary(FRESH);
    await happens(ready);
    const { agentSessionId, transcript } = { agentSessionId: "s3", transcript: "/t/s3.jsonl" };
    await happens({ type: "agent.reset", agentSessionId, transcript });
    expect(await happens(gone())).toMatchObject({ fields: { agent_session_id: "s3" } });
  });

  it("is of the session that the agent has named, where the launch knew none", async () => {
    const continued = {
      ...RESUME,
      mode: "continue",
      agentSessionId: null,
      transcript: null,
    } as const;
    const { happens } = createDiary(continued);
    await happens(ready);
    const { agentSessionId, transcript } = { agentSessionId: "s9", transcript: "/t/s9.jsonl" };
    await happens({ type: "agent.bound", agentSessionId, transcript, model: null });
    expect(await happens(gone())).toMatchObject({ fields: { agent_session_id: "s9" } });
  });
});

describe("the record of a turn", () => {
  it("has both measures of the context, null where one is unknown", async () => {
    const turn = {
      type: "turn.ended",
      uuids: ["u"],
      outcome: "completed",
      text: "",
      context: { used: 62_000, window: 100_000 },
      usage: { inputTokens: 9, outputTokens: 3, costUsd: null, durationMs: null },
      selfReportedPercent: 60,
    } as const;
    const { happens } = createDiary(FRESH);
    expect(await happens(turn)).toMatchObject({
      level: "info",
      message: "context_usage",
      fields: {
        session_key: KEY,
        sdk_pct: 62,
        self_reported_pct: 60,
        input_tokens: 9,
        output_tokens: 3,
      },
    });
    const unknown = { ...turn, context: null, usage: null, selfReportedPercent: null };
    expect(await happens(unknown)).toMatchObject({
      fields: { sdk_pct: null, self_reported_pct: null, input_tokens: null, output_tokens: null },
    });
  });
});
