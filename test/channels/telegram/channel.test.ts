import { EDITED, PRESSED, readPress } from "../../../src/channels/commands.ts";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PollResult } from "../../../src/ports.ts";
import { english } from "../../../src/words/english.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, FORUM, live, openChannel, OWNER, says } from "./support.ts";

let fake: FakeTelegram;

beforeEach(async () => {
  fake = await startFakeTelegram();
});
afterEach(() => endFake(fake));

function received(result: PollResult) {
  if (result.outcome !== "received") throw new Error(`not received: ${JSON.stringify(result)}`);
  return result;
}

describe("preparing", () => {
  it("checks the token, learns the bot's name and sets the menu", async () => {
    const { channel } = openChannel(fake);
    expect(channel.account()).toBe(String(fake.botId));
    expect(await channel.prepare()).toEqual({ ok: true, name: `@${fake.botUsername}` });
    expect(channel.username()).toBe(fake.botUsername);
    expect(fake.commands).toEqual(english.commands.menu);
    expect(fake.calls.map(({ method }) => method)).not.toContain("deleteWebhook");
  });

  it.each([
    ["refused", (token: string) => `${token}x`],
    ["cut short", (token: string) => token.slice(0, 20)],
    ["empty", () => ""],
  ])(
    "says what to do about a token that is %s, and that waiting will not help",
    async (_, change) => {
      const prepared = await openChannel(fake, { token: change(fake.token) }).channel.prepare();
      expect(prepared).toMatchObject({ ok: false, fatal: true });
      expect(prepared).toMatchObject({ detail: expect.stringContaining("TELEGRAM_BOT_TOKEN") });
      expect(inspect(prepared)).not.toContain(fake.token.split(":")[1]?.slice(0, 15));
    },
  );

  it("is not fatal while Telegram cannot be reached, and polling makes up for it", async () => {
    const { channel } = openChannel(fake);
    fake.fail("getMe", { kind: "reset" });
    expect(await channel.prepare()).toMatchObject({ ok: false, fatal: false });
    fake.fail("getMe", { kind: "html", status: 502 });
    expect(await channel.poll(null, live())).toMatchObject({ outcome: "failed" });
    says(fake, `/new@${fake.botUsername}`);
    expect(received(await channel.poll(null, live())).intakes).toMatchObject([{ name: "new" }]);
    expect(fake.commands).toEqual(english.commands.menu);
  });

  it("works without its menu", async () => {
    fake.fail("setMyCommands", { kind: "error", code: 400, description: "Bad Request: no" });
    const { channel, entries } = openChannel(fake);
    expect(await channel.prepare()).toMatchObject({ ok: true });
    expect(entries).toContainEqual(expect.objectContaining({ message: "menu.refused" }));
  });

  it("tells why groups may seem deaf", async () => {
    await fake[Symbol.asyncDispose]();
    fake = await startFakeTelegram({ canReadAllGroupMessages: false });
    const { channel, entries } = openChannel(fake);
    await channel.prepare();
    expect(entries).toContainEqual(
      expect.objectContaining({ message: "groups.onlyCommandsRepliesAndMentions" }),
    );
  });
});

describe("polling", () => {
  it("confirms nothing before it is asked with the next offset", async () => {
    const { channel } = openChannel(fake);
    says(fake, "one");
    says(fake, "two");
    const first = received(await channel.poll(null, live()));
    expect(first.intakes).toMatchObject([{ text: "one" }, { text: "two" }]);
    // The server gives one update only where the same offset comes again within 3 s.
    const again = received(await channel.poll(null, live()));
    expect(again.intakes).toEqual(first.intakes.slice(0, 1));
    expect(fake.pendingUpdates()).toBe(2);
    expect(received(await channel.poll(first.nextOffset, live())).intakes).toEqual([]);
    expect(fake.pendingUpdates()).toBe(0);
  });

  it("waits for a message and asks for nothing else than it understands", async () => {
    const { channel } = openChannel(fake, {}, { pollTimeoutMs: 30_000 });
    const polled = channel.poll(null, live());
    const call = await fake.waitForCall(({ method }) => method === "getUpdates");
    expect(call.params).toMatchObject({
      timeout: 30,
      allowed_updates: ["message", "edited_message", "callback_query", "my_chat_member"],
    });
    says(fake, "at last");
    expect(received(await polled).intakes).toMatchObject([{ text: "at last" }]);
  });

  it("ends a poll whose body stalls, and gets the same messages with the next", async () => {
    const { channel } = openChannel(fake, {}, { pollAbortMs: 400 });
    await channel.prepare();
    says(fake, "hello");
    fake.fail("getUpdates", { kind: "cut-body" });
    expect(await channel.poll(null, live())).toMatchObject({ outcome: "failed" });
    expect(received(await channel.poll(null, live())).intakes).toMatchObject([{ text: "hello" }]);
  });

  it("throws when it is aborted, and leaves no poll open", async () => {
    const { channel } = openChannel(fake, {}, { pollTimeoutMs: 30_000 });
    const controller = new AbortController();
    const polled = channel.poll(null, controller.signal);
    await fake.waitForCall(({ method }) => method === "getUpdates");
    controller.abort();
    await expect(polled).rejects.toThrow(/abort/i);
    await expect.poll(() => fake.openPolls()).toBe(0);
  });

  it.each([
    [{ kind: "html", status: 200 }, "failed"],
    [{ kind: "html", status: 502 }, "failed"],
    [{ kind: "reset" }, "failed"],
    [{ kind: "error", code: 500, description: "Internal Server Error" }, "failed"],
    [{ kind: "error", code: 401, description: "Unauthorized" }, "fatal"],
    [
      { kind: "error", code: 409, description: "Conflict: terminated by other getUpdates" },
      "conflict",
    ],
  ] as const)("takes %j as %s", async (fault, outcome) => {
    const { channel } = openChannel(fake);
    await channel.prepare();
    fake.fail("getUpdates", fault);
    expect((await channel.poll(null, live())).outcome).toBe(outcome);
  });

  it("keeps the wait that Telegram asks for", async () => {
    const { channel } = openChannel(fake);
    await channel.prepare();
    const parameters = { retry_after: 7 };
    fake.fail("getUpdates", {
      kind: "error",
      code: 429,
      description: "Too Many Requests",
      parameters,
    });
    expect(await channel.poll(null, live())).toMatchObject({
      outcome: "failed",
      retryAfterMs: 7_000,
    });
  });

  it("takes presses and edits as such, answers and ignores strangers, and moves on", async () => {
    const { channel } = openChannel(fake);
    const { messageId } = says(fake, "first");
    fake.edit({ chatId: OWNER, messageId, text: "first, edited" });
    fake.callback({ chatId: OWNER, fromId: OWNER, messageId, data: "x" });
    fake.callback({ chatId: OWNER, fromId: 66, messageId, data: "x" });
    fake.user({ chatId: 66, fromId: 66, text: "/new" });
    const last = fake.pushUpdate({ kind_of_next_year: {} });
    const result = received(await channel.poll(null, live()));
    expect(result.intakes).toMatchObject([
      { kind: "message", text: "first" },
      {
        kind: "command",
        name: EDITED,
        args: "first, edited",
        platformMessageId: String(messageId),
      },
      {
        kind: "command",
        name: PRESSED,
        args: expect.stringMatching(/^x \d+$/),
        sender: String(OWNER),
        platformMessageId: String(messageId),
      },
    ]);
    expect(result.nextOffset).toBe(last + 1);
    await fake.waitForCall(({ method }) => method === "answerCallbackQuery");
    const [, , pressed] = result.intakes;
    const pressId = pressed?.kind === "command" ? readPress(pressed.args).pressId : "";
    await channel.answerPress?.(pressId, english.presses.stale);
    const answers = fake.calls.filter(({ method }) => method === "answerCallbackQuery");
    expect(answers.map(({ params }) => params["text"])).toEqual([undefined, english.presses.stale]);
  });

  it.each(["", "with space", "x".repeat(65)])("takes no press whose data is %j", async (data) => {
    const { channel } = openChannel(fake);
    const { messageId } = says(fake);
    fake.pushUpdate({
      callback_query: {
        id: "7",
        from: { id: OWNER, is_bot: false },
        message: { chat: { id: OWNER, type: "private" }, message_id: messageId, date: 0 },
        data,
      },
    });
    const { intakes } = received(await channel.poll(null, live()));
    expect(intakes.map(({ kind }) => kind)).toEqual(["message"]);
  });

  it("tells of a chat's new id before its messages come from there", async () => {
    const moves: string[] = [];
    const chatMoved = (from: string, to: string): void => void moves.push(`${from} → ${to}`);
    const { channel } = openChannel(fake, { chatMoved });
    fake.addChat({ id: -5, type: "group" });
    fake.upgradeToSupergroup(-5, FORUM);
    await channel.poll(null, live());
    expect(moves).toEqual([`-5 → ${FORUM}`]);
  });
});
