import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DIST } from "../support/build.ts";
import { ALLOWED, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { findMarked, until } from "../support/processes.ts";

describe("running the service", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const pause = {
    tools: [{ name: "Bash", input: { command: 'node -e "setTimeout(() => {}, 60000)"' } }],
  };

  it("shuts down on SIGTERM, leaves no process, and keeps the message of the running turn", async () => {
    const service = await bench.start({
      HOLDFAST_PERMISSION_MODE: "bypassPermissions",
      HOLDFAST_LIMIT_DRAIN_MS: "500",
    });
    bench.api.queue(pause);
    bench.say("a long work");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    expect(await service.stop()).toBe(0);
    expect(bench.agents()).toEqual([]);
    expect(bench.facts(KEY).messages).toHaveLength(1);
    await bench.start();
    await bench.answer("/retry");
    expect(bench.facts(KEY).messages).toMatchObject([{ state: "parked" }]);
  });

  it("lets a turn end that ends within the bound of the shutdown", async () => {
    const service = await bench.start();
    bench.api.setDefault({ text: "just in time", delayMs: 1_500 });
    bench.say("a short work");
    await service.waitForLog((one) => one.msg === "turn.accepted");
    expect(await service.stop()).toBe(0);
    expect(bench.telegram.messages.map((one) => one.text.split("\n")[0])).toEqual(["just in time"]);
    expect(bench.agents()).toEqual([]);
  });

  it("ends at once on a second signal", async () => {
    const service = await bench.start({ HOLDFAST_PERMISSION_MODE: "bypassPermissions" });
    bench.api.queue(pause);
    bench.say("a long work");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    service.signal("SIGTERM");
    await service.waitForLog((one) => one.msg === "service.stopping");
    service.signal("SIGTERM");
    expect(await service.exited()).toBe(1);
  });

  it("refuses a second service on the same state directory and says who holds it", async () => {
    const first = await bench.start();
    const second = bench.launch();
    expect(await second.exited()).toBe(1);
    expect(second.output.join("\n")).toContain(`pid ${first.pid}`);
    expect(first.child.exitCode).toBeNull();
  });

  it("refuses a damaged store and leaves it as it was", async () => {
    const file = join(bench.stateDir, "holdfast.db");
    writeFileSync(file, "no database at all ".repeat(100));
    const service = bench.launch();
    expect(await service.exited()).toBe(1);
    expect(service.output.join("\n")).toContain(file);
    expect(readFileSync(file, "utf8")).toBe("no database at all ".repeat(100));
  });

  it("says which token is refused and ends", async () => {
    const wrong = `7000000001:${"x".repeat(35)}`;
    const service = bench.launch({ TELEGRAM_BOT_TOKEN: wrong });
    expect(await service.exited()).toBe(1);
    expect(service.output.join("\n")).toContain("TELEGRAM_BOT_TOKEN");
    expect(service.output.join("\n")).not.toContain(wrong);
  });

  it("keeps trying while another bot polls with the same token, and says so once", async () => {
    bench.telegram.conflictNextPolls(3);
    const service = await bench.start();
    bench.say("still there?");
    await bench.answer("ok: still there?");
    await service.waitForLog((one) => one.msg === "poller.recovered");
    expect(
      service.logs.filter((one) => one["level"] === "error" && one.msg === "poller.conflicted"),
    ).toHaveLength(1);
  });

  it("tells the user that the agent is missing, keeps the message, and answers it later", async () => {
    const service = await bench.start({ CLAUDE_BIN: join(bench.root, "no-such-agent") });
    bench.say("anybody home?");
    expect((await bench.answer("❌")).text).toContain("CLAUDE_BIN");
    expect(await service.stop()).toBe(0);
    await bench.start();
    bench.say("and now?");
    await bench.answer("ok: anybody home?");
    await bench.answer("ok: and now?");
  });

  it("tells the user that the agent is not logged in", async () => {
    await bench.start({ ANTHROPIC_API_KEY: undefined });
    bench.say("hello");
    expect((await bench.answer("❌")).text).toContain("not logged in");
    expect(bench.facts(KEY).messages).toHaveLength(1);
  });

  it("gives each topic of a forum its own session and answers where it was asked", async () => {
    await bench.start();
    bench.telegram.addChat({ id: -1009, type: "supergroup", isForum: true, topics: [11, 22] });
    bench.telegram.user({ chatId: -1009, fromId: ALLOWED, text: "in eleven", threadId: 11 });
    bench.telegram.user({ chatId: -1009, fromId: ALLOWED, text: "in twenty-two", threadId: 22 });
    const [eleven, other] = await Promise.all([
      bench.answer("ok: in eleven"),
      bench.answer("ok: in twenty-two"),
    ]);
    expect(eleven.threadId).toBe(11);
    expect(other.threadId).toBe(22);
    const ids = [11, 22].map(
      (topic) => bench.facts(`telegram/-1009/${topic}`).bound?.agentSessionId,
    );
    expect(new Set(ids).size).toBe(2);
  });

  it("keeps the answer for a topic that was closed meanwhile, over a restart, until somebody writes there", async () => {
    const first = await bench.start();
    const chatId = -1009;
    bench.telegram.addChat({ id: chatId, type: "supergroup", isForum: true, topics: [11] });
    const asks = (text: string) =>
      bench.telegram.user({ chatId, fromId: ALLOWED, text, threadId: 11 });
    bench.api.setDefault({ text: "the first answer", delayMs: 1_000 });
    asks("first");
    await first.waitForLog((one) => one.msg === "turn.accepted");
    bench.telegram.closeTopic(chatId, 11);
    expect((await bench.answer("closed or deleted")).threadId).toBeNull();
    await first.stop();
    bench.telegram.reopenTopic(chatId, 11);
    await bench.start();
    bench.api.setDefault({ text: "the second answer" });
    asks("second");
    await bench.answer("the second answer");
    const shown = bench.telegram.messages.map((one) => [one.text.split("\n")[0], one.threadId]);
    expect(shown.slice(1)).toEqual([
      ["the first answer", 11],
      ["the second answer", 11],
    ]);
  });

  it("denies what needs a person, and tells the user", async () => {
    await bench.start({ HOLDFAST_APPROVALS: "deny" });
    bench.api.queue(
      {
        tools: [{ name: "Write", input: { file_path: join(bench.workspace, "x"), content: "x" } }],
      },
      { text: "could not write" },
    );
    bench.say("write a file");
    await bench.answer("could not write");
    expect((await bench.answer("🔒")).text).toContain("Write");
  });
});

describe("starting without Telegram", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });
  const LOCAL = { TELEGRAM_BOT_TOKEN: undefined, HOLDFAST_ALLOWED_USERS: undefined };

  it("says what to configure and exits 2 without a terminal", async () => {
    const service = bench.launch(LOCAL);
    expect(await service.exited()).toBe(2);
    expect(service.output.join("\n")).toContain("TELEGRAM_BOT_TOKEN");
  });

  it("lists every mistake of the configuration at once and exits 2", async () => {
    const service = bench.launch({
      HOLDFAST_ALLOWED_USERS: "me",
      HOLDFAST_WORKSPCE: "/tmp",
      HOLDFAST_LIMIT_START_MS: "soon",
    });
    expect(await service.exited()).toBe(2);
    const said = service.output.join("\n");
    for (const name of [
      "HOLDFAST_ALLOWED_USERS",
      "HOLDFAST_WORKSPACE",
      "HOLDFAST_LIMIT_START_MS",
    ]) {
      expect(said).toContain(name);
    }
  });

  it("opens a chat in the terminal, with the scripted agent where there is no other", async () => {
    const state = join(bench.root, "demo-state");
    mkdirSync(state);
    const {
      TELEGRAM_BOT_TOKEN: _t,
      HOLDFAST_ALLOWED_USERS: _u,
      HOLDFAST_AGENT: _a,
      HOLDFAST_WORKSPACE: _w,
      ...rest
    } = bench.env;
    const env = {
      ...rest,
      HOLDFAST_STATE_DIR: state,
      CLAUDE_BIN: join(bench.root, "none"),
      HOLDFAST_LOG_LEVEL: "warn",
      TERM: "xterm",
    };
    const main = join(DIST, "src", "main.js");
    // util-linux's `script` gives it a terminal.
    const child = spawn("script", ["-qec", `"${process.execPath}" "${main}"`, "/dev/null"], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    let screen = "";
    child.stdout.on("data", (data: Buffer) => (screen += data.toString()));
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    await until("the prompt is there", () => screen.includes("you> "));
    expect(screen).toContain("No TELEGRAM_BOT_TOKEN is set");
    expect(screen).toContain("scripted demo agent");
    child.stdin.write("hello there\r");
    await until("the agent answers", () => screen.includes("agent> "));
    child.stdin.write("/status\r");
    await until("the status is shown", () => screen.includes("Workspace:"));
    child.stdin.write("\u0004");
    expect(await ended).toBe(0);
    expect(findMarked(state)).toEqual([]);
  });
});
