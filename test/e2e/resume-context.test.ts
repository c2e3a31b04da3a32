import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, CHAT, createBench, type Bench } from "../support/holdfast.ts";
import type { Step } from "../support/messages-api-script.ts";
import { chatOf, lastAsked, type Chat } from "../support/resumable.ts";

describe("a context that is too large for the agent", () => {
  let bench: Bench;
  let chat: Chat;
  beforeEach(async () => {
    bench = await createBench();
    chat = chatOf(bench, CHAT);
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const TOO_LONG: Step = { tooLong: [250_000, 200_000] };
  const AT_ONCE = { DISABLE_AUTO_COMPACT: "1" };
  const start = (extra: Readonly<Record<string, string>> = {}) =>
    bench.start({ HOLDFAST_PERMISSION_MODE: "bypassPermissions", ...extra });
  const REAPED = { HOLDFAST_LIMIT_IDLE_REAP_MS: "300" };

  it("at the first turn after a resume goes to a fresh session with the same message, told once", async () => {
    const service = await start({ ...AT_ONCE, ...REAPED });
    await chat.turnAndReap(service, "remember me");
    const old = chat.bound().agentSessionId;
    bench.api.queue(TOO_LONG);
    chat.say("one too many");
    await chat.hears("ok: one too many");
    expect(chat.heard().slice(1)).toEqual([
      expect.stringContaining("too large to resume: starting fresh"),
      "ok: one too many",
    ]);
    expect(lastAsked(bench)).not.toContain("remember me");
    expect(chat.facts()).toMatchObject({
      archived: [{ agentSessionId: old, reason: "too-large" }],
      fresh: null,
      messages: [],
    });
  });

  it("does so as well where the agent tries to compact it first and cannot", async () => {
    const service = await start(REAPED);
    await chat.turnAndReap(service, "remember me");
    bench.api.setDefault(TOO_LONG);
    chat.say("one too many");
    await service.waitForLog((one) => one.msg === "fresh.intended");
    bench.api.setDefault({});
    await chat.hears("ok: one too many");
    expect(chat.heard().slice(1)).toEqual([
      expect.stringContaining("too large to resume: starting fresh"),
      "ok: one too many",
    ]);
    expect(chat.facts()).toMatchObject({ archived: [{ reason: "too-large" }], messages: [] });
  });

  it("leaves a message for which a tool ran to the user, whose /retry goes to the fresh session", async () => {
    const service = await start({ ...AT_ONCE, ...REAPED });
    await chat.turnAndReap(service, "remember me");
    bench.api.queue({ tools: [{ name: "Bash", input: { command: "echo done" } }] }, TOO_LONG);
    chat.say("one too many");
    await chat.hears("too large to resume");
    await service.waitForLog((one) => one.msg === "message.parked");
    expect(chat.facts()).toMatchObject({
      archived: [{ reason: "too-large" }],
      messages: [{ state: "parked" }],
    });
    chat.say("/retry");
    await chat.hears("ok: one too many");
    expect(chat.heard().slice(1)).toEqual([
      expect.stringContaining("too large to resume"),
      expect.stringContaining("Running it again"),
      "ok: one too many",
    ]);
    expect(lastAsked(bench)).not.toContain("remember me");
  });

  const overflowLater = async (extra: Readonly<Record<string, string>> = {}) => {
    const service = await start({ ...AT_ONCE, ...extra });
    chat.say("remember me");
    await chat.hears("ok: remember me");
    const kept = chat.bound().agentSessionId;
    bench.api.queue(TOO_LONG);
    chat.say("one too many");
    await chat.hears("⏸");
    expect(chat.facts()).toMatchObject({
      bound: { agentSessionId: kept },
      archived: [],
      messages: [{ state: "parked" }],
    });
    return { kept, service };
  };

  it("later than that keeps the session, and /new answers the message in a cleared context", async () => {
    const { kept: old } = await overflowLater();
    chat.say("/new");
    await chat.hears("ok: one too many");
    expect(chat.heard().slice(1)).toEqual([
      expect.stringContaining("too large for the agent"),
      expect.stringContaining("Context cleared"),
      "ok: one too many",
    ]);
    expect(lastAsked(bench)).not.toContain("remember me");
    expect(chat.facts()).toMatchObject({
      archived: [{ agentSessionId: old, reason: "new" }],
      messages: [],
    });
  });

  it.each([
    { name: "in the same process", reaped: false },
    { name: "after a reap", reaped: true },
  ])(
    "later than that keeps the session, and /compact answers the message in it, $name",
    async ({ reaped }) => {
      const { kept, service } = await overflowLater(
        reaped ? { HOLDFAST_LIMIT_IDLE_REAP_MS: "3000" } : {},
      );
      if (reaped) await service.waitForLog((one) => one.msg === "launch.exited");
      bench.api.queue({ text: "<summary>it was asked to remember xyzzy</summary>" });
      chat.say("/compact");
      await chat.hears("ok: one too many");
      expect(chat.heard().slice(1)).toEqual([
        expect.stringContaining("too large for the agent"),
        expect.stringContaining("is compacted"),
        "ok: one too many",
      ]);
      expect(lastAsked(bench)).toContain("xyzzy");
      expect(chat.facts()).toMatchObject({
        bound: { agentSessionId: kept },
        archived: [],
        messages: [],
      });
    },
  );

  it("later than that is tried in vain by /compact too, after a reap: told, and /new is still there", async () => {
    const { kept, service } = await overflowLater({ HOLDFAST_LIMIT_IDLE_REAP_MS: "3000" });
    bench.api.setDefault(TOO_LONG);
    await service.waitForLog((one) => one.msg === "launch.exited");
    chat.say("/compact");
    await chat.hears("❌");
    expect(chat.facts()).toMatchObject({
      bound: { agentSessionId: kept },
      messages: [{ state: "parked" }],
    });
    bench.api.setDefault({});
    chat.say("/new");
    await chat.hears("ok: one too many");
    expect(chat.heard().slice(1)).toEqual([
      expect.stringContaining("too large for the agent"),
      expect.stringContaining("could not be compacted"),
      expect.stringContaining("Context cleared"),
      "ok: one too many",
    ]);
  });

  it("even at the beginning of a conversation is the message's own fault: it is answered once it is shorter", async () => {
    await start(AT_ONCE);
    bench.api.queue(TOO_LONG);
    const sent = { chatId: CHAT, fromId: ALLOWED, text: "far too much" };
    const { messageId } = bench.telegram.user(sent);
    await chat.hears("too long for the agent's model");
    expect(bench.said("/compact")).toEqual([]);
    bench.telegram.edit({ chatId: CHAT, messageId, text: "less" });
    await chat.hears("Changed");
    chat.say("/retry");
    await chat.hears("ok: less");
    expect(chat.facts()).toMatchObject({ archived: [], messages: [] });
  });
});
