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

describe("documents and files", () => {
  it("takes an upload with its caption and gives the bytes back", async () => {
    const bytes = Buffer.from("line one\r\n--not the boundary\r\n\u0000\u00ff end", "latin1");
    const sent = await bot.sendDocument(
      FORUM,
      { source: bytes, filename: "answer.md" },
      { caption: "[ctx: 62%]", message_thread_id: 11 },
    );
    expect(fake.messages).toMatchObject([
      { text: "[ctx: 62%]", threadId: 11, document: { fileName: "answer.md" } },
    ]);
    expect(fake.messages[0]?.document?.bytes.equals(bytes)).toBe(true);
    const link = await bot.getFileLink(sent.document.file_id);
    const fetched = await fetch(link);
    expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
    expect(fake.violations).toEqual([]);
  });

  it("sees reply parameters of an upload only as JSON text", async () => {
    const { messageId } = fake.user({ chatId: PERSON, fromId: PERSON, text: "?" });
    const reply = { message_id: messageId };
    const source = { source: Buffer.from("x") };
    await bot.sendDocument(PERSON, source, { reply_parameters: reply });
    await call("sendDocument", {
      chat_id: PERSON,
      document: source,
      reply_parameters: JSON.stringify(reply),
    });
    expect(fake.messages.map((message) => message.replyToMessageId)).toEqual([null, messageId]);
  });

  it("refuses uploads that are missing or empty and captions that are too long", async () => {
    const upload = (params: object) => refusal("sendDocument", { chat_id: PERSON, ...params });
    expect(await upload({})).toBe("400 Bad Request: there is no document in the request");
    expect(await upload({ document: { source: Buffer.alloc(0) } })).toBe(
      "400 Bad Request: file must be non-empty",
    );
    const caption = "x".repeat(1_025);
    expect(await upload({ document: { source: Buffer.from("x") }, caption })).toBe(
      "400 Bad Request: message caption is too long",
    );
    await bot.sendDocument(PERSON, { source: Buffer.from("x") }, { caption: "x".repeat(1_024) });
    expect(await upload({ document: "nothing" })).toMatch(/wrong file identifier/);
    expect(await upload({ document: { source: Buffer.alloc(50_000_001) } })).toBe(
      "413 Request Entity Too Large",
    );
    expect(fake.messages).toHaveLength(1);
  });

  it("hands out files up to 20 MB", async () => {
    const small = fake.addFile({ name: "a.txt", content: Buffer.from("abc") });
    const large = fake.addFile({ name: "b.bin", content: 20_000_001 });
    expect(await bot.getFile(small)).toMatchObject({ file_size: 3 });
    expect(await refusal("getFile", { file_id: large })).toBe("400 Bad Request: file is too big");
    expect(await refusal("getFile", { file_id: "none" })).toMatch(/wrong file_id/);
    const elsewhere = await fetch(`${fake.apiRoot}/file/bot${fake.token}/documents/none`);
    expect(elsewhere.status).toBe(404);
  });
});

describe("the other methods", () => {
  it("tells who the bot is", async () => {
    expect(await bot.getMe()).toMatchObject({
      id: fake.botId,
      is_bot: true,
      username: "holdfast_test_bot",
      can_read_all_group_messages: true,
    });
  });

  it("keeps the command menu and refuses a broken one", async () => {
    const commands = [{ command: "start", description: "Start" }];
    await bot.setMyCommands(commands);
    expect(fake.commands).toEqual(commands);
    const menu = (command: string, description: string) =>
      refusal("setMyCommands", { commands: [{ command, description }] });
    expect(await menu("Start", "x")).toBe("400 Bad Request: BOT_COMMAND_INVALID");
    expect(await menu("start", " ")).toBe("400 Bad Request: BOT_COMMAND_DESCRIPTION_INVALID");
    expect(fake.commands).toEqual(commands);
  });

  it("records chat actions, General by its id 1", async () => {
    await bot.sendChatAction(PERSON, "typing");
    await bot.sendChatAction(FORUM, "typing", { message_thread_id: 1 });
    await bot.sendChatAction(FORUM, "typing", { message_thread_id: 12 });
    expect(fake.chatActions.map(({ chatId, threadId }) => [chatId, threadId])).toEqual([
      [PERSON, null],
      [FORUM, null],
      [FORUM, 12],
    ]);
    expect(await refusal("sendChatAction", { chat_id: PERSON, action: "dancing" })).toMatch(
      /wrong/,
    );
  });

  it("answers a press once", async () => {
    const { message_id: id } = await bot.sendMessage(PERSON, "stop?");
    fake.callback({ chatId: PERSON, fromId: PERSON, messageId: id, data: "stop" });
    const [update] = await bot.getUpdates(0, 100, 0, undefined);
    expect(update).toMatchObject({ callback_query: { data: "stop", message: { message_id: id } } });
    const query = update as { callback_query: { id: string } };
    await bot.answerCbQuery(query.callback_query.id, "stopped");
    expect(fake.callbackAnswers).toMatchObject([{ text: "stopped" }]);
    const again = { callback_query_id: query.callback_query.id };
    expect(await refusal("answerCallbackQuery", again)).toBe(
      "400 Bad Request: query is too old and response timeout expired or query ID is invalid",
    );
    expect(fake.violations).toEqual([expect.stringContaining("answered twice")]);
    expect(await refusal("answerCallbackQuery", { callback_query_id: "1" })).toMatch(/too old/);
  });

  it("reacts with one of the known emoji", async () => {
    const { messageId } = fake.user({ chatId: PERSON, fromId: PERSON, text: "x" });
    const react = (emoji: string, message = messageId) => ({
      chat_id: PERSON,
      message_id: message,
      reaction: [{ type: "emoji", emoji }],
    });
    await call("setMessageReaction", react("👀"));
    expect(fake.reactions).toEqual([
      { chatId: PERSON, messageId, reaction: [{ type: "emoji", emoji: "👀" }] },
    ]);
    expect(await refusal("setMessageReaction", react("🪿"))).toMatch(/REACTION_INVALID/);
    expect(await refusal("setMessageReaction", react("👀", 9_999))).toMatch(/message to react/);
  });

  it("throws no updates away unnoticed", async () => {
    fake.user({ chatId: PERSON, fromId: PERSON, text: "x" });
    await bot.deleteWebhook();
    expect(fake.pendingUpdates()).toBe(1);
    await bot.deleteWebhook({ drop_pending_updates: true });
    expect(fake.pendingUpdates()).toBe(0);
    expect(fake.violations).toEqual([expect.stringContaining("drop_pending_updates")]);
  });
});

describe("the door", () => {
  it("knows its token and its methods", async () => {
    const get = async (path: string) => {
      const answer = await fetch(`${fake.apiRoot}${path}`);
      return `${answer.status} ${((await answer.json()) as { description: string }).description}`;
    };
    expect(await get(`/bot7000000001:${"B".repeat(35)}/getMe`)).toBe("401 Unauthorized");
    expect(await get("/botnonsense/getMe")).toBe("404 Not Found");
    expect(await get("/")).toBe("404 Not Found");
    expect(await get(`/bot${fake.token}/sendRichMessage`)).toBe("404 Not Found: method not found");
  });

  it("reads forms and queries as well as JSON, and method names in any case", async () => {
    const url = `${fake.apiRoot}/bot${fake.token}/SENDMESSAGE`;
    const entities = JSON.stringify([{ type: "bold", offset: 0, length: 1 }]);
    const body = new URLSearchParams({ chat_id: String(PERSON), text: "form", entities });
    await fetch(url, { method: "POST", body });
    const form = new FormData();
    form.set("chat_id", String(PERSON));
    form.set("text", "multipart");
    await fetch(url, { method: "POST", body: form });
    await fetch(`${url}?chat_id=${PERSON}&text=query`);
    expect(fake.messages.map((message) => message.text)).toEqual(["form", "multipart", "query"]);
    expect(fake.messages[0]?.entities).toHaveLength(1);
    expect(fake.calls.map((made) => made.method)).toEqual(Array(3).fill("sendMessage"));
  });

  it("refuses a body that it cannot read", async () => {
    const url = `${fake.apiRoot}/bot${fake.token}/sendMessage`;
    for (const [type, body] of [
      ["application/json", "{"],
      ["application/json", "[]"],
      ["text/plain", "x"],
      ["multipart/form-data; boundary=b", "--b\r\nno end"],
    ] as const) {
      const answer = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
      expect(answer.status).toBe(400);
    }
    expect(fake.messages).toEqual([]);
  });
});
