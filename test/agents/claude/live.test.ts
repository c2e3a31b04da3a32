import { randomUUID } from "node:crypto";
import { appendFile, chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../machines/limits.ts";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import type { ClaudeAgentOptions } from "../../../src/agents/claude/agent.ts";
import type { LaunchPlan } from "../../../src/ports.ts";
import { drive, eventually, markedPids, realClock, typesOf } from "../../contract/agent-driver.ts";

/** Real programs that misbehave in ways the real CLI cannot be made to. */
const READY = `
  const say = (line) => process.stdout.write(JSON.stringify(line) + "\\n");
  const lines = require("node:readline").createInterface({ input: process.stdin });
  lines.on("line", (text) => {
    const line = JSON.parse(text);
    if (line.request?.subtype === "initialize") {
      say({ type: "control_response", response: { subtype: "success", request_id: line.request_id, response: {} } });
      onReady();
    } else onLine(line);
  });
`;

let folder = "";
const logged: string[] = [];
beforeEach(async () => {
  logged.length = 0;
  folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-live-")));
});
afterEach(async () => {
  const left = markedPids(folder);
  await rm(folder, { recursive: true, force: true });
  if (left.length > 0) throw new Error(`processes are left: ${left.join()}`);
});

function agentOf(change: Partial<ClaudeAgentOptions>) {
  const record = (_: object, message: string): void => void logged.push(message);
  return createClaudeAgent({
    kind: "claude",
    command: ["unused"],
    env: { PATH: process.env["PATH"] },
    configDir: join(folder, "config"),
    permissionMode: "default",
    appendSystemPrompt: null,
    limits: { ...DEFAULT_LIMITS, endGraceMs: 200, termGraceMs: 200 },
    clock: realClock,
    newId: randomUUID,
    log: { debug: record, info: record, warn: record, error: record },
    ...change,
  });
}

async function programOf(source: string): Promise<readonly [string, string]> {
  const file = join(folder, "program.cjs");
  await writeFile(file, source);
  return [process.execPath, file];
}

async function run(source: string, plan?: LaunchPlan) {
  const agent = agentOf({ command: await programOf(source) });
  const options = { agent, stateDir: folder, cwd: folder };
  return drive(plan === undefined ? options : { ...options, plan });
}

const RESUME: LaunchPlan = {
  mode: "resume",
  agentSessionId: "s1",
  transcript: "/nowhere/s1.jsonl",
};
const failWith = (text: string): string =>
  `process.stderr.write(${JSON.stringify(`${text}\n`)}, () => process.exit(1));`;

describe("an agent that does not start", () => {
  it("is unavailable with its last words", async () => {
    await using one = await run(failWith("Warning: old\nsettings.json is broken"));
    const gone = await one.next("agent.unavailable");
    expect(gone.reason).toBe("start-failed");
    expect(gone.detail).toContain("exit code 1");
    expect(gone.detail).toContain("settings.json is broken");
    expect(gone.stderr).toBe("Warning: old\nsettings.json is broken\n");
    expect(typesOf(one)).toEqual(["agent.spawned", "agent.unavailable"]);
  });

  it("is unavailable when it dies without a word", async () => {
    await using one = await run(`process.kill(process.pid, "SIGKILL")`);
    expect((await one.next("agent.unavailable")).detail).toContain("signal SIGKILL");
  });

  it("refuses a resume only with words about the session", async () => {
    const about = [
      "No conversation found with session ID: s1",
      "Error: --resume requires a valid session ID or session title when used with --print.",
      "Failed to resume session: EISDIR: illegal operation on a directory, read",
    ];
    for (const text of about) {
      await using one = await run(failWith(text), RESUME);
      expect((await one.next("agent.refused")).detail).toBe(text);
    }
    const notAbout = [
      "Failed to resume session: EMFILE: too many open files",
      "Invalid API key",
      "getaddrinfo ENOTFOUND",
    ];
    for (const text of notAbout) {
      await using one = await run(failWith(text), RESUME);
      expect((await one.next("agent.unavailable")).reason).toBe("start-failed");
    }
  });

  it("is unavailable, its session kept, where it does not know a conversation that is where it looks", async () => {
    const agent = agentOf({ command: await programOf(failWith("No conversation found: s1")) });
    const own = agent.transcriptPath("s1", folder);
    const moved = join(folder, "s1.jsonl");
    await mkdir(dirname(own), { recursive: true });
    const resume = async (transcript: string, rows: string) => {
      await writeFile(transcript, rows);
      const plan = { mode: "resume", agentSessionId: "s1", transcript } as const;
      return drive({ agent, stateDir: folder, cwd: folder, plan });
    };
    const row = { type: "assistant", uuid: "a", parentUuid: null, message: { content: [] } };
    const answer = `garbage\n${JSON.stringify(row)}\n`;
    await using kept = await resume(own, answer);
    expect(await kept.next("agent.unavailable")).toMatchObject({
      reason: "start-failed",
      detail: expect.stringContaining("its transcript is there") as string,
    });
    await using elsewhere = await resume(moved, answer);
    await elsewhere.next("agent.refused");
    const sidechain = `${JSON.stringify({ ...row, isSidechain: true })}\n`;
    await using subagents = await resume(own, sidechain);
    await subagents.next("agent.refused");
  });

  it("never refuses a fresh start", async () => {
    await using one = await run(failWith("Error: Session ID s1 is already in use."));
    expect((await one.next("agent.unavailable")).detail).toContain("already in use");
  });

  it("cannot be executed: said by launch and by check", async () => {
    const file = join(folder, "program");
    await writeFile(file, "#!/bin/sh\n");
    await chmod(file, 0o644);
    const agent = agentOf({ command: [file] });
    await using one = drive({ agent, stateDir: folder, cwd: folder });
    expect(await one.next("agent.unavailable")).toMatchObject({ reason: "not-executable" });
    await expect(agent.check()).resolves.toMatchObject({ reason: "not-executable" });
  });

  it("starts in a directory only", async () => {
    await writeFile(join(folder, "file"), "");
    const agent = agentOf({ command: [process.execPath] });
    await using one = drive({ agent, stateDir: folder, cwd: join(folder, "file") });
    expect(await one.next("agent.unavailable")).toMatchObject({
      reason: "workspace-not-a-directory",
    });
  });

  it("is not usable when its version fails, or the answer takes too long", async () => {
    const failing = agentOf({ command: await programOf(failWith("bad install")) });
    await expect(failing.check()).resolves.toMatchObject({
      usable: false,
      reason: "start-failed",
      detail: expect.stringContaining("bad install") as string,
    });
    const mute = `if (process.argv.includes("--version")) console.log("1.0.0 (mute)");
      else setTimeout(() => {}, 60000);`;
    const limits = { ...DEFAULT_LIMITS, startMs: 3_000, termGraceMs: 200 };
    const slow = agentOf({ command: await programOf(mute), limits });
    await expect(slow.check()).resolves.toMatchObject({ usable: false, reason: "start-timeout" });
  });

  it("is unavailable when it cannot be initialized", async () => {
    await using one = await run(`require("node:readline").createInterface({ input: process.stdin })
      .on("line", (text) => console.log(JSON.stringify({ type: "control_response", response:
        { subtype: "error", request_id: JSON.parse(text).request_id, error: "too old" } })));`);
    expect(await one.next("agent.unavailable")).toMatchObject({
      reason: "start-failed",
      detail: "too old",
    });
  });
});

describe("an agent that misbehaves", () => {
  it("is killed with its tools when it heeds neither its end nor SIGTERM", async () => {
    await using one = await run(`
      process.on("SIGTERM", () => {});
      const { spawn } = require("node:child_process");
      const onReady = () => spawn(process.execPath, ["-e",
        "process.on('SIGTERM', () => {}); setTimeout(() => {}, 60000)"],
        { detached: true, stdio: "ignore" });
      const onLine = () => {};
      setTimeout(() => {}, 60000);
      ${READY}`);
    await one.next("agent.ready");
    await eventually(() => markedPids(folder).length === 2, "the tool runs");
    expect(await one.end()).toMatchObject({ type: "agent.exited", signal: "SIGKILL" });
    expect(markedPids(folder)).toEqual([]);
  });

  it("leaves no tool that holds its output open after a crash", async () => {
    await using one = await run(`
      const { spawn } = require("node:child_process");
      const onReady = () => {
        spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { detached: true, stdio: "inherit" });
        setTimeout(() => process.exit(3), 200);
      };
      const onLine = () => {};
      ${READY}`);
    expect(await one.next("agent.exited")).toMatchObject({ code: 3, signal: null });
    expect(markedPids(folder)).toEqual([]);
  });

  it("may write garbage and lines without end between its lines", async () => {
    await using one = await run(`
      const onReady = () => {
        process.stdout.write("garbage\\n[1]\\n{\\"type\\":\\"result\\"}\\n{\\"type\\":\\"news\\"}\\n");
        process.stdout.write("x".repeat(9_000_000) + "\\n");
      };
      const onLine = (line) => say({ type: "result", is_error: false, num_turns: 0, result: "fine",
        user_message_uuids: [line.uuid] });
      ${READY}`);
    await one.next("agent.ready");
    expect(await one.ask("hello")).toMatchObject({ outcome: "local", text: "fine" });
    expect(logged.filter((message) => message === "agent.lineMalformed")).toHaveLength(3);
    expect(logged.filter((message) => message === "agent.lineSkipped")).toHaveLength(1);
  });

  it("may stop reading: writing to it is no error, and its end is told", async () => {
    await using one = await run(`
      const onReady = () => { process.stdin.destroy(); setTimeout(() => process.exit(0), 300); };
      const onLine = () => {};
      ${READY}`);
    await one.next("agent.ready");
    for (let n = 0; n < 20; n += 1) {
      one.process.prompt({ uuid: randomUUID(), text: "x".repeat(200_000) });
      one.process.interrupt();
    }
    expect(await one.next("agent.exited")).toMatchObject({ code: 0 });
    one.process.prompt({ uuid: randomUUID(), text: "too late" });
  });

  it("is told that a request is not supported instead of waiting for ever", async () => {
    await using one = await run(`
      const onReady = () => say({ type: "control_request", request_id: "q", request: { subtype: "new_thing" } });
      const onLine = (line) => { if (line.response?.request_id === "q") process.exit(line.response.subtype === "error" ? 7 : 1); };
      ${READY}`);
    expect(await one.next("agent.exited")).toMatchObject({ code: 7 });
    expect(logged).toContain("agent.requestDeclined");
  });

  it("keeps the last of what it says on stderr", async () => {
    const limits = { ...DEFAULT_LIMITS, stderrBytes: 1_024 };
    const source = `process.stderr.write("x".repeat(100_000) + "the end", () => process.exit(1));`;
    const agent = agentOf({ command: await programOf(source), limits });
    await using one = drive({ agent, stateDir: folder, cwd: folder });
    const { stderr } = await one.next("agent.unavailable");
    expect(stderr).toHaveLength(1_024);
    expect(stderr.endsWith("the end")).toBe(true);
  });

  it("shows signs of life at most once a second", async () => {
    await using one = await run(`
      const onReady = () => setInterval(() => say({ type: "news" }), 20);
      const onLine = () => process.exit(0);
      ${READY}`);
    await one.next("agent.ready");
    const since = Date.now();
    for (let sign = 0; sign < 2; sign += 1) await one.next("agent.active");
    // One may follow the answer at once; a second one takes a second.
    expect(Date.now() - since).toBeGreaterThan(900);
  });

  it("is survived by a listener that throws", async () => {
    const agent = agentOf({ command: await programOf(failWith("gone")) });
    const request = {
      plan: { mode: "fresh", agentSessionId: "s" } as const,
      cwd: folder,
      model: null,
      marker: { stateDir: folder, sessionKey: "k", epoch: 1 },
    };
    const types: string[] = [];
    const one = agent.launch(request, (event) => {
      types.push(event.type);
      throw new Error("not my day");
    });
    await one.end("now");
    expect(types).toEqual(["agent.spawned", "agent.unavailable"]);
    expect(logged).toContain("agent.listenerFailed");
  });
});

describe("a quiet turn", () => {
  it("shows a sign of life when only the transcript grows", async () => {
    const agentSessionId = "s2";
    const agent = agentOf({
      command: await programOf(`const onReady = () => {}; const onLine = () => {}; ${READY}`),
      // Every wait is short here, so that the look at the transcript comes soon.
      clock: { ...realClock, setTimeout: (fn, ms) => setTimeout(fn, ms === 5_000 ? 50 : ms) },
    });
    const transcript = join(folder, "s2.jsonl");
    await writeFile(transcript, "row\n");
    const plan = { mode: "resume", agentSessionId, transcript } as const;
    await using one = drive({ agent, stateDir: folder, cwd: folder, plan });
    await one.next("agent.ready");
    one.process.prompt({ uuid: randomUUID(), text: "work" });
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const signs = (): number => typesOf(one).filter((type) => type === "agent.active").length;
    const before = signs();
    await appendFile(transcript, "row\n");
    await eventually(() => signs() > before, "growth is told");
    expect(signs()).toBe(before + 1);
  });
});
