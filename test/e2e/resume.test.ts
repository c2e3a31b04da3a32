import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { killQuietly, until } from "../support/processes.ts";

describe("going back to an earlier conversation", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const GROUP = -1_009;
  const GROUP_KEY = `telegram/${GROUP}/-`;
  const sayInGroup = (text: string) =>
    bench.telegram.user({ chatId: GROUP, fromId: ALLOWED, text });
  const lastRequest = () =>
    JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);

  it("lists what /new has left, takes it back with its context, and keeps the other", async () => {
    await bench.start();
    bench.say("the word is xyzzy");
    await bench.answer("ok: the word is xyzzy");
    bench.say("/new");
    await bench.answer("Context cleared");
    bench.say("the word is plugh");
    await bench.answer("ok: the word is plugh");
    bench.say("/resume");
    expect((await bench.answer("Earlier conversations")).text).toMatch(
      /1\. [0-9a-f]{8} – 1 turn, 1 min ago, .*“the word is xyzzy”/,
    );
    bench.say("/resume 1");
    await bench.answer("Back to the conversation");
    bench.say("which word?");
    await bench.answer("ok: which word?");
    expect(lastRequest()).toContain("xyzzy");
    expect(lastRequest()).not.toContain("plugh");
    expect(bench.facts(KEY).archived).toHaveLength(1);
  });

  it("waits until the process of the chat that left it is gone: one writer at a time", async () => {
    bench.telegram.addChat({ id: GROUP, type: "supergroup" });
    await bench.start({ HOLDFAST_LIMIT_TERM_GRACE_MS: "4000" });
    bench.say("the word is xyzzy");
    await bench.answer("ok: the word is xyzzy");
    const left = bench.facts(KEY).bound?.agentSessionId ?? "";
    // It cannot heed any signal but the last one.
    killQuietly(bench.facts(KEY).launch?.pid ?? 0, "SIGSTOP");
    bench.say("/new");
    await bench.answer("Context cleared");
    sayInGroup(`/resume ${left.slice(0, 8)}`);
    await bench.answer("its agent is still being ended");
    expect(bench.facts(GROUP_KEY).bound).toBeNull();
    await until("the process is gone", () => bench.facts(KEY).launch?.exited === true);
    sayInGroup(`/resume ${left.slice(0, 8)}`);
    await bench.answer("Back to the conversation");
    sayInGroup("which word?");
    await bench.answer("ok: which word?");
    expect(lastRequest()).toContain("xyzzy");
  });

  it("is told who holds a conversation, and goes on with a copy of it", async () => {
    bench.telegram.addChat({ id: GROUP, type: "supergroup" });
    await bench.start();
    bench.say("the word is xyzzy");
    await bench.answer("ok: the word is xyzzy");
    const held = bench.facts(KEY).bound?.agentSessionId ?? "";
    sayInGroup(`/resume ${held.slice(0, 8)}`);
    const told = await bench.answer("belongs to another chat");
    expect(told.text).not.toContain(String(ALLOWED));
    expect(told.text).toContain(`/fork ${held.slice(0, 8)}`);
    sayInGroup(`/fork ${held.slice(0, 8)}`);
    await bench.answer("a copy of the conversation");
    sayInGroup("which word?");
    await bench.answer("ok: which word?");
    expect(lastRequest()).toContain("xyzzy");
    await until("the copy is bound", () => bench.facts(GROUP_KEY).bound?.borrowed === false);
    const copy = bench.facts(GROUP_KEY).bound;
    expect(copy?.agentSessionId).not.toBe(held);
    expect(bench.facts(KEY).bound?.agentSessionId).toBe(held);
    bench.say("still here?");
    await bench.answer("ok: still here?");
    expect(lastRequest()).not.toContain("which word?");
  });
});
