import { chmodSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import type { Holdfast, LogRecord } from "../support/holdfast-process.ts";
import { killQuietly } from "../support/processes.ts";

/** The records that operators are promised (docs/logs.md), as the service's process writes them. */

const MODEL = "claude-sonnet-4-5";
const ELAPSED = expect.any(Number) as number;

/** All records of an event, once there are so many. */
async function records(service: Holdfast, msg: string, count = 1): Promise<readonly LogRecord[]> {
  const found = () => service.logs.filter((one) => one.msg === msg);
  await service.waitForLog(() => found().length >= count);
  return found();
}

const numberIn = (record: LogRecord | undefined, field: string) => Number(record?.[field]);

describe("the log of a session of the real agent", () => {
  let bench: Bench;
  let service: Holdfast;
  /** Agent sessions, in the order in which they were bound. */
  const ids: string[] = [];
  /** More than any of its idle times. */
  let reapedAfterMs = 0;

  const ask = async (text: string, reaps: number) => {
    bench.say(`${text}. [[fake: ${JSON.stringify({ text: `done: ${text} [ctx: ~7%]` })}]]`);
    await bench.answer(`done: ${text}`);
    await records(service, "session.idleReap", reaps);
    await records(service, "agent.exited", reaps);
    const id = bench.facts(KEY).bound?.agentSessionId ?? "";
    if (ids.at(-1) !== id) ids.push(id);
  };

  /** New, reaped, resumed, its transcript lost, the next one's damaged, and a process killed. */
  beforeAll(async () => {
    bench = await createBench();
    symlinkSync(bench.workspace, join(bench.root, "link"));
    const started = Date.now();
    service = await bench.start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "400", HOLDFAST_MODEL: MODEL });
    bench.say(`/workspace ${bench.root}/link/`);
    await bench.answer("The workspace is");
    await ask("first", 1);
    reapedAfterMs = Date.now() - started;
    await ask("second", 2);
    for (const file of bench.transcripts()) rmSync(file);
    await ask("third", 3);
    for (const file of bench.transcripts()) writeFileSync(file, "this is no transcript\n");
    await ask("fourth", 4);
    bench.say(`fifth [[fake: {"hang": "headers"}]]`);
    await records(service, "message.accepted", 5);
    for (const pid of bench.agents()) killQuietly(pid);
    await records(service, "agent.failed");
  }, 100_000);
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("tells each spawn, new or on which agent session", async () => {
    const spawns = await records(service, "session.spawn", 5);
    const spawn = { level: "info", session_key: KEY, cwd: bench.workspace, elapsed_ms: ELAPSED };
    expect(spawns.slice(0, 5)).toMatchObject([
      { ...spawn, agent_session_id: "new", model: MODEL },
      { ...spawn, agent_session_id: ids[0], model: expect.stringContaining(MODEL) },
      { ...spawn, agent_session_id: "new", model: MODEL },
      { ...spawn, agent_session_id: ids[1], model: expect.stringContaining(MODEL) },
      { ...spawn, agent_session_id: "new", model: MODEL },
    ]);
  });

  it("tells what each launch was built from", async () => {
    const built = await records(service, "launch.built", 5);
    const fresh = { level: "info", session_key: KEY, mode: "fresh", resume_path: null };
    expect(built[0]).toMatchObject({
      ...fresh,
      force_fresh: true,
      prior_transcript: false,
      fresh_intent_pending: true,
    });
    expect(built[1]).toMatchObject({
      level: "info",
      mode: "resume",
      force_fresh: false,
      prior_transcript: true,
      fresh_intent_pending: false,
      resume_path: expect.stringContaining(`${ids[0]}.jsonl`),
    });
    expect(built[2]).toMatchObject({
      ...fresh,
      force_fresh: true,
      prior_transcript: true,
      fresh_intent_pending: true,
    });
  });

  it("tells a resume with the transcript's size", async () => {
    const [resumed] = await records(service, "session.resumed");
    expect(resumed).toMatchObject({
      level: "info",
      session_key: KEY,
      agent_session_id: ids[0],
      transcript: expect.stringContaining(`${ids[0]}.jsonl`),
      transcript_bytes: expect.any(Number),
      elapsed_ms: ELAPSED,
    });
    expect(numberIn(resumed, "transcript_bytes")).toBeGreaterThan(500);
    expect(numberIn(resumed, "elapsed_ms")).toBeGreaterThan(50);
  });

  it("warns of a transcript that is missing, and says what the launch does", async () => {
    expect(await records(service, "session.transcriptMissing")).toMatchObject([
      {
        level: "warn",
        session_key: KEY,
        agent_session_id: ids[0],
        transcript: expect.stringContaining(`${ids[0]}.jsonl`),
        cwd: bench.workspace,
        launch: "fresh-fallback",
      },
    ]);
  });

  it("tells a resume that failed with the agent's words", async () => {
    const failed = await records(service, "session.resumeFailed");
    expect(failed).toMatchObject([
      {
        level: "error",
        session_key: KEY,
        agent_session_id: ids[1],
        error: expect.stringMatching(/\w/),
        stderr: expect.any(String),
        cwd: bench.workspace,
        transcript_bytes: "this is no transcript\n".length,
        elapsed_ms: ELAPSED,
      },
    ]);
  });

  it("warns of each fallback with both ids and the reason", async () => {
    const fallback = { level: "warn", session_key: KEY, cwd: bench.workspace };
    const fallbacks = await records(service, "session.freshFallback", 2);
    expect(fallbacks).toMatchObject([
      { ...fallback, original_id: ids[0], new_id: ids[1], reason: "transcript-missing" },
      { ...fallback, original_id: ids[1], new_id: ids[2], reason: "resume-refused" },
    ]);
    expect(numberIn(fallbacks[0], "elapsed_ms")).toBeGreaterThanOrEqual(0);
    // The resume that was refused is part of it.
    const [refused] = await records(service, "session.resumeFailed");
    const tried = numberIn(refused, "elapsed_ms");
    expect(numberIn(fallbacks[1], "elapsed_ms")).toBeGreaterThanOrEqual(tried);
  });

  it("tells an idle reap with how long it was idle and how full it was", async () => {
    const reaps = await records(service, "session.idleReap", 4);
    for (const reap of reaps) {
      expect(reap).toMatchObject({
        level: "info",
        session_key: KEY,
        cwd: bench.workspace,
        cause: "limit",
        context_tokens: expect.any(Number),
      });
      expect(numberIn(reap, "idle_ms")).toBeGreaterThanOrEqual(395);
      expect(numberIn(reap, "idle_ms")).toBeLessThan(reapedAfterMs);
      expect(numberIn(reap, "context_tokens")).toBeGreaterThan(0);
    }
  });

  it("measures the context after every turn, on both tracks", async () => {
    const measured = await records(service, "context_usage", 4);
    for (const one of measured.slice(0, 4)) {
      expect(one).toMatchObject({
        level: "info",
        session_key: KEY,
        sdk_pct: expect.any(Number),
        self_reported_pct: 7,
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
      });
    }
  });

  it("tells at debug level the path that was normalized, and only where it changed", async () => {
    const normalized = await records(service, "workspace.normalized");
    expect(normalized).toMatchObject([
      { level: "debug", original: `${bench.root}/link/`, normalized: bench.workspace },
    ]);
  });

  it("tells the end of a process that nobody asked for, and no other, as a failure", async () => {
    const failed = await records(service, "agent.failed");
    expect(failed).toMatchObject([
      {
        level: "error",
        session_key: KEY,
        agent_session_id: ids[2],
        error: "signal SIGKILL",
        stderr: expect.any(String),
        cwd: bench.workspace,
        elapsed_ms: ELAPSED,
      },
    ]);
  });
});

describe("the log of a session of an agent that plays a part", () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await createBench();
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("has null where the agent gave no estimate of its own, and says who wanted the place of a reaped one", async () => {
    const service = await bench.start({
      HOLDFAST_AGENT: "scripted",
      HOLDFAST_LIMIT_LIVE_AGENTS: "1",
    });
    bench.say("from the first chat");
    await bench.answer("from the first chat");
    bench.telegram.addChat({ id: -500, type: "group" });
    bench.say("from the second chat", -500);
    await bench.answer("from the second chat");
    expect(await records(service, "session.idleReap")).toMatchObject([
      { session_key: KEY, cause: "slot", idle_ms: expect.any(Number) },
    ]);
    expect((await records(service, "context_usage"))[0]).toMatchObject({
      self_reported_pct: null,
      sdk_pct: expect.any(Number),
    });
    await service.stop();
  });

  it("tells a code of 0 in the middle of a turn as a failure, with what the process said last", async () => {
    const leaving = join(bench.root, "leaving-agent.cjs");
    writeFileSync(leaving, LEAVING);
    chmodSync(leaving, 0o755);
    const service = await bench.start({ CLAUDE_BIN: leaving, HOLDFAST_LIMIT_CRASH_MAX: "1" });
    bench.say("are you there");
    expect((await records(service, "agent.failed"))[0]).toMatchObject({
      level: "error",
      session_key: KEY,
      agent_session_id: expect.stringMatching(/^[\da-f-]{36}$/),
      error: "exit code 0",
      code: 0,
      stderr: expect.stringContaining("I have other plans"),
      cwd: bench.workspace,
    });
    await service.stop();
  });
});

/** Answers `initialize`, and leaves at its first prompt. */
const LEAVING = `#!${process.execPath}
const { createInterface } = require("node:readline");
createInterface({ input: process.stdin }).on("line", (line) => {
  const said = JSON.parse(line);
  if (said.type === "control_request") {
    const response = { account: { apiKeySource: "x" }, pid: process.pid, models: [], commands: [] };
    const answer = { subtype: "success", request_id: said.request_id, response };
    console.log(JSON.stringify({ type: "control_response", response: answer }));
  }
  if (said.type === "user") {
    console.error("I have other plans");
    process.exit(0);
  }
});
`;
