import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramChannel } from "../../../src/channels/telegram/channel.ts";
import type { Outgoing, SendResult } from "../../../src/ports.ts";
import { english } from "../../../src/words/english.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, FORUM, openChannel, OWNER, says } from "./support.ts";

const WORD_LIST = Array.from({ length: 3_000 }, (_, index) => `word${index}`);
/** Paragraphs, seven messages long. */
const LONG = `**Start**\n\n${WORD_LIST.map((word, index) => (index % 50 === 49 ? `${word}\n\n` : `${word} `)).join("")}`;
const FOOTER = "[ctx: 62%]";

describe("a file of the agent's", () => {
  let fake: FakeTelegram;
  beforeEach(async () => {
    fake = await startFakeTelegram();
  });
  afterEach(() => endFake(fake));

  const send = (text: string): Promise<SendResult> => {
    says(fake, "question");
    const { channel } = openChannel(fake);
    const out: Outgoing = {
      id: 1,
      address: { channel: "telegram", chatId: String(OWNER), topicId: null },
      text,
      footer: null,
      replyTo: null,
      file: { name: "a.bin", content: Buffer.from([0, 255]) },
    };
    const [part, ...more] = channel.render(out);
    expect(more).toEqual([]);
    return channel.send(out, part ?? {});
  };

  it("arrives as it is, with its words", async () => {
    expect(await send("look")).toMatchObject({ outcome: "sent" });
    const [message] = fake.messages;
    expect(message).toMatchObject({ text: "look", document: { fileName: "a.bin" } });
    expect(message?.document?.bytes).toEqual(Buffer.from([0, 255]));
  });

  it("is given up where Telegram takes it in no form, and sent again where it may", async () => {
    fake.fail("sendDocument", {
      kind: "error",
      code: 413,
      description: "Request Entity Too Large",
    });
    expect(await send("")).toMatchObject({ outcome: "refused" });
    fake.fail("sendDocument", { kind: "error", code: 502, description: "Bad Gateway" });
    expect(await send("")).toMatchObject({ outcome: "ambiguous" });
  });
});

describe("an answer that needs more than three messages", () => {
  let fake: FakeTelegram;
  let channel: TelegramChannel;
  let replyTo: string;

  beforeEach(async () => {
    fake = await startFakeTelegram();
    ({ channel } = openChannel(fake, {}, { sendTimeoutMs: 400 }));
    replyTo = String(says(fake, "question").messageId);
  });
  afterEach(() => endFake(fake));

  const outgoing = (more: Partial<Outgoing> = {}): Outgoing => ({
    id: 1,
    address: { channel: "telegram", chatId: String(OWNER), topicId: null },
    text: LONG,
    footer: FOOTER,
    replyTo,
    ...more,
  });
  const sendLast = (out: Outgoing): Promise<SendResult> =>
    channel.send(out, channel.render(out).at(-1) ?? {});
  const deliver = async (out: Outgoing): Promise<readonly SendResult[]> => {
    const results: SendResult[] = [];
    for (const part of channel.render(out)) results.push(await channel.send(out, part));
    return results;
  };
  const refuse = (code: number, description: string, times = 1) =>
    fake.fail("sendDocument", { kind: "error", code, description }, times);
  const wordsShown = () =>
    fake.messages
      .flatMap((one) => (one.document === undefined ? [one.text] : []))
      .join(" ")
      .match(/word\d+/g);

  it("begins with one message that is a reply, and is a file with all of it", async () => {
    expect(await deliver(outgoing())).toMatchObject([{ outcome: "sent" }, { outcome: "sent" }]);
    const [opening, file] = fake.messages;
    expect(fake.messages).toHaveLength(2);
    expect(opening).toMatchObject({
      replyToMessageId: Number(replyTo),
      entities: [{ type: "bold", offset: 0, length: 5 }],
    });
    expect(opening?.text).toMatch(/^Start\n\nword0 word1 .*word\d+\n\n… .*\n\n\[ctx: 62%\]$/s);
    expect(opening?.text.split("\n\n").at(-2)).toBe(english.answers.wholeInFile);
    expect(opening?.text.length).toBeGreaterThan(3_500);
    expect(file).toMatchObject({ text: FOOTER, replyToMessageId: null });
    expect(file?.document?.fileName).toBe("answer.md");
    expect(file?.document?.bytes.toString("utf8")).toBe(LONG);
  });

  it("goes to its topic with both", async () => {
    fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [7] });
    const address = { channel: "telegram", chatId: String(FORUM), topicId: "7" };
    await deliver(outgoing({ address, replyTo: null }));
    expect(fake.messages.map((one) => one.threadId)).toEqual([7, 7]);
  });

  it("has no caption where there is no footer, and one that fits where that is long", async () => {
    await deliver(outgoing({ footer: null }));
    expect(fake.calls.at(-1)?.params).not.toHaveProperty("caption");
    expect(fake.messages[0]?.text.endsWith(english.answers.wholeInFile)).toBe(true);
    const footer = "é".repeat(5_000);
    expect(await deliver(outgoing({ footer }))).toMatchObject([
      { outcome: "sent" },
      { outcome: "sent" },
    ]);
    expect(fake.messages.at(-1)?.text).toHaveLength(1_024);
  });

  it("is a file from the fourth message on, and not before", () => {
    const parts = (count: number) =>
      channel.render(outgoing({ text: "x".repeat(4_096 * count), footer: null }));
    expect(parts(3).map((part) => part["kind"])).toEqual(["text", "text", "text"]);
    expect(parts(4).map((part) => part["kind"])).toEqual(["text", "document"]);
  });

  it("is cut inside a block of code so that both halves are code", async () => {
    const text = `\`\`\`ts\n${"const line = 1;\n".repeat(2_000)}\`\`\``;
    await deliver(outgoing({ text }));
    const [opening] = fake.messages;
    expect(opening?.entities).toMatchObject([{ type: "pre", offset: 0, language: "ts" }]);
    expect(opening?.text).toContain(english.answers.wholeInFile);
  });

  it.each([
    [400, "Bad Request: SOMETHING_NEW"],
    [400, "Bad Request: not enough rights to send documents to the chat"],
    [404, "Not Found: method not found"],
    [413, "Request Entity Too Large"],
  ])(
    "is sent in messages after all, whole, where the file is refused: %i %s",
    async (code, why) => {
      refuse(code, why);
      expect(await deliver(outgoing())).toMatchObject([{ outcome: "sent" }, { outcome: "sent" }]);
      expect(wordsShown()).toEqual(WORD_LIST);
      expect(fake.messages.length).toBeGreaterThan(4);
      expect(fake.messages.every((one) => one.text.endsWith(FOOTER))).toBe(true);
    },
  );

  it("has no message twice where a 429 comes between those in place of the file", async () => {
    refuse(413, "Request Entity Too Large");
    const out = outgoing();
    const parts = channel.render(out);
    await channel.send(out, parts[0] ?? {});
    fake.setFloodLimits({ perChatPerSecond: 3, retryAfter: 1 });
    const result = await channel.send(out, parts[1] ?? {});
    expect(result).toMatchObject({ outcome: "gated" });
    expect(wordsShown()?.length).toBeLessThan(WORD_LIST.length);
    fake.setFloodLimits(null);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    expect(await channel.send(out, parts[1] ?? {})).toMatchObject({ outcome: "sent" });
    expect(wordsShown()).toEqual(WORD_LIST);
    expect(fake.calls.filter((call) => call.method === "sendDocument")).toHaveLength(1);
  });

  it("is not sent in messages where the file may have arrived or the chat is closed", async () => {
    fake.fail("sendDocument", { kind: "lost-answer" });
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "ambiguous" });
    fake.fail("sendDocument", { kind: "hang" });
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "ambiguous" });
    refuse(401, "Unauthorized");
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "retry" });
    refuse(400, "Bad Request: TOPIC_CLOSED");
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "topicClosed" });
    fake.block(OWNER);
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "disabled" });
    expect(wordsShown()).toBeNull();
  });

  it("quiets its chat when the file brings a 429", async () => {
    const parameters = { retry_after: 30 };
    fake.fail("sendDocument", { kind: "error", code: 429, description: "Too Many", parameters });
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "gated", retryAfterMs: 30_000 });
    const calls = fake.calls.length;
    expect(await sendLast(outgoing())).toMatchObject({ outcome: "gated" });
    expect(fake.calls).toHaveLength(calls);
  });
});
