import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHAT, createBench, type Bench } from "../support/holdfast.ts";
import { killQuietly, until } from "../support/processes.ts";
import { chatOf, createProgram, lastAsked, type Chat, type Program } from "../support/resumable.ts";

let bench: Bench;
let chat: Chat;
let program: Program;
beforeEach(async () => {
  bench = await createBench();
  chat = chatOf(bench, CHAT);
  program = createProgram(bench);
});
afterEach(async () => {
  await bench[Symbol.asyncDispose]();
});

const start = (extra: Readonly<Record<string, string>> = {}) =>
  bench.start({ CLAUDE_BIN: program.path, ...extra });
describe("a resume that is not finished", () => {
  it("within its limit is told once, and the session is kept for the next message", async () => {
    const first = await start();
    chat.say("remember me");
    await chat.hears("ok: remember me");
    await first.stop();
    const kept = chat.bound().agentSessionId;
    program.set("sleep 60");
    const slow = await start({ HOLDFAST_LIMIT_START_MS: "1500" });
    chat.say("first attempt");
    expect(await chat.hears("❌")).toContain("did not start in time: no answer within 2 s");
    await until("the slow one is ended", () => bench.agents().length === 0);
    expect(chat.facts()).toMatchObject({
      bound: { agentSessionId: kept },
      archived: [],
      fresh: null,
      messages: [{ state: "received" }],
    });
    await slow.stop();

    program.set();
    await start();
    chat.say("second attempt");
    await chat.hears("ok: second attempt");
    expect(chat.heard()).toEqual([
      "ok: remember me",
      expect.stringContaining("❌"),
      "ok: first attempt",
      "ok: second attempt",
    ]);
    expect(lastAsked(bench)).toContain("remember me");
    expect(chat.bound().agentSessionId).toBe(kept);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "when the service ends by %s is done by the next one, without a word",
    async (signal) => {
      const service = await start({
        HOLDFAST_LIMIT_IDLE_REAP_MS: "300",
        HOLDFAST_LIMIT_END_GRACE_MS: "200",
      });
      await chat.turnAndReap(service, "remember me");
      const kept = chat.bound().agentSessionId;
      program.set("sleep 60");
      chat.say("in the middle");
      await service.waitForLog((one) => one.msg === "launch.built" && one["mode"] === "resume");
      service.signal(signal);
      expect(await service.exited()).toBe(signal === "SIGTERM" ? 0 : "SIGKILL");

      program.set();
      await start();
      await chat.hears("ok: in the middle");
      expect(chat.heard()).toEqual(["ok: remember me", "ok: in the middle"]);
      expect(lastAsked(bench)).toContain("remember me");
      expect(chat.bound().agentSessionId).toBe(kept);
      expect(chat.facts()).toMatchObject({ archived: [], fresh: null, messages: [] });
    },
  );
});

describe("a conversation that a person has open in a terminal", () => {
  it("is not resumed, which is said once, until the terminal is closed", async () => {
    const service = await start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "300" });
    await chat.turnAndReap(service, "remember me");
    const kept = chat.bound().agentSessionId;

    const { CLAUDE_BIN: claude = "", ...env } = bench.env;
    const args = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
    const terminal = spawn(claude, [...args, "--verbose", "--resume", kept], {
      cwd: bench.workspace,
      env,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const closed = once(terminal, "exit");
    try {
      const prompt = { role: "user", content: "from the terminal" };
      terminal.stdin.write(`${JSON.stringify({ type: "user", message: prompt })}\n`);
      await until("the terminal is answered", () =>
        readFileSync(chat.bound().transcript, "utf8").includes("ok: from the terminal"),
      );

      chat.say("from the chat");
      expect(await chat.hears("❌")).toContain("open in another program");
      expect(chat.facts()).toMatchObject({
        bound: { agentSessionId: kept },
        archived: [],
        fresh: null,
        messages: [{ state: "received" }],
      });
      expect(service.logs.filter((one) => one.msg === "launch.built")).toHaveLength(1);
      expect(terminal.exitCode).toBeNull();
      terminal.stdin.end();
      await closed;
    } finally {
      killQuietly(-(terminal.pid ?? 0));
    }

    chat.say("it is free");
    await chat.hears("ok: it is free");
    expect(chat.heard()).toEqual([
      "ok: remember me",
      expect.stringContaining("❌"),
      "ok: from the chat",
      "ok: it is free",
    ]);
    expect(lastAsked(bench)).toContain("remember me");
    expect(lastAsked(bench)).toContain("from the terminal");
    expect(chat.bound().agentSessionId).toBe(kept);
  });
});

describe("a resume after a reap", () => {
  it.each([
    { name: "in a workspace whose path is long", depth: 6, config: false },
    { name: "with a configuration directory of the agent's own", depth: 0, config: true },
  ])("keeps its context $name", async ({ depth, config }) => {
    const names = Array.from(
      { length: depth },
      (_, at) => `${at} a fairly long näme.of a directory`,
    );
    const workspace = join(bench.workspace, ...names);
    mkdirSync(workspace, { recursive: true });
    const configDir = config ? join(bench.root, "elsewhere") : join(bench.home, ".claude");
    const service = await start({
      HOLDFAST_LIMIT_IDLE_REAP_MS: "300",
      HOLDFAST_WORKSPACE: workspace,
      ...(config ? { CLAUDE_CONFIG_DIR: configDir } : {}),
    });
    expect(workspace.length > 200).toBe(depth > 0);
    await chat.turnAndReap(service, "remember me");
    const { agentSessionId, transcript } = chat.bound();
    const [folder = ""] = readdirSync(join(configDir, "projects"));
    expect(transcript).toBe(join(configDir, "projects", folder, `${agentSessionId}.jsonl`));
    chat.say("who am I");
    await chat.hears("ok: who am I");
    expect(chat.heard()).toEqual(["ok: remember me", "ok: who am I"]);
    expect(lastAsked(bench)).toContain("remember me");
    expect(chat.bound().agentSessionId).toBe(agentSessionId);
  });
});
