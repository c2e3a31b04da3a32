import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

describe("while a turn runs, a person", () => {
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

  it("clears the context on /new and keeps the queue for the new one", async () => {
    await bench.start();
    bench.say("the secret is 4711");
    await bench.answer("ok: the secret is 4711");
    const old = bench.facts(KEY).bound?.agentSessionId;
    bench.say("/new");
    await bench.answer("Context cleared");
    bench.say("what is it?");
    await bench.answer("ok: what is it?");
    const asked = JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
    expect(asked).not.toContain("4711");
    const facts = bench.facts(KEY);
    expect(facts.bound?.agentSessionId).not.toBe(old);
    expect(facts.archived).toMatchObject([{ agentSessionId: old, reason: "new" }]);
    expect(facts.fresh).toBeNull();
  });

  it("stops a running turn on /stop and keeps the session", async () => {
    const service = await bench.start({ HOLDFAST_PERMISSION_MODE: "bypassPermissions" });
    bench.api.queue(pause);
    bench.say("a long work");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    bench.say("/stop");
    await bench.answer("Stopped");
    bench.say("next");
    await bench.answer("ok: next");
    expect(service.logs.filter((one) => one.msg === "session.spawn")).toHaveLength(1);
    expect(bench.facts(KEY).messages).toEqual([]);
  });

  it("lets a message that begins with ! end the running turn and go first", async () => {
    const service = await bench.start({ HOLDFAST_PERMISSION_MODE: "bypassPermissions" });
    bench.api.queue(pause);
    bench.say("a long work");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    bench.say("waiting");
    bench.say("!what is the time");
    await bench.answer("Stopped for your urgent message");
    await bench.answer("ok: waiting");
    const said = bench.telegram.messages.map((one) => one.text.split("\n")[0]);
    expect(said.slice(1)).toEqual(["ok: what is the time", "ok: waiting"]);
    expect(service.logs.filter((one) => one.msg === "session.spawn")).toHaveLength(1);
  });

  it("marks what waits as seen, and gives it as it reads after a change", async () => {
    const service = await bench.start();
    bench.api.setDefault({ text: "done", delayMs: 1_500 });
    bench.say("first");
    await service.waitForLog((one) => one.msg === "turn.accepted");
    const { messageId } = bench.telegram.user({ chatId: ALLOWED, fromId: ALLOWED, text: "secnod" });
    await until("it is marked", () => bench.telegram.reactions.length === 1);
    expect(bench.telegram.reactions).toMatchObject([{ messageId }]);
    bench.telegram.edit({ chatId: ALLOWED, messageId, text: "second" });
    await bench.answer("Changed");
    await until("both are answered", () => bench.said("done").length === 2);
    const asked = JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
    expect(asked).toContain("second");
    expect(asked).not.toContain("secnod");
    bench.telegram.edit({ chatId: ALLOWED, messageId, text: "third" });
    await bench.answer("has this message already");
  });

  it("drops what runs and what waits on /stop all", async () => {
    const service = await bench.start({ HOLDFAST_PERMISSION_MODE: "bypassPermissions" });
    bench.api.queue(pause);
    bench.say("a long work");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    bench.say("waiting");
    bench.say("waiting, too");
    bench.say("/stop all");
    expect((await bench.answer("Stopped")).text).toContain("2 waiting messages are dropped");
    bench.say("next");
    await bench.answer("ok: next");
    expect(bench.said("ok: ").map((one) => one.text.split("\n")[0])).toEqual(["ok: next"]);
    expect(bench.facts(KEY).messages).toEqual([]);
  });

  it("takes a message that waits out of the queue by a /stop in reply to it", async () => {
    await bench.start();
    bench.api.queue({ text: "the first is done", delayMs: 2_000 });
    bench.say("first");
    await until("it runs", () => bench.api.requests().some((one) => one.main));
    const { messageId } = bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, text: "second" });
    bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, text: "/stop", replyTo: messageId });
    await bench.answer("Taken out of the queue");
    await bench.answer("the first is done");
    bench.say("third");
    await bench.answer("ok: third");
    expect(bench.said("second")).toEqual([]);
  });
});
