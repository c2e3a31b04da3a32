import { Telegram } from "telegraf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeTelegram } from "./server.ts";
import type { FakeTelegram, FakeTelegramOptions } from "./server.ts";

const PERSON = 7;
const GROUP = -40;
const FORUM = -1_001_000_000_001;

let fake: FakeTelegram;

async function start(options: FakeTelegramOptions): Promise<void> {
  fake = await startFakeTelegram(options);
  fake.addChat({ id: GROUP, type: "group" });
  fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [11] });
}

beforeEach(() => start({}));

afterEach(async () => {
  await fake[Symbol.asyncDispose]();
});

async function updates(): Promise<object[]> {
  const answer = await fetch(`${fake.apiRoot}/bot${fake.token}/getUpdates`);
  return ((await answer.json()) as { result: object[] }).result;
}

describe("people", () => {
  it("make their private chat when they first write", async () => {
    const { updateId, messageId } = fake.user({ chatId: PERSON, fromId: PERSON, text: "hi" });
    expect(await updates()).toEqual([
      {
        update_id: updateId,
        message: {
          message_id: messageId,
          from: { id: PERSON, is_bot: false, first_name: "Person 7", language_code: "en" },
          chat: { id: PERSON, first_name: "Person 7", type: "private" },
          date: expect.any(Number),
          text: "hi",
        },
      },
    ]);
  });

  it("write commands, which are marked", async () => {
    fake.user({ chatId: PERSON, fromId: PERSON, text: "/new" });
    fake.user({ chatId: GROUP, fromId: PERSON, text: "/stop@holdfast_test_bot now" });
    fake.user({ chatId: PERSON, fromId: PERSON, text: "see /usr/bin and a/b" });
    const written = await updates();
    expect(written).toMatchObject([
      { message: { entities: [{ type: "bot_command", offset: 0, length: 4 }] } },
      { message: { entities: [{ type: "bot_command", offset: 0, length: 23 }] } },
      { message: { text: "see /usr/bin and a/b" } },
    ]);
    expect(written[2]).not.toHaveProperty("message.entities");
  });

  it("write into topics, where a message answers the topic itself", async () => {
    fake.user({ chatId: FORUM, fromId: PERSON, text: "here", threadId: 11 });
    fake.user({ chatId: FORUM, fromId: PERSON, text: "in General" });
    const [inTopic, inGeneral] = await updates();
    expect(inTopic).toMatchObject({
      message: {
        message_thread_id: 11,
        is_topic_message: true,
        chat: { is_forum: true },
        reply_to_message: { message_id: 11, forum_topic_created: {} },
      },
    });
    expect(inGeneral).not.toHaveProperty("message.message_thread_id");
  });

  it("edit, answer and attach", async () => {
    const { messageId } = fake.user({ chatId: PERSON, fromId: PERSON, text: "teh" });
    const edited = fake.edit({ chatId: PERSON, messageId, text: "the" });
    fake.user({ chatId: PERSON, fromId: PERSON, text: "so?", replyTo: messageId });
    const fileId = fake.addFile({ name: "a.txt", content: Buffer.from("a") });
    const extra = { document: { file_id: fileId }, caption: "look" };
    fake.user({ chatId: PERSON, fromId: PERSON, extra });
    const [, edit, answer, attachment] = await updates();
    expect(edit).toMatchObject({
      update_id: edited,
      edited_message: { message_id: messageId, text: "the", edit_date: expect.any(Number) },
    });
    expect(answer).toMatchObject({ message: { reply_to_message: { text: "the" } } });
    expect(attachment).toMatchObject({ message: extra });
    expect(attachment).not.toHaveProperty("message.text");
  });

  it("may hide behind the group", async () => {
    fake.user({ chatId: GROUP, fromId: 1_087_968_824, text: "hi" });
    expect(await updates()).toMatchObject([
      {
        message: {
          from: { is_bot: true, username: "GroupAnonymousBot" },
          sender_chat: { id: GROUP },
        },
      },
    ]);
  });

  it("press buttons of messages that may be gone", async () => {
    fake.callback({ chatId: GROUP, fromId: PERSON, messageId: 5_000, data: "x" });
    expect(await updates()).toMatchObject([
      {
        callback_query: {
          from: { id: PERSON },
          data: "x",
          message: { message_id: 5_000, date: 0 },
        },
      },
    ]);
  });

  it("are heard in privacy mode only when they speak to the bot", async () => {
    await fake[Symbol.asyncDispose]();
    await start({ canReadAllGroupMessages: false });
    const bot = new Telegram(fake.token, { apiRoot: fake.apiRoot });
    const { message_id: botMessage } = await bot.sendMessage(GROUP, "hello");
    const say = (text: string, replyTo?: number) =>
      fake.user({
        chatId: GROUP,
        fromId: PERSON,
        text,
        ...(replyTo === undefined ? {} : { replyTo }),
      });
    const { messageId: unheard, updateId } = say("just talking");
    expect(updateId).toBe(0);
    expect(say("not to you", unheard).updateId).toBe(0);
    expect(say("/new@another_bot").updateId).toBe(0);
    for (const heard of ["/new", "/new@holdfast_test_bot", "hi @Holdfast_Test_Bot"]) {
      expect(say(heard).updateId).toBeGreaterThan(0);
    }
    expect(say("to you", botMessage).updateId).toBeGreaterThan(0);
    expect(fake.user({ chatId: PERSON, fromId: PERSON, text: "x" }).updateId).toBeGreaterThan(0);
  });
});

describe("the platform", () => {
  it("tells the bot that it is blocked, unblocked and kicked", async () => {
    fake.addChat({ id: PERSON, type: "private" });
    fake.block(PERSON);
    fake.user({ chatId: PERSON, fromId: PERSON, text: "/start" });
    fake.kick(GROUP);
    expect(await updates()).toMatchObject([
      { my_chat_member: { new_chat_member: { status: "kicked", user: { id: fake.botId } } } },
      { my_chat_member: { new_chat_member: { status: "member" } } },
      { message: { text: "/start" } },
      { my_chat_member: { chat: { id: GROUP }, new_chat_member: { status: "kicked" } } },
    ]);
  });

  it("announces an upgrade in both chats", async () => {
    fake.user({ chatId: GROUP, fromId: PERSON, text: "x" });
    fake.upgradeToSupergroup(GROUP, FORUM - 1);
    expect((await updates()).slice(1)).toMatchObject([
      { message: { chat: { id: GROUP }, migrate_to_chat_id: FORUM - 1 } },
      { message: { chat: { id: FORUM - 1 }, migrate_from_chat_id: GROUP } },
    ]);
  });
});

describe("what cannot happen", () => {
  it("is an error that says what to do", () => {
    const text = "x";
    const impossible: readonly (readonly [() => unknown, RegExp])[] = [
      [() => fake.user({ chatId: -99, fromId: PERSON, text }), /make it with addChat/],
      [() => fake.user({ chatId: FORUM, fromId: PERSON, text, threadId: 1 }), /General has no id/],
      [
        () => fake.user({ chatId: PERSON, fromId: PERSON, text: "x".repeat(4_097) }),
        /send several/,
      ],
      [() => fake.edit({ chatId: GROUP, messageId: 1, text }), /has no message 1/],
      [() => fake.callback({ chatId: GROUP, fromId: 7, messageId: 1, data: "" }), /1 to 64 bytes/],
      [() => fake.block(GROUP), /use block for private chats/],
      [() => fake.kick(8), /does not exist/],
      [() => fake.closeTopic(FORUM, 12), /has no topic 12/],
      [() => fake.deleteTopic(FORUM, 12), /has no topic 12/],
      [() => fake.reopenTopic(FORUM, 11), /is not closed/],
      [() => fake.endForum(GROUP), /is no forum/],
      [() => fake.upgradeToSupergroup(FORUM, -5), /is no group/],
      [() => fake.addChat({ id: 5, type: "group" }), /groups negative/],
      [() => fake.addChat({ id: -5, type: "group", isForum: true }), /supergroups with isForum/],
    ];
    for (const [act, message] of impossible) expect(act).toThrow(message);
  });

  it("includes a token without its form, and a person writing where the bot is gone", async () => {
    await expect(startFakeTelegram({ token: "nonsense" })).rejects.toThrow(/is not a token/);
    fake.kick(GROUP);
    expect(() => fake.user({ chatId: GROUP, fromId: PERSON, text: "x" })).toThrow(/it is kicked/);
  });
});
