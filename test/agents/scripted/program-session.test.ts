import { randomUUID } from "node:crypto";
import { appendFile, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listProcesses, readProcess } from "../../../src/agents/process.ts";
import { createScene, scripted } from "./program-driver.ts";
import type { Program, Scene } from "./program-driver.ts";

/** Sessions: transcripts, resumes, ends and deaths. */

let scene: Scene;

beforeEach(async () => {
  scene = await createScene();
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

/** Closes the input and waits for the end. */
async function close(program: Program): Promise<number | null> {
  program.closeInput();
  return (await program.exit).code;
}

async function tell(program: Program, ...texts: string[]): Promise<string> {
  let answer = "";
  for (const text of texts) {
    program.prompt(text);
    const result = await program.next({ type: "result" });
    answer = String(result["result"]);
  }
  return answer;
}

describe("the transcript", () => {
  it("links the rows of a turn from the prompt's uuid to the final answer", async () => {
    const id = randomUUID();
    const program = await scene.ready(id);
    const uuid = program.prompt(scripted({ say: "I look.", tools: [{}], text: "Done." }));
    await program.next({ type: "result" });
    const rows = await scene.rows(id);
    expect(rows.map((row) => row["type"])).toEqual([
      "user",
      "assistant",
      "assistant",
      "user",
      "assistant",
    ]);
    expect(rows[0]).toMatchObject({ uuid, parentUuid: null, isSidechain: false, sessionId: id });
    expect(rows.slice(1).map((row) => row["parentUuid"])).toEqual(
      rows.slice(0, -1).map((row) => row["uuid"]),
    );
    const stops = rows.map((row) => (row["message"] as { stop_reason?: string }).stop_reason);
    expect(stops).toEqual([undefined, "tool_use", "tool_use", undefined, "end_turn"]);
    expect((await stat(scene.transcript(id))).mode & 0o777).toBe(0o600);
  });

  it("does not exist before the first prompt", async () => {
    const id = randomUUID();
    const program = await scene.ready(id);
    expect(await close(program)).toBe(0);
    await expect(stat(scene.transcript(id))).rejects.toThrow("ENOENT");
  });
});

describe("a resume", () => {
  it("knows what was said before and appends to the same transcript", async () => {
    const id = randomUUID();
    const first = await scene.ready(id);
    expect(await tell(first, "My cat is called Ada.", "I like tea.")).toContain("2 things");
    expect(await close(first)).toBe(0);
    const second = await scene.ready(id, "--resume");
    const answer = await tell(second, "Hello again.");
    expect(answer).toContain("You have told me 3 things so far; the first was “My cat is called");
    expect(answer).toContain("started again");
    expect(await scene.rows(id)).toHaveLength(6);
    expect(new Set(second.lines.flatMap((line) => line.session_id ?? []))).toEqual(new Set([id]));
  });

  it("has the context's size before its first turn", async () => {
    const id = randomUUID();
    const first = await scene.ready(id);
    await tell(first, scripted({ text: "x", usage: { used: 40_000 } }));
    await close(first);
    const second = await scene.ready(id, "--resume");
    second.request({ subtype: "get_context_usage" });
    const { response } = await second.next({ type: "control_response" });
    expect(response).toMatchObject({ response: { totalTokens: 40_000, apiUsage: {} } });
  });

  it.each([
    ["an unknown id", randomUUID(), null, "No conversation found with session ID: "],
    ["an empty transcript", randomUUID(), "", "No conversation found with session ID: "],
    ["garbage", randomUUID(), "gar\nbage\n", "No conversation found with session ID: "],
    ["an id that is no UUID", "nonsense", null, "--resume requires a valid session ID"],
  ])("of %s is refused without an answer to initialize", async (_, id, content, error) => {
    if (content !== null) {
      await mkdir(dirname(scene.transcript(id)), { recursive: true });
      await writeFile(scene.transcript(id), content);
    }
    const program = scene.start({ args: ["--resume", id] });
    program.request({ subtype: "initialize" });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.lines).toMatchObject([
      {
        type: "result",
        subtype: "error_during_execution",
        is_error: true,
        num_turns: 0,
        session_id: id,
        errors: [expect.stringContaining(error)],
      },
    ]);
    expect(program.stderr()).toContain(error);
  });

  it("of a directory is refused with what the system says", async () => {
    const id = randomUUID();
    await mkdir(scene.transcript(id), { recursive: true });
    const program = scene.start({ args: ["--resume", id] });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr()).toContain("Failed to resume session: EISDIR");
  });

  it("passes over a broken line and half a row at the end", async () => {
    const id = randomUUID();
    const first = await scene.ready(id);
    await tell(first, "one");
    await close(first);
    await appendFile(scene.transcript(id), 'not json\n{"type":"user","uuid":"');
    const second = await scene.ready(id, "--resume");
    expect(await tell(second, "two")).toContain("2 things");
  });

  it("continues the newest session of the directory, or begins one", async () => {
    const begun = scene.start({ args: ["--continue"] });
    expect(await tell(begun, "first of all")).toContain("first of all");
    await close(begun);
    const continued = scene.start({ args: ["--continue"] });
    expect(await tell(continued, "and then")).toContain("the first was “first of all”");
  });

  it("gives a new session no id that is taken", async () => {
    const id = randomUUID();
    await tell(await scene.ready(id), "one");
    const program = scene.start({ args: ["--session-id", id] });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.lines).toEqual([]);
    expect(program.stderr()).toContain(`Session ID ${id} is already in use.`);
  });
});

describe("a prompt that is given again after a death", () => {
  async function killedAt(crash: string): Promise<{ id: string; uuid: string; rows: number }> {
    const id = randomUUID();
    const program = await scene.ready(id);
    const tools = crash === "mid-tool" ? [{ durationMs: 1 }] : [];
    const uuid = program.prompt(scripted({ crash, tools }));
    expect(await program.exit).toEqual({ code: null, signal: "SIGKILL" });
    const rows = await scene.rows(id).catch(() => []);
    expect(program.lines.some((line) => line.type === "result")).toBe(false);
    return { id, uuid, rows: rows.length };
  }

  it("leaves no trace before it was accepted", async () => {
    const { rows } = await killedAt("before-accept");
    expect(rows).toBe(0);
  });

  it("runs again when no answer had begun", async () => {
    const { id, uuid, rows } = await killedAt("after-accept");
    expect(rows).toBe(1);
    const program = await scene.ready(id, "--resume");
    program.prompt(scripted({ text: "Now." }), uuid);
    expect(await program.next({ type: "result" })).toMatchObject({ result: "Now." });
    const [prompt, answer] = await scene.rows(id);
    expect(answer?.["parentUuid"]).toBe(prompt?.["uuid"]);
  });

  it("is swallowed when a tool had begun", async () => {
    const { id, uuid, rows } = await killedAt("mid-tool");
    expect(rows).toBe(2);
    const program = await scene.ready(id, "--resume");
    program.prompt("again", uuid);
    await program.next({ type: "command_lifecycle", command_uuid: uuid, state: "completed" });
    await tell(program, "something new");
    expect(program.lines.filter((line) => line.type === "result")).toHaveLength(1);
  });

  it("has its answer in the transcript when only the result is missing", async () => {
    const { id, rows } = await killedAt("after-answer-before-result");
    expect(rows).toBe(2);
    const [, answer] = await scene.rows(id);
    expect(answer?.["message"]).toMatchObject({ stop_reason: "end_turn" });
  });
});

describe("the end", () => {
  it("of input comes after the running turn and its background task", async () => {
    const program = await scene.ready();
    program.prompt(scripted({ delayMs: 150, background: { ms: 150, text: "Late." }, text: "x" }));
    await program.next({ type: "system", subtype: "init" });
    expect(await close(program)).toBe(0);
    const results = program.lines.filter((line) => line.type === "result");
    expect(results.map((line) => line["result"])).toEqual(["x", "Late."]);
  });

  it("of input fails a permission that nobody can give any more", async () => {
    const program = await scene.ready();
    program.prompt(scripted({ approval: { name: "Write" } }));
    await program.next({ type: "control_request" });
    expect(await close(program)).toBe(0);
    expect(program.lines.at(-2)?.["result"]).toContain("The input has ended.");
  });

  it("tells with code 1 that the last result was an error", async () => {
    const program = await scene.ready();
    program.prompt(scripted({ error: "bad" }));
    await program.next({ type: "result" });
    expect(await close(program)).toBe(1);
  });

  it("by end_session is at once while idle, and interrupts a turn with its tool", async () => {
    const idle = await scene.ready();
    idle.request({ subtype: "end_session" });
    expect(await idle.exit).toEqual({ code: 0, signal: null });
    const busy = await scene.ready();
    busy.prompt(scripted({ tools: [{ durationMs: 60_000 }] }));
    const tool = await toolOf(busy);
    busy.request({ subtype: "end_session" });
    expect(await busy.exit).toEqual({ code: 1, signal: null });
    await expect.poll(() => readProcess(tool)).toBeNull();
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 0],
  ] as const)("by %s takes the tools along and exits %i", async (signal, code) => {
    const program = await scene.ready();
    program.prompt(scripted({ tools: [{ durationMs: 60_000 }] }));
    const tool = await toolOf(program);
    program.kill(signal);
    expect(await program.exit).toEqual({ code, signal: null });
    await expect.poll(() => readProcess(tool)).toBeNull();
    expect(program.lines.some((line) => line.type === "result")).toBe(false);
  });

  it("by SIGKILL leaves a tool behind in a session of its own", async () => {
    const program = await scene.ready();
    program.prompt(scripted({ tools: [{ durationMs: 60_000 }] }));
    const tool = await toolOf(program);
    expect(readProcess(tool)?.pgid).toBe(tool);
    program.kill("SIGKILL");
    await program.exit;
    expect(readProcess(tool)).not.toBeNull();
    process.kill(tool, "SIGKILL");
  });

  it("is not heard by a deaf turn, but for SIGTERM", async () => {
    const program = await scene.ready();
    program.prompt(scripted({ deaf: true }));
    await program.next({ type: "system", subtype: "init" });
    const before = program.lines.length;
    program.request({ subtype: "interrupt" });
    program.request({ subtype: "end_session" });
    program.closeInput();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(readProcess(program.pid)).not.toBeNull();
    expect(program.lines).toHaveLength(before);
    program.kill("SIGTERM");
    expect(await program.exit).toEqual({ code: 143, signal: null });
  });

  it.each([
    ["no JSON", "nonsense\n"],
    ["a prompt without a message", '{"type":"user"}\n'],
  ])("comes with %s on the input", async (_, line) => {
    const program = await scene.ready();
    program.raw(line);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr()).toContain("Error parsing streaming input line");
  });

  it("does not come with what the protocol ignores", async () => {
    const program = await scene.ready();
    program.raw('\n{"type":"keep_alive"}\n{"type":"something_else"}\n');
    expect(await tell(program, scripted({ text: "fine" }))).toBe("fine");
  });
});

it("keeps a file about its process, with the session from the first prompt on", async () => {
  const id = randomUUID();
  const program = await scene.ready(id);
  const path = join(scene.configDir, "sessions", `${program.pid}.json`);
  const read = async (): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));
  const procStart = readProcess(program.pid)?.startedAt;
  expect(await read()).toMatchObject({ pid: program.pid, cwd: scene.workspace, procStart });
  expect(await read()).not.toHaveProperty("sessionId");
  await tell(program, "hello");
  expect(await read()).toMatchObject({ sessionId: id });
  await close(program);
  await expect(stat(path)).rejects.toThrow("ENOENT");
});

/** Pid of the process that the running tool has started. */
async function toolOf(program: Program): Promise<number> {
  let pid: number | undefined;
  await expect
    .poll(() => {
      pid = listProcesses().find((one) => one.ppid === program.pid && one.pgid === one.pid)?.pid;
      return pid;
    })
    .toBeDefined();
  return pid ?? 0;
}
