import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

/** The real CLI between a strict fake of Telegram and a scripted Messages API. */
describe("a Telegram chat and its Claude Code session", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("keeps its context through a reap, a resume and a restart of the service", async () => {
    const first = await bench.start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "1500" });
    bench.say("first question");
    const told = await bench.answer("ok: first question");
    expect(told.text).toMatch(/\nclaude · \d+ s · (?:<\$0\.01|\$\d+\.\d\d) · \[ctx: \d+%\]$/);
    const bound = bench.facts(KEY).bound?.agentSessionId;
    expect(bound).toBeDefined();

    bench.say("second question");
    await bench.answer("ok: second question");
    expect(bench.facts(KEY).bound?.agentSessionId).toBe(bound);
    expect(first.logs.filter((one) => one.msg === "session.spawn")).toHaveLength(1);

    await until("the process is reaped", () => bench.agents().length === 0);

    bench.say("third question");
    await bench.answer("ok: third question");
    expect(first.logs.filter((one) => one.msg === "session.resumed")).toHaveLength(1);
    const model = bench.facts(KEY).bound?.model ?? "none";
    const commandLines = bench.agents().map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8"));
    expect(commandLines.join("\n")).toContain(`--resume\0${bound}\0--model\0${model}\0`);
    const third = JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
    expect(third).toContain("first question");
    expect(third).toContain("second question");

    expect(await first.stop()).toBe(0);
    expect(bench.agents()).toEqual([]);

    await bench.start();
    bench.say("fourth question");
    await bench.answer("ok: fourth question");
    expect(bench.facts(KEY).bound?.agentSessionId).toBe(bound);
    const fourth = JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
    expect(fourth).toContain("first question");
    expect(fourth).toContain("third question");
    expect(bench.telegram.messages.filter((one) => one.text.startsWith("ok: "))).toHaveLength(4);
    expect(bench.telegram.violations).toEqual([]);
  });

  it("answers ten messages sent at once in their order, with one process", async () => {
    const service = await bench.start();
    for (let n = 1; n <= 10; n += 1) bench.say(`question number ${n}.`);
    await bench.answer("ok: question number 10.");
    const answers = bench.telegram.messages.map((one) => one.text.split("\n")[0]);
    expect(answers).toEqual(Array.from({ length: 10 }, (_, n) => `ok: question number ${n + 1}.`));
    expect(service.logs.filter((one) => one.msg === "session.spawn")).toHaveLength(1);
    expect(bench.telegram.violations).toEqual([]);
  });
});
