import { Telegram, TelegramError } from "telegraf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeTelegram } from "./server.ts";
import type { FakeTelegram } from "./server.ts";

const PERSON = 7;
const GROUP = -40;
const FORUM = -1_001_000_000_001;

let fake: FakeTelegram;
let bot: Telegram;

beforeEach(async () => {
  fake = await startFakeTelegram();
  bot = new Telegram(fake.token, { apiRoot: fake.apiRoot });
  fake.addChat({ id: PERSON, type: "private" });
  fake.addChat({ id: GROUP, type: "group" });
  fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [11, 12] });
});

afterEach(async () => {
  await fake[Symbol.asyncDispose]();
});

async function call(method: string, params: object): Promise<unknown> {
  const client = bot as unknown as {
    callApi(method: string, payload: object): Promise<unknown>;
  };
  return client.callApi(method, params);
}

/** What the bot is told when the call is refused. */
async function refusal(method: string, params: object): Promise<string> {
  const outcome = await call(method, params).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(TelegramError);
  const { code, description } = outcome as TelegramError;
  return `${code} ${description}`;
}

const send = (params: object = {}) =>
  refusal("sendMessage", { chat_id: PERSON, text: "x", ...params });

describe("sendMessage", () => {
  it("keeps the message and answers it as the platform shows it", async () => {
    const entities = [{ type: "bold" as const, offset: 0, length: 5 }];
    const sent = await bot.sendMessage(PERSON, "hello there", { entities });
    expect(sent).toMatchObject({
      text: "hello there",
      entities,
      chat: { id: PERSON, type: "private" },
      from: { id: fake.botId, is_bot: true, username: fake.botUsername },
    });
    expect(fake.messages).toMatchObject([
      {
        chatId: PERSON,
        threadId: null,
        messageId: sent.message_id,
        text: "hello there",
        entities,
        replyToMessageId: null,
        replyMarkup: null,
      },
    ]);
    expect(fake.calls).toMatchObject([{ method: "sendMessage", answered: { ok: true } }]);
    expect(fake.violations).toEqual([]);
  });

  it("trims the text and moves its entities", async () => {
    await call("sendMessage", {
      chat_id: String(PERSON),
      text: "\n  bold \n",
      entities: JSON.stringify([{ type: "bold", offset: 3, length: 4 }]),
    });
    expect(fake.messages).toMatchObject([
      { text: "bold", entities: [{ type: "bold", offset: 0, length: 4 }] },
    ]);
  });

  it("keeps a text that looks like JSON as it is", async () => {
    await bot.sendMessage(PERSON, '["a", 1]');
    expect(fake.messages[0]?.text).toBe('["a", 1]');
  });

  it("takes 4,096 UTF-16 units after trimming and no more", async () => {
    await bot.sendMessage(PERSON, `  ${"x".repeat(4_096)}  `);
    expect(await send({ text: "x".repeat(4_097) })).toBe("400 Bad Request: message is too long");
    expect(await send({ text: "😀".repeat(2_049) })).toBe("400 Bad Request: message is too long");
    expect(fake.messages).toHaveLength(1);
  });

  it("refuses a text that is missing, blank or not Unicode", async () => {
    expect(await refusal("sendMessage", { chat_id: PERSON })).toBe(
      "400 Bad Request: message text is empty",
    );
    expect(await send({ text: " \n " })).toBe("400 Bad Request: text must be non-empty");
    expect(await send({ text: "\ud83d" })).toBe(
      "400 Bad Request: strings must be encoded in UTF-8",
    );
    expect(fake.violations).toEqual([]);
    expect(await send({ text: "" })).toBe("400 Bad Request: message text is empty");
    expect(fake.violations).toEqual(['sendMessage with an empty "text"']);
  });

  it("refuses entities that the server would not keep", async () => {
    const outside = [{ type: "bold", offset: 0, length: 9 }];
    expect(await send({ entities: outside })).toMatch(/^400 Bad Request: can't parse entities: /);
    const halved = [{ type: "bold", offset: 1, length: 1 }];
    expect(await send({ text: "😀", entities: halved })).toMatch(/can't parse entities/);
    const many = Array.from({ length: 101 }, (_, offset) => ({ type: "bold", offset, length: 1 }));
    expect(await send({ text: "x".repeat(200), entities: many })).toMatch(/can't parse entities/);
    expect(await send({ entities: "bold" })).toMatch(/can't parse entities/);
    expect(fake.violations).toHaveLength(3);
  });

  it("refuses parse_mode, and calls unknown parameters a violation", async () => {
    expect(await send({ parse_mode: "MarkdownV2" })).toMatch(/^400 .*parse_mode/);
    await call("sendMessage", { chat_id: PERSON, text: "x", reply_to_message_id: 4 });
    expect(fake.violations).toEqual([
      expect.stringContaining("parse_mode"),
      'sendMessage with "reply_to_message_id", which it does not take',
    ]);
  });

  it("answers only messages that exist", async () => {
    const { messageId } = fake.user({ chatId: PERSON, fromId: PERSON, text: "question" });
    const answer = await bot.sendMessage(PERSON, "answer", {
      reply_parameters: { message_id: messageId },
    });
    expect(answer).toMatchObject({ reply_to_message: { message_id: messageId, text: "question" } });
    expect(fake.messages[0]?.replyToMessageId).toBe(messageId);

    expect(await send({ reply_parameters: { message_id: 9_999 } })).toBe(
      "400 Bad Request: message to be replied not found",
    );
    await bot.sendMessage(PERSON, "anyway", {
      reply_parameters: { message_id: 9_999, allow_sending_without_reply: true },
    });
    expect(fake.messages[1]).toMatchObject({ text: "anyway", replyToMessageId: null });
  });

  it("writes to topics that exist, to General without an id", async () => {
    const inTopic = await bot.sendMessage(FORUM, "there", { message_thread_id: 11 });
    expect(inTopic).toMatchObject({ message_thread_id: 11, is_topic_message: true });
    await bot.sendMessage(FORUM, "here");
    expect(fake.messages.map((message) => message.threadId)).toEqual([11, null]);

    for (const params of [
      { chat_id: FORUM, message_thread_id: 1 },
      { chat_id: FORUM, message_thread_id: 13 },
      { chat_id: GROUP, message_thread_id: 11 },
    ]) {
      expect(await send(params)).toBe("400 Bad Request: message thread not found");
    }
    const there = { chat_id: FORUM, message_thread_id: 11 };
    fake.closeTopic(FORUM, 11);
    expect(await send(there)).toBe("400 Bad Request: TOPIC_CLOSED");
    fake.reopenTopic(FORUM, 11);
    await bot.sendMessage(FORUM, "again", { message_thread_id: 11 });
    fake.deleteTopic(FORUM, 11);
    expect(await send(there)).toBe("400 Bad Request: message thread not found");
    fake.endForum(FORUM);
    expect(await send({ ...there, message_thread_id: 12 })).toBe(
      "400 Bad Request: message thread not found",
    );
  });

  it("puts an answer into the topic of what it answers", async () => {
    const asked = fake.user({ chatId: FORUM, fromId: PERSON, text: "?", threadId: 12 });
    await bot.sendMessage(FORUM, "!", { reply_parameters: { message_id: asked.messageId } });
    expect(fake.messages[0]?.threadId).toBe(12);
  });

  it("takes buttons with at most 64 bytes of data", async () => {
    const keyboard = (data: string) => ({
      inline_keyboard: [[{ text: "Stop", callback_data: data }]],
    });
    await bot.sendMessage(PERSON, "busy", { reply_markup: keyboard("x".repeat(64)) });
    expect(fake.messages[0]?.replyMarkup).toEqual(keyboard("x".repeat(64)));
    expect(await send({ reply_markup: keyboard("é".repeat(33)) })).toBe(
      "400 Bad Request: BUTTON_DATA_INVALID",
    );
    expect(await send({ reply_markup: { inline_keyboard: [[{ text: "Stop" }]] } })).toMatch(
      /Text buttons are unallowed/,
    );
    expect(await send({ reply_markup: { inline_keyboard: [{ text: "Stop" }] } })).toMatch(
      /Array of Arrays/,
    );
  });
});

describe("chats that cannot be reached", () => {
  it("knows no chat that nobody made", async () => {
    expect(await send({ chat_id: 8 })).toBe("400 Bad Request: chat not found");
    expect(await refusal("sendMessage", { text: "x" })).toBe("400 Bad Request: chat_id is empty");
    fake.removeChat(PERSON);
    expect(await send()).toBe("400 Bad Request: chat not found");
  });

  it("is forbidden where people block, kick or leave, until they write again", async () => {
    fake.block(PERSON);
    expect(await send()).toBe("403 Forbidden: bot was blocked by the user");
    fake.user({ chatId: PERSON, fromId: PERSON, text: "back" });
    await bot.sendMessage(PERSON, "welcome");
    fake.deactivate(PERSON);
    expect(await send()).toBe("403 Forbidden: user is deactivated");
    fake.kick(GROUP);
    expect(await send({ chat_id: GROUP })).toBe(
      "403 Forbidden: bot was kicked from the group chat",
    );
    fake.kick(FORUM);
    expect(await send({ chat_id: FORUM })).toBe(
      "403 Forbidden: bot was kicked from the supergroup chat",
    );
    fake.addChat({ id: GROUP, type: "group" });
    await bot.sendMessage(GROUP, "hello again");
  });

  it("names the supergroup that a group became", async () => {
    fake.upgradeToSupergroup(GROUP, -1_000_000_000_040);
    const error = await bot.sendMessage(GROUP, "x").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 400,
      description: "Bad Request: group chat was upgraded to a supergroup chat",
      parameters: { migrate_to_chat_id: -1_000_000_000_040 },
    });
    await bot.sendMessage(-1_000_000_000_040, "x");
  });
});

describe("edits", () => {
  it("changes the bot's message and keeps what it said before", async () => {
    const { message_id: id } = await bot.sendMessage(PERSON, "one");
    const edited = await bot.editMessageText(PERSON, id, undefined, "two");
    expect(edited).toMatchObject({ message_id: id, text: "two", edit_date: expect.any(Number) });
    expect(
      fake.messages.map(({ messageId, text, editedFrom }) => [messageId, text, editedFrom]),
    ).toEqual([
      [id, "one", undefined],
      [id, "two", "one"],
    ]);
    expect(fake.violations).toEqual([]);
  });

  it("refuses an edit that changes nothing, as a violation", async () => {
    const { message_id: id } = await bot.sendMessage(PERSON, "one");
    const same = { chat_id: PERSON, message_id: id };
    expect(await refusal("editMessageText", { ...same, text: " one " })).toMatch(
      /^400 Bad Request: message is not modified: specified new message content/,
    );
    expect(await refusal("editMessageReplyMarkup", same)).toMatch(/message is not modified/);
    expect(fake.violations).toHaveLength(2);
    const markup = { inline_keyboard: [[{ text: "Stop", callback_data: "s" }]] };
    await bot.editMessageReplyMarkup(PERSON, id, undefined, markup);
    // Without its keyboard the same text is a change.
    await bot.editMessageText(PERSON, id, undefined, "one");
    expect(fake.messages.at(-1)?.replyMarkup).toBeNull();
  });

  it("edits nothing that is gone, a person's or a document", async () => {
    const edit = (messageId: number) =>
      refusal("editMessageText", { chat_id: PERSON, message_id: messageId, text: "y" });
    const theirs = fake.user({ chatId: PERSON, fromId: PERSON, text: "mine" });
    expect(await edit(9_999)).toBe("400 Bad Request: message to edit not found");
    expect(await edit(theirs.messageId)).toBe("400 Bad Request: message can't be edited");
    const { message_id: id } = await bot.sendDocument(PERSON, { source: Buffer.from("x") });
    expect(await edit(id)).toBe("400 Bad Request: there is no text in the message to edit");
    await bot.deleteMessage(PERSON, id);
    expect(await edit(id)).toBe("400 Bad Request: message to edit not found");
    expect(fake.deletions).toEqual([{ chatId: PERSON, messageId: id }]);
  });

  it("deletes a person's message in a private chat only", async () => {
    const inPrivate = fake.user({ chatId: PERSON, fromId: PERSON, text: "a" });
    const inGroup = fake.user({ chatId: GROUP, fromId: PERSON, text: "b" });
    await bot.deleteMessage(PERSON, inPrivate.messageId);
    const theirs = { chat_id: GROUP, message_id: inGroup.messageId };
    expect(await refusal("deleteMessage", theirs)).toBe(
      "400 Bad Request: message can't be deleted",
    );
  });
});
