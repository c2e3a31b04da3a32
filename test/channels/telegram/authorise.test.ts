import { describe, expect, it } from "vitest";
import {
  isAddressed,
  refuseSpeaker,
  withoutMention,
  type SpeakerPolicy,
} from "../../../src/channels/telegram/authorise.ts";
import { messageSchema } from "../../../src/channels/telegram/update-schema.ts";

const OWNER = 42;
const GROUP = { id: -100, type: "supergroup" };
const POLICY: SpeakerPolicy = {
  botUsername: "holdfast_bot",
  allowedUsers: new Set([OWNER]),
  chatUsers: new Map(),
  requireMention: true,
};
const message = (fields: object) =>
  messageSchema.parse({
    message_id: 1,
    chat: GROUP,
    from: { id: OWNER, is_bot: false },
    text: "hi",
    ...fields,
  });

describe("whoever writes", () => {
  it.each([
    ["an anonymous administrator", { from: { id: 1_087_968_824, is_bot: true } }, "anonymous"],
    ["a channel", { from: { id: 136_817_688, is_bot: true } }, "anonymous"],
    ["Telegram itself", { from: { id: 777_000, is_bot: false } }, "anonymous"],
    ["somebody in a chat's name", { sender_chat: { id: -7 } }, "anonymous"],
    ["a bot", { from: { id: OWNER, is_bot: true } }, "bot"],
    ["nobody", { from: undefined }, "anonymous"],
    ["a stranger", { from: { id: 66, is_bot: false } }, "stranger"],
    ["an allowed user", {}, null],
  ] as const)("as %s is heard or not: %o is %s", (_, fields, refusal) => {
    expect(refuseSpeaker(message(fields), POLICY)).toBe(refusal);
  });

  it("is not heard anywhere where nobody is listed", () => {
    const nobody = { ...POLICY, allowedUsers: new Set<number>() };
    expect(refuseSpeaker(message({}), nobody)).toBe("stranger");
    const empty = { ...POLICY, chatUsers: new Map([[GROUP.id, new Set<number>()]]) };
    expect(refuseSpeaker(message({}), empty)).toBe("chat-not-allowed");
  });
});

describe("in a group", () => {
  const reply = (username: string) => ({
    reply_to_message: { message_id: 9, from: { id: 1, is_bot: true, username } },
  });
  it.each([
    ["what is said to nobody", {}, false],
    ["a mention", { text: "hey @Holdfast_Bot, look" }, true],
    ["a mention in a caption", { text: undefined, caption: "@holdfast_bot" }, true],
    ["a longer name", { text: "@holdfast_bots" }, false],
    ["a reply to the bot", reply("holdfast_bot"), true],
    ["a reply to somebody else", reply("other_bot"), false],
    ["a command", { text: "/status" }, true],
    ["anything in a private chat", { chat: { id: OWNER, type: "private" } }, true],
  ] as const)("%s: %o is meant for the bot: %s", (_, fields, is) => {
    expect(isAddressed(message(fields), POLICY)).toBe(is);
    expect(isAddressed(message(fields), { ...POLICY, requireMention: false })).toBe(true);
  });
});

it.each([
  ["@holdfast_bot fix it", "fix it"],
  ["@Holdfast_Bot, fix it", "fix it"],
  ["fix it @holdfast_bot", "fix it"],
  ["ask @holdfast_bot about it", "ask @holdfast_bot about it"],
  ["@holdfast_bots fix it", "@holdfast_bots fix it"],
  ["@holdfast_bot !stop that", "!stop that"],
  ["no mention", "no mention"],
])("of %j the agent gets %j", (text, given) => {
  expect(withoutMention(text, "holdfast_bot")).toBe(given);
});
