import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramChannel } from "../../../src/channels/telegram/channel.ts";
import type { Outgoing, SendResult } from "../../../src/ports.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import type { LogEntry } from "./recording.ts";
import { endFake, FORUM, openChannel, OWNER, says } from "./support.ts";

let fake: FakeTelegram;

beforeEach(async () => {
  fake = await startFakeTelegram();
});
afterEach(() => endFake(fake));

describe("sending", () => {
  let channel: TelegramChannel;
  let entries: readonly LogEntry[];
  let replyTo: string;

  beforeEach(() => {
    ({ channel, entries } = openChannel(fake));
    replyTo = String(says(fake, "question").messageId);
  });

  const outgoing = (more: Partial<Outgoing> = {}, topicId: string | null = null): Outgoing => ({
    id: 1,
    address: { channel: "telegram", chatId: String(OWNER), topicId },
    text: "**bold** answer",
    footer: "[ctx: 62%]",
    replyTo,
    ...more,
  });

  const deliver = async (out: Outgoing): Promise<readonly SendResult[]> => {
    const results: SendResult[] = [];
    for (const part of channel.render(out)) results.push(await channel.send(out, part));
    return results;
  };

  const refuse = (description: string, code = 400, parameters?: object) =>
    fake.fail("sendMessage", {
      kind: "error",
      code,
      description,
      ...(parameters ? { parameters } : {}),
    });

  it("formats by entities, replies, and shows no link preview", async () => {
    const [result] = await deliver(outgoing());
    const [message] = fake.messages;
    expect(result).toEqual({ outcome: "sent", platformMessageId: String(message?.messageId) });
    expect(message).toMatchObject({
      chatId: OWNER,
      threadId: null,
      entities: [{ type: "bold", offset: 0, length: 4 }],
      replyToMessageId: Number(replyTo),
    });
    expect(message?.text).toBe("bold answer\n\n[ctx: 62%]");
    expect(fake.calls.at(-1)?.params["link_preview_options"]).toEqual({ is_disabled: true });
  });

  it("replies with the first part only", async () => {
    await deliver(outgoing({ text: "word ".repeat(2_000) }));
    expect(fake.messages.length).toBeGreaterThan(2);
    expect(fake.messages.map((one) => one.replyToMessageId !== null)).toEqual([
      true,
      ...fake.messages.slice(1).map(() => false),
    ]);
  });

  it("sends although the message replied to is gone", async () => {
    expect(await deliver(outgoing({ replyTo: "999999" }))).toMatchObject([{ outcome: "sent" }]);
    refuse("Bad Request: message to be replied not found");
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "sent" }]);
    expect(fake.messages.at(-1)?.replyToMessageId).toBeNull();
  });

  it("sends to the message's topic, and to General without naming it", async () => {
    fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [7] });
    const to = (topicId: string | null) =>
      outgoing({ address: { channel: "telegram", chatId: String(FORUM), topicId }, replyTo: null });
    await deliver(to("7"));
    await deliver(to(null));
    await deliver(to("1"));
    expect(fake.messages.map((one) => one.threadId)).toEqual([7, null, null]);
  });

  it.each([
    ["closed", () => fake.closeTopic(FORUM, 7)],
    ["deleted", () => fake.deleteTopic(FORUM, 7)],
    ["gone with all topics", () => fake.endForum(FORUM)],
  ])("says when a topic is %s, and sends nothing elsewhere instead", async (_, happen) => {
    fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [7] });
    happen();
    const address = { channel: "telegram", chatId: String(FORUM), topicId: "7" };
    expect(await deliver(outgoing({ address, replyTo: null }))).toMatchObject([
      { outcome: "topicClosed" },
    ]);
    expect(fake.messages).toEqual([]);
  });

  it("sends plain text when Telegram refuses the entities", async () => {
    refuse("Bad Request: can't parse entities: unsupported start tag");
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "sent" }]);
    expect(fake.messages).toMatchObject([{ entities: [], replyToMessageId: Number(replyTo) }]);
    expect(fake.messages[0]?.text).toContain("bold answer");
    expect(entries).toContainEqual(expect.objectContaining({ message: "send.reduced" }));
  });

  it("gives up a message that is refused again without what was refused", async () => {
    for (let times = 0; times < 3; times += 1) refuse("Bad Request: can't parse entities");
    expect(await deliver(outgoing())).toEqual([
      { outcome: "refused", detail: "400: Bad Request: can't parse entities" },
    ]);
    expect(fake.calls).toHaveLength(3);
  });

  it("sends the bare text, still in its topic, after a refusal that nobody has seen yet", async () => {
    fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [7] });
    const asked = fake.user({ chatId: FORUM, fromId: OWNER, text: "?", threadId: 7 });
    refuse("Bad Request: SOMETHING_NEW");
    const address = { channel: "telegram", chatId: String(FORUM), topicId: "7" };
    const out = outgoing({ address, replyTo: String(asked.messageId) });
    expect(await deliver(out)).toMatchObject([{ outcome: "sent" }]);
    expect(fake.calls.at(-1)?.params).toEqual({
      chat_id: FORUM,
      message_thread_id: 7,
      text: "bold answer\n\n[ctx: 62%]",
    });
  });

  it("gives up what is refused as bare text too, and drops an empty text at once", async () => {
    refuse("Bad Request: SOMETHING_NEW");
    refuse("Bad Request: SOMETHING_ELSE");
    expect(await deliver(outgoing())).toEqual([
      { outcome: "refused", detail: "400: Bad Request: SOMETHING_ELSE" },
    ]);
    refuse("Bad Request: message text is empty");
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "dropped" }]);
    expect(fake.calls).toHaveLength(3);
  });

  it("sends a part in pieces when Telegram finds it too long, and loses none of it", async () => {
    const words = Array.from({ length: 500 }, (_, index) => `word${index}`);
    refuse("Bad Request: message is too long");
    const out = outgoing({ text: words.join(" ") });
    expect(await deliver(out)).toMatchObject([{ outcome: "sent" }]);
    expect(fake.messages.length).toBeGreaterThan(1);
    const text = fake.messages.map((one) => one.text).join(" ");
    expect(text.match(/word\d+/g)).toEqual(words);
    expect(text).toMatch(/\[ctx: 62%\]$/);
  });

  it("does not know what became of a part whose answer was lost or came too late", async () => {
    ({ channel } = openChannel(fake, {}, { sendTimeoutMs: 300 }));
    for (const fault of [
      { kind: "lost-answer" },
      { kind: "cut-body" },
      { kind: "hang" },
      { kind: "html", status: 502 },
      { kind: "html", status: 200 },
    ] as const) {
      fake.fail("sendMessage", fault);
      expect(await deliver(outgoing())).toMatchObject([{ outcome: "ambiguous" }]);
    }
  });

  it("knows that nothing was sent when there was no connection", async () => {
    await endFake(fake);
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "retry" }]);
  });

  it("says when a chat is closed to it, and when it moved", async () => {
    fake.block(OWNER);
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "disabled" }]);
    fake.addChat({ id: -5, type: "group" });
    fake.upgradeToSupergroup(-5, FORUM);
    const address = { channel: "telegram", chatId: "-5", topicId: null };
    expect(await deliver(outgoing({ address, replyTo: null }))).toEqual([
      { outcome: "moved", chatId: String(FORUM) },
    ]);
  });

  it.each([
    ["that is deactivated", OWNER, () => fake.deactivate(OWNER)],
    ["that is gone", OWNER, () => fake.removeChat(OWNER)],
    ["that it was kicked from", -5, () => fake.kick(-5)],
  ])("gives up a chat %s", async (_, chatId, happens) => {
    fake.addChat({ id: -5, type: "group" });
    happens();
    const address = { channel: "telegram", chatId: String(chatId), topicId: null };
    const [result] = await deliver(outgoing({ address, replyTo: null }));
    expect(result).toMatchObject({ outcome: "disabled" });
  });

  it("drops what can have no receiver, without asking", async () => {
    const address = { channel: "telegram", chatId: "nobody", topicId: null };
    expect(await deliver(outgoing({ address }))).toMatchObject([{ outcome: "dropped" }]);
    expect(fake.calls).toEqual([]);
  });

  it("leaves the whole chat alone for as long as Telegram says, and no other", async () => {
    refuse("Too Many Requests: retry after 2", 429, { retry_after: 2 });
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "gated", retryAfterMs: 2_000 }]);
    const calls = fake.calls.length;
    const [again] = await deliver(outgoing());
    expect(again).toMatchObject({ outcome: "gated" });
    await channel.typing(outgoing().address);
    expect(fake.calls).toHaveLength(calls);
    fake.user({ chatId: 43, fromId: 43, text: "hi" });
    const other = { channel: "telegram", chatId: "43", topicId: null };
    expect(await deliver(outgoing({ address: other, replyTo: null }))).toMatchObject([
      { outcome: "sent" },
    ]);
    if (again?.outcome !== "gated") throw new Error("not gated");
    await new Promise((resolve) => setTimeout(resolve, again.retryAfterMs + 50));
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "sent" }]);
  });
});

describe("a message that waits", () => {
  it("is marked as seen, and nothing happens where that is refused", async () => {
    const { channel } = openChannel(fake);
    const { messageId } = says(fake);
    const address = { channel: "telegram", chatId: String(OWNER), topicId: null };
    await channel.noteWaiting?.(address, String(messageId));
    const reaction = [{ type: "emoji", emoji: "👀" }];
    expect(fake.reactions).toEqual([{ chatId: OWNER, messageId, reaction }]);
    await channel.noteWaiting?.(address, "999");
    fake.fail("setMessageReaction", { kind: "reset" });
    await channel.noteWaiting?.(address, String(messageId));
    expect(fake.reactions).toHaveLength(1);
  });
});

describe("typing", () => {
  it("shows in the topic", async () => {
    fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [7] });
    await openChannel(fake).channel.typing({
      channel: "telegram",
      chatId: String(FORUM),
      topicId: "7",
    });
    expect(fake.chatActions).toMatchObject([{ chatId: FORUM, threadId: 7, action: "typing" }]);
  });

  it("is no error when it fails, and a 429 makes the chat wait for it and for answers", async () => {
    const { channel } = openChannel(fake, {}, { typingMs: 300 });
    says(fake);
    const address = { channel: "telegram", chatId: String(OWNER), topicId: null };
    for (const fault of [{ kind: "reset" }, { kind: "hang" }] as const) {
      fake.fail("sendChatAction", fault);
      await channel.typing(address);
    }
    const parameters = { retry_after: 30 };
    fake.fail("sendChatAction", { kind: "error", code: 429, description: "Too Many", parameters });
    await channel.typing(address);
    const calls = fake.calls.length;
    await channel.typing(address);
    const out: Outgoing = { id: 1, address, text: "answer", footer: null, replyTo: null };
    const [part = {}] = channel.render(out);
    expect(await channel.send(out, part)).toMatchObject({ outcome: "gated" });
    expect(fake.calls).toHaveLength(calls);
  });
});
