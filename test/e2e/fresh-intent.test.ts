import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import { killQuietly, until } from "../support/processes.ts";

const LONG = { name: "Bash", input: { command: 'node -e "setTimeout(() => {}, 60000)"' } };

describe("how the real agent is launched", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const asked = () => JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);

  it("stays fresh after /new over a killed agent and a killed service, until a turn has completed", async () => {
    const env = {
      HOLDFAST_PERMISSION_MODE: "bypassPermissions",
      HOLDFAST_LIMIT_LEFTOVER_BUSY_MS: "0",
    };
    const first = await bench.start(env);
    bench.say("the word is xyzzy");
    await bench.answer("ok: the word is xyzzy");
    bench.say("/new");
    await bench.answer("Context cleared");
    bench.api.queue({ tools: [LONG] });
    bench.say("work on it");
    await first.waitForLog((one) => one.msg === "turn.toolRan");
    killQuietly(bench.facts(KEY).launch?.pid ?? 0);
    await bench.answer("/retry runs it again");
    expect(bench.facts(KEY).fresh).toMatchObject({ reason: "new" });

    bench.api.queue({ tools: [LONG] });
    bench.say("/retry");
    await bench.answer("Running it again");
    await until("it runs again", () => bench.facts(KEY).messages[0]?.toolsRan === true);
    await first.kill();
    expect(bench.facts(KEY).fresh).toMatchObject({ reason: "new" });

    const second = await bench.start({ ...env, HOLDFAST_LIMIT_IDLE_REAP_MS: "1000" });
    await until(
      "it is put to the user again",
      () => bench.said("/retry runs it again").length === 2,
    );
    bench.say("which word?");
    await bench.answer("ok: which word?");
    expect(asked()).not.toContain("xyzzy");
    expect(bench.facts(KEY).fresh).toBeNull();
    const launches = second.logs.filter((one) => one.msg === "launch.built");
    expect(launches).toMatchObject([{ mode: "fresh", fresh_intent_pending: true }]);

    await until("the process is reaped", () => bench.agents().length === 0);
    bench.say("and now?");
    await bench.answer("ok: and now?");
    expect(asked()).toContain("which word?");
    expect(asked()).not.toContain("xyzzy");
  });

  it("is fresh once more after /new where no turn was completed since, and what was said is listed", async () => {
    await bench.start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "1000" });
    bench.say("the word is xyzzy");
    await bench.answer("ok: the word is xyzzy");
    bench.say("/new");
    await bench.answer("Context cleared");
    bench.api.queue({ text: "half", delayMs: 30_000 });
    bench.say("the word is plugh");
    await until("its transcript is there", () => bench.facts(KEY).bound !== null);
    bench.say("/stop");
    await bench.answer("Stopped");
    await until("the process is reaped", () => bench.agents().length === 0);
    bench.say("which word?");
    await bench.answer("No turn was completed since the context was cleared");
    await bench.answer("ok: which word?");
    expect(asked()).not.toContain("plugh");
    bench.say("/resume 1");
    await bench.answer("Back to the conversation");
    bench.say("which word now?");
    await bench.answer("ok: which word now?");
    expect(asked()).toContain("plugh");
  });

  it("goes on with what was said in a terminal before, where the legacy setting is on and nothing was ever bound", async () => {
    const terminal = spawn(bench.env["CLAUDE_BIN"] ?? "", ["-p", "said in a terminal"], {
      cwd: bench.workspace,
      env: bench.env,
      stdio: "ignore",
    });
    await once(terminal, "exit");
    const service = await bench.start({ HOLDFAST_LEGACY_CONTINUE: "true" });
    bench.say("what was said?");
    await bench.answer("ok: what was said?");
    expect(asked()).toContain("said in a terminal");
    bench.say("/new");
    await bench.answer("Context cleared");
    bench.say("and now?");
    await bench.answer("ok: and now?");
    expect(asked()).not.toContain("said in a terminal");
    const modes = service.logs
      .filter((one) => one.msg === "launch.built")
      .map((one) => one["mode"]);
    expect(modes).toEqual(["continue", "fresh"]);
  });
});

describe("a turn of the real agent that falls silent", () => {
  it("is interrupted and put to the user, with what there was of an answer", async () => {
    await using bench = await createBench();
    await bench.start({ HOLDFAST_LIMIT_TURN_QUIET_MS: "2500" });
    bench.api.queue({ text: "the first half of an answer, and then nothing more", hang: "mid" });
    bench.say("say something long");
    const partial = await bench.answer("What there was of an answer");
    expect(partial.text).toContain("the first half");
    await bench.answer("fell silent on this message");
    expect(bench.facts(KEY).messages).toMatchObject([{ state: "parked", parkedFor: "quiet" }]);
    bench.api.release();
    bench.say("/retry");
    await bench.answer("ok: say something long");
  });
});
