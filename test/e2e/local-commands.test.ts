import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

describe("a command that the real agent carries out by itself", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("is answered in its own words where it is the first prompt of a session", async () => {
    const holdfast = await bench.start();
    for (const [command, words] of [
      ["/cost", "Estimated cost"],
      ["/context", "Context Usage"],
      ["/hooks", "isn't available"],
      ["/foo", "ok: /foo"],
    ] as const) {
      bench.say(command);
      await bench.answer(words);
      bench.say("/new");
    }
    await until("the last context is cleared", () => bench.said("Context cleared").length === 4);
    expect(holdfast.logs.filter(({ msg }) => msg === "launch.intended")).toHaveLength(4);
    expect(bench.said("nothing to say")).toEqual([]);
  });

  it("says why there is nothing to compact in an empty session, and the next message is answered", async () => {
    await bench.start();
    bench.say("/compact");
    expect((await bench.answer("could not be compacted")).text).toContain("No messages to compact");
    bench.say("go on");
    await bench.answer("ok: go on");
    expect(bench.said("nothing to say")).toEqual([]);
    expect(bench.facts(KEY)).toMatchObject({ messages: [], bound: { completedTurns: 1 } });
  });

  it("is carried out where it is the first prompt of a resumed process", async () => {
    const first = await bench.start();
    bench.say("something to remember");
    await bench.answer("ok: something to remember");
    await first.stop();
    await bench.start();
    bench.say("/compact");
    await bench.answer("The conversation is compacted");
    expect(bench.said("nothing to say")).toEqual([]);
  });
});
