import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

const run = (command: string) => ({
  tools: [{ name: "Bash", input: { command, description: "a command of its own" } }],
});

describe("holdfast restart-context, run by the real agent", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const asked = () => JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);

  it("clears the context once its turn is over, unasked for a permission, and the old one is listed", async () => {
    await bench.start();
    bench.api.queue(run("holdfast restart-context"), { text: "Starting over." });
    bench.say("the word is xyzzy; start over");
    await bench.answer("Starting over.");
    expect(asked()).toContain("the context is cleared when this turn is over");
    await bench.answer("The agent has asked for a cleared context");
    bench.say("which word?");
    await bench.answer("ok: which word?");
    expect(asked()).not.toContain("xyzzy");
    expect(bench.facts(KEY)).toMatchObject({
      fresh: null,
      archived: [{ reason: "context-restart", completedTurns: 1 }],
    });
    expect(bench.said("needs your permission")).toEqual([]);
    expect(bench.said("asked for a cleared context")).toHaveLength(1);
    bench.say("/resume 1");
    await bench.answer("Back to the conversation");
    bench.say("which word now?");
    await bench.answer("ok: which word now?");
    expect(asked()).toContain("xyzzy");
  });

  it("is not forgotten where the service is killed before the turn is over", async () => {
    const env = { HOLDFAST_LIMIT_LEFTOVER_BUSY_MS: "0" };
    const service = await bench.start(env);
    bench.api.queue(run("holdfast restart-context"), { hang: "headers" });
    bench.say("the word is xyzzy; start over");
    await until("it is stored", () => bench.facts(KEY).fresh?.reason === "context-restart");
    await service.kill();
    bench.api.release();
    await bench.start(env);
    await bench.answer("/retry runs it again");
    bench.say("which word?");
    await bench.answer("The agent has asked for a cleared context");
    await bench.answer("ok: which word?");
    expect(asked()).not.toContain("xyzzy");
  });
});
