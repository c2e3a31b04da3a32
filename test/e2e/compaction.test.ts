import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

describe("a compaction by the real agent", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("that the user asks for is told apart from one that fails", async () => {
    await bench.start();
    bench.say("something to remember");
    await bench.answer("ok: something to remember");
    bench.say("/compact");
    expect((await bench.answer("The conversation is compacted")).text).not.toContain("[ctx");
    bench.say("/compact");
    expect((await bench.answer("could not be compacted")).text).toMatch(/: .+\n.*\/new/);
    bench.say("go on");
    await bench.answer("ok: go on");
    expect(bench.facts(KEY)).toMatchObject({ messages: [], bound: { completedTurns: 2 } });
  });

  it("that it makes by itself is one short notice, and the new size is shown after it", async () => {
    await bench.start();
    bench.api.queue({ text: "nearly full", usage: { input_tokens: 980_000 } });
    bench.say("fill it");
    expect((await bench.answer("nearly full")).text).toContain("[ctx: 98%]");
    bench.say("one more");
    await bench.answer("compacted the conversation to make room");
    expect((await bench.answer("ok: one more")).text).toMatch(/\[ctx: [0-9]%\]/);
    expect(bench.said("compacted the conversation")).toHaveLength(1);
    await until("the new size is known", () => (bench.facts(KEY).context?.used ?? 1e6) < 100_000);
  });
});
