import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, openChannel, OWNER, says } from "./support.ts";
import { english } from "../../../src/words/english.ts";

const ADDRESS = { channel: "telegram", chatId: String(OWNER), topicId: null };

describe("a sign that nothing depends on", () => {
  let fake: FakeTelegram;
  beforeEach(async () => {
    fake = await startFakeTelegram();
  });
  afterEach(() => endFake(fake));

  const asked = (method: string) => fake.calls.filter((call) => call.method === method).length;

  it("is not tried again where the server does not know it", async () => {
    const { channel } = openChannel(fake);
    const { messageId } = says(fake);
    fake.fail("setMessageReaction", { kind: "error", code: 404, description: "Not Found" });
    await channel.noteWaiting?.(ADDRESS, String(messageId));
    await channel.noteWaiting?.(ADDRESS, String(messageId));
    expect(asked("setMessageReaction")).toBe(1);
    await channel.typing(ADDRESS);
    expect(asked("sendChatAction")).toBe(1);
  });

  it("comes too late for a press without any harm", async () => {
    const { channel } = openChannel(fake);
    const description =
      "Bad Request: query is too old and response timeout expired or query ID is invalid";
    fake.fail("answerCallbackQuery", { kind: "error", code: 400, description });
    await channel.answerPress?.("1", english.presses.stale);
    expect(asked("answerCallbackQuery")).toBe(1);
  });

  it("that earns a penalty quiets its chat", async () => {
    const { channel } = openChannel(fake);
    says(fake);
    const parameters = { retry_after: 9 };
    const description = "Too Many Requests: retry after 9";
    fake.fail("sendChatAction", { kind: "error", code: 429, description, parameters });
    await channel.typing(ADDRESS);
    await channel.typing(ADDRESS);
    expect(asked("sendChatAction")).toBe(1);
  });
});
