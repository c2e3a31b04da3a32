import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TelegramChannel } from "../../../src/channels/telegram/channel.ts";
import type { Outgoing, SendResult } from "../../../src/ports.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, openChannel, OWNER, says } from "./support.ts";

const BUTTONS = [
  [
    { label: "Allow", nonce: "nonce-allow" },
    { label: "Deny", nonce: "nonce-deny" },
  ],
];

describe("buttons and edits", () => {
  let fake: FakeTelegram;
  let channel: TelegramChannel;

  beforeEach(async () => {
    fake = await startFakeTelegram();
    ({ channel } = openChannel(fake));
    says(fake);
  });
  afterEach(() => endFake(fake));

  const send = async (text: string, more: Partial<Outgoing> = {}): Promise<SendResult> => {
    const address = { channel: "telegram", chatId: String(OWNER), topicId: null };
    const out = { id: 1, address, text, footer: null, replyTo: null, ...more };
    let last: SendResult = { outcome: "dropped", detail: "no part" };
    for (const part of channel.render(out)) last = await channel.send(out, part);
    return last;
  };
  const idOf = (result: SendResult) =>
    result.outcome === "sent" ? result.platformMessageId : "nothing was sent";
  const keyboard = () => fake.calls.at(-1)?.params["reply_markup"];
  const failEdit = (description: string, code = 400) =>
    fake.fail("editMessageText", { kind: "error", code, description });

  it("puts its buttons under the last part, a nonce in each", async () => {
    await send("word ".repeat(1_500), { buttons: BUTTONS });
    const [first] = fake.calls.filter(({ method }) => method === "sendMessage");
    expect(first?.params["reply_markup"]).toBeUndefined();
    expect(keyboard()).toEqual({
      inline_keyboard: [
        [
          { text: "Allow", callback_data: "nonce-allow" },
          { text: "Deny", callback_data: "nonce-deny" },
        ],
      ],
    });
  });

  it("sends the text without its buttons when Telegram refuses them", async () => {
    fake.fail("sendMessage", {
      kind: "error",
      code: 400,
      description: "Bad Request: BUTTON_DATA_INVALID",
    });
    expect(await send("may I?", { buttons: BUTTONS })).toMatchObject({ outcome: "sent" });
    expect(fake.messages.at(-1)?.text).toBe("may I?");
    expect(keyboard()).toBeUndefined();
  });

  it("gives a message another text and takes its buttons away", async () => {
    const editOf = idOf(await send("may I?", { buttons: BUTTONS }));
    expect(await send("**allowed**", { editOf })).toEqual({
      outcome: "sent",
      platformMessageId: editOf,
    });
    expect(fake.messages.at(-1)).toMatchObject({
      messageId: Number(editOf),
      text: "allowed",
      entities: [{ type: "bold" }],
      replyMarkup: null,
    });
    expect(keyboard()).toBeUndefined();
  });

  it("takes an edit that changes nothing as done", async () => {
    const editOf = idOf(await send("the same"));
    // As after an edit whose acknowledgement was lost.
    failEdit("Bad Request: message is not modified: specified new message content is the same");
    expect(await send("the same", { editOf })).toEqual({
      outcome: "sent",
      platformMessageId: editOf,
    });
  });

  it.each(["Bad Request: message to edit not found", "Bad Request: message can't be edited"])(
    "sends anew what cannot be edited any more: %s",
    async (description) => {
      const editOf = idOf(await send("may I?"));
      failEdit(description);
      const result = await send("allowed", { editOf });
      expect(idOf(result)).not.toBe(editOf);
      expect(fake.messages.map((one) => one.text)).toEqual(["may I?", "allowed"]);
    },
  );

  it("may try an edit again that was not acknowledged", async () => {
    const editOf = idOf(await send("may I?"));
    failEdit("Internal Server Error", 500);
    expect(await send("allowed", { editOf })).toMatchObject({ outcome: "retry" });
  });

  it("stops all traffic to the chat when an edit is told to wait", async () => {
    const editOf = idOf(await send("may I?"));
    const parameters = { retry_after: 9 };
    fake.fail("editMessageText", {
      kind: "error",
      code: 429,
      description: "Too Many Requests: retry after 9",
      parameters,
    });
    expect(await send("allowed", { editOf })).toMatchObject({ outcome: "gated" });
    expect(await send("another message")).toMatchObject({ outcome: "gated" });
  });
});
