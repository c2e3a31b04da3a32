import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

/** What the real CLI does rarely or slowly, played by the scripted agent as a real process. */
describe("a session of the scripted agent", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const SCRIPTED = { HOLDFAST_AGENT: "scripted" };
  const script = (...steps: readonly object[]) => `play this [[script: ${JSON.stringify(steps)}]]`;

  it("is interrupted when it falls silent, and the message is put to the user", async () => {
    await bench.start({ ...SCRIPTED, HOLDFAST_LIMIT_TURN_QUIET_MS: "1000" });
    bench.say(script({ silence: true }));
    expect((await bench.answer("⏸")).text).toContain("fell silent");
    expect(bench.facts(KEY).messages).toMatchObject([{ state: "parked" }]);
    bench.say("/skip");
    await bench.answer("Skipped");
    bench.say("and now?");
    await bench.answer("and now?");
    expect(bench.facts(KEY).messages).toEqual([]);
  });

  it("is restarted when it does not even hear the interrupt, without losing its context", async () => {
    const service = await bench.start({
      ...SCRIPTED,
      HOLDFAST_LIMIT_TURN_QUIET_MS: "1000",
      HOLDFAST_LIMIT_INTERRUPT_MS: "500",
    });
    bench.say("remember the number 4711");
    await bench.answer("4711");
    const bound = bench.facts(KEY).bound?.agentSessionId;
    bench.say(script({ silence: true, deaf: true }));
    await bench.answer("stopped responding");
    await bench.answer("/retry");
    bench.say("what was the first thing?");
    expect((await bench.answer("the first was")).text).toContain("4711");
    expect(bench.facts(KEY).bound?.agentSessionId).toBe(bound);
    expect(bench.said("stopped responding")).toHaveLength(1);
    await service.waitForLog((one) => one.msg === "session.resumed");
    expect(service.logs.filter((one) => one.msg === "session.resumed")).toHaveLength(1);
  });

  it("is not restarted for ever when it dies again and again", async () => {
    const service = await bench.start({ ...SCRIPTED, HOLDFAST_LIMIT_CRASH_MAX: "2" });
    bench.say(script({ crash: "before-accept" }));
    await bench.answer("died again and again");
    expect(service.logs.filter((one) => one.msg === "launch.intended")).toHaveLength(2);
    await bench.answer("/skip drops it");
    bench.say("/skip");
    await bench.answer("Skipped");
    bench.say("better now");
    await bench.answer("better now");
    expect(bench.facts(KEY).messages).toEqual([]);
  });

  it("relays what it says on its own when a task in the background has ended", async () => {
    await bench.start(SCRIPTED);
    bench.say(
      script({
        text: "started a task",
        background: { ms: 500, description: "build", text: "the build is done" },
      }),
    );
    await bench.answer("started a task");
    expect((await bench.answer("the build is done")).text).toContain("🔔");
  });

  it("starts fresh with the same message when the context is too large to go on after a resume", async () => {
    await bench.start({ ...SCRIPTED, HOLDFAST_LIMIT_IDLE_REAP_MS: "300" });
    bench.say("hello");
    await bench.answer("hello");
    const old = bench.facts(KEY).bound?.agentSessionId;
    await until("the process is reaped", () => bench.agents().length === 0);
    bench.say(`${script({ tooLarge: true })} once`);
    await bench.answer("too large to resume");
    await until("the old session is archived", () => bench.facts(KEY).archived.length === 1);
    expect(bench.facts(KEY).archived).toMatchObject([{ agentSessionId: old, reason: "too-large" }]);
  });

  it("waits for a place when too many run, and gets the one that is idle", async () => {
    const service = await bench.start({ ...SCRIPTED, HOLDFAST_LIMIT_LIVE_AGENTS: "1" });
    bench.say("from the first chat");
    await bench.answer("from the first chat");
    bench.telegram.addChat({ id: -500, type: "group" });
    bench.say("from the second chat", -500);
    await bench.answer("from the second chat");
    expect(service.logs.filter((one) => one.msg === "session.spawn")).toHaveLength(2);
    expect(bench.agents().length).toBe(1);
    bench.say("the first again");
    await bench.answer("the first again");
  });

  it("has its place before others when its agent has outlived the service", async () => {
    const env = { ...SCRIPTED, HOLDFAST_LIMIT_LIVE_AGENTS: "1" };
    const service = await bench.start(env);
    bench.say(script({ delayMs: 4_000, text: "a long work" }));
    await until("the first one works", () => bench.agents().length === 1);
    bench.telegram.addChat({ id: -500, type: "group" });
    bench.say("from the second chat", -500);
    await bench.answer("All places");
    await service.waitForLog((one) => one.msg === "message.accepted");
    await service.kill();
    expect(bench.agents()).toHaveLength(1);

    let most = 0;
    const counting = setInterval(() => (most = Math.max(most, bench.agents().length)), 20);
    try {
      await bench.start(env);
      await bench.answer("a long work");
      await bench.answer("from the second chat");
    } finally {
      clearInterval(counting);
    }
    expect(most).toBe(1);
    expect(bench.said("All places").map((one) => one.chatId)).toEqual([-500]);
  });

  it("is told once when all places are busy, and starts when one is free", async () => {
    await bench.start({ ...SCRIPTED, HOLDFAST_LIMIT_LIVE_AGENTS: "1" });
    bench.say(script({ delayMs: 1_500, text: "a long work" }));
    await until("the first one works", () => bench.agents().length === 1);
    bench.telegram.addChat({ id: -500, type: "group" });
    bench.say("from the second chat", -500);
    bench.say("and more", -500);
    expect((await bench.answer("All places")).chatId).toBe(-500);
    await bench.answer("and more");
    expect(bench.said("All places")).toHaveLength(1);
  });

  it("keeps a message that comes while its process is reaped", async () => {
    const service = await bench.start({ ...SCRIPTED, HOLDFAST_LIMIT_IDLE_REAP_MS: "300" });
    for (let round = 0; round < 5; round += 1) {
      bench.say(`round ${round}`);
      await service.waitForLog((one) => one.msg === "message.answered" && one["id"] === round + 1);
      await new Promise((resolve) => setTimeout(resolve, 290 + round * 5));
    }
    bench.say("last");
    await service.waitForLog((one) => one.msg === "message.answered" && one["id"] === 6);
    const [transcript] = [
      ...new Set(
        service.logs.filter((one) => one.msg === "launch.intended").map((one) => one["transcript"]),
      ),
    ];
    const rows = readFileSync(String(transcript), "utf8")
      .split("\n")
      .filter((line) => line.includes('"type":"user"'));
    expect(rows).toHaveLength(6);
    expect(bench.facts(KEY).messages).toEqual([]);
  });

  it("is another conversation than the real agent's, and the user is told of the change", async () => {
    const scripted = await bench.start(SCRIPTED);
    bench.say("to the scripted one");
    await bench.answer("to the scripted one");
    const old = bench.facts(KEY).bound?.agentSessionId;
    await scripted.stop();
    await bench.start();
    bench.say("to the real one");
    await bench.answer("ok: to the real one");
    expect(bench.said("answered by the claude agent")).toHaveLength(1);
    expect(bench.facts(KEY)).toMatchObject({
      agentKind: "claude",
      archived: [{ agentSessionId: old, reason: "agent-changed" }],
    });
  });
});

describe("a typed /clear", () => {
  /** Clears a conversation that holds "xyzzy"; answers its id. */
  const cleared = async (bench: Bench, first: () => Promise<void>) => {
    bench.say("the word is xyzzy");
    await bench.answer("ok: the word is xyzzy");
    const old = bench.facts(KEY).bound?.agentSessionId;
    await first();
    bench.say("/clear");
    await bench.answer("Context cleared");
    expect(bench.facts(KEY)).toMatchObject({
      archived: [{ agentSessionId: old, reason: "clear" }],
      fresh: { reason: "clear" },
    });
    return old;
  };
  const reaped = (bench: Bench) =>
    until("the process is reaped", () => bench.agents().length === 0);

  it("clears the real agent's context, and a resume goes on with the new one", async () => {
    await using bench = await createBench();
    await bench.start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "1000" });
    const old = await cleared(bench, async () => {});
    bench.say("another word is plugh");
    await bench.answer("ok: another word is plugh");
    expect(bench.facts(KEY).fresh).toBeNull();
    await reaped(bench);
    bench.say("which words?");
    await bench.answer("ok: which words?");
    expect(bench.said("nothing to say")).toEqual([]);
    const asked = JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
    expect(asked).toContain("plugh");
    expect(asked).not.toContain("xyzzy");
    expect(bench.facts(KEY).bound?.agentSessionId).not.toBe(old);
  });

  it("is one also where it is the first thing that a resumed agent hears", async () => {
    await using bench = await createBench();
    await bench.start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "500" });
    await cleared(bench, () => reaped(bench));
    bench.say("/resume 1");
    await bench.answer("Back to the conversation");
    bench.say("which word?");
    await bench.answer("ok: which word?");
    const asked = JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
    expect(asked).toContain("xyzzy");
  });
});
