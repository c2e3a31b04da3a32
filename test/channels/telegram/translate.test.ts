import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_REFUSED_COMMANDS } from "../../../src/channels/commands.ts";
import {
  translate,
  type TranslatePolicy,
  type Translation,
} from "../../../src/channels/telegram/translate.ts";
import { english } from "../../../src/words/english.ts";

const OWNER = 42;
const POLICY: TranslatePolicy = {
  botUsername: "holdfast_bot",
  allowedUsers: new Set([OWNER]),
  chatUsers: new Map(),
  requireMention: false,
  refusedCommands: DEFAULT_REFUSED_COMMANDS,
  files: english.files,
};

const GROUP = { id: -1_001_234_567_890, type: "supergroup" };

function message(fields: object, policy: TranslatePolicy = POLICY): Translation {
  const base = {
    message_id: 7,
    date: 1_700_000_000,
    chat: { id: OWNER, type: "private" },
    from: { id: OWNER, is_bot: false, first_name: "Ada" },
  };
  return translate({ update_id: 100, message: { ...base, ...fields } }, policy);
}

describe("what a message becomes", () => {
  it("passes a text on with everything a reply needs", () => {
    expect(message({ text: "hello" }).intake).toEqual({
      kind: "message",
      updateId: 100,
      address: { channel: "telegram", chatId: "42", topicId: null },
      sender: "42",
      text: "hello",
      platformMessageId: "7",
    });
  });

  it("tells holdfast's commands from the agent's", () => {
    expect(message({ text: "/workspace /srv" }).intake).toMatchObject({
      kind: "command",
      name: "workspace",
      args: "/srv",
    });
    expect(message({ text: "/login" }).intake).toMatchObject({ kind: "command", name: "login" });
    expect(message({ text: "/compact" }).intake).toMatchObject({
      kind: "message",
      text: "/compact",
    });
  });

  it("knows which message a command replies to, and a message only what of ours", () => {
    const reply = (from: object) => ({ reply_to_message: { message_id: 5, from } });
    const person = { id: OWNER, is_bot: false };
    const bot = { id: 1, is_bot: true, username: "holdfast_bot" };
    expect(message({ text: "/stop", ...reply(person) }).intake).toMatchObject({ about: "5" });
    expect(message({ text: "hi", ...reply(bot) }).intake).toMatchObject({ replyTo: "5" });
    expect(message({ text: "hi", ...reply(person) }).intake).not.toHaveProperty("replyTo");
  });

  it("takes a photo in its largest size, and a document under its name", () => {
    const photo = [{ file_id: "small" }, { file_id: "large", file_size: 9 }];
    expect(message({ photo, caption: "look" }).intake).toMatchObject({
      kind: "message",
      text: "look",
      files: [{ fileId: "large", name: "photo.jpg", bytes: 9 }],
    });
    const document = { file_id: "d", file_name: "../notes.txt" };
    expect(message({ document, text: undefined }).intake).toMatchObject({
      kind: "message",
      text: "",
      files: [{ fileId: "d", name: "../notes.txt", bytes: null }],
    });
  });

  it("ignores a command for another bot", () => {
    expect(message({ text: "/new@other_bot" })).toMatchObject({
      intake: null,
      ignored: "other-bot",
    });
  });

  it("passes a forwarded command on as text: nobody gave the order here", () => {
    const forwarded = { text: "/new", forward_origin: { type: "user" } };
    expect(message(forwarded).intake).toMatchObject({ kind: "message", text: "/new" });
  });

  it("uses the text of replies and quotes", () => {
    const reply = { text: "yes", reply_to_message: { message_id: 3 }, quote: { text: "sure?" } };
    expect(message(reply).intake).toMatchObject({ kind: "message", text: "yes" });
  });

  it("passes a caption on and says what it cannot pass on", () => {
    const { intake } = message({ caption: "what is this?", voice: { file_id: "x" } });
    expect(intake).toMatchObject({
      kind: "message",
      text: "what is this?\n\n[The message came with a voice message, which could not be passed on.]",
    });
  });

  it.each([
    [{ photo: [] }, "photo"],
    [{ document: {} }, "document"],
    [{ voice: {} }, "voice"],
    [{ video: {} }, "video"],
    [{ video_note: {} }, "video_note"],
    [{ audio: {} }, "audio"],
    [{ sticker: {} }, "sticker"],
    [{ location: {} }, "location"],
    [{ venue: {}, location: {} }, "venue"],
    [{ contact: {} }, "contact"],
    [{ poll: {} }, "poll"],
    [{ animation: {}, document: {} }, "animation"],
    [{ something_of_next_year: {} }, "other"],
  ])("names what it cannot read in %j", (fields, what) => {
    expect(message(fields).intake).toMatchObject({ kind: "unsupported", what });
  });

  it.each([" \u200a ", "@holdfast_bot"])("takes %j for a message with nothing in it", (text) => {
    expect(message({ text }).intake).toMatchObject({ kind: "message", text: "" });
  });

  it.each([{ new_chat_members: [] }, { pinned_message: {} }, { forum_topic_created: {} }])(
    "answers nothing to the event %j of a chat",
    (fields) => {
      expect(message(fields)).toMatchObject({ intake: null, ignored: "service-message" });
    },
  );

  it("reads a message although a field has another shape than today", () => {
    const odd = { text: "hello", caption: 5, media_group_id: {}, message_thread_id: "x" };
    expect(message(odd).intake).toMatchObject({ kind: "message", text: "hello" });
  });
});

describe("where a message belongs", () => {
  it.each([
    [{ message_thread_id: 55, is_topic_message: true }, "55"],
    [{ message_thread_id: 55 }, null],
    [{ message_thread_id: 55, is_topic_message: false }, null],
    [{ message_thread_id: 1, is_topic_message: true }, null],
    [{}, null],
  ])("reads the topic of %j as %j", (fields, topicId) => {
    const { intake } = message({ text: "hi", chat: GROUP, ...fields });
    expect(intake?.address).toEqual({ channel: "telegram", chatId: "-1001234567890", topicId });
  });

  it("tells a chat's new id after its upgrade", () => {
    const { moved, intake } = message({
      chat: { id: -5, type: "group" },
      migrate_to_chat_id: -100_5,
    });
    expect(moved).toEqual({ from: "-5", to: "-1005" });
    expect(intake).toBeNull();
  });
});

describe("who is heard", () => {
  const refused = (fields: object, policy?: TranslatePolicy) => {
    const { intake, ignored } = message({ text: "/new", ...fields }, policy);
    expect(intake).toBeNull();
    return ignored;
  };

  it("hears nobody when the list is empty", () => {
    expect(refused({}, { ...POLICY, allowedUsers: new Set() })).toBe("stranger");
  });

  it("refuses a stranger, also under an allowed person's name and in that person's chat", () => {
    expect(refused({ from: { id: 43, is_bot: false, username: "ada" } })).toBe("stranger");
  });

  it.each([1_087_968_824, 136_817_688, 777_000])(
    "refuses the identity %i, which stands for no person, even if it is listed",
    (id) => {
      const policy = { ...POLICY, allowedUsers: new Set([OWNER, id]) };
      expect(refused({ from: { id, is_bot: false } }, policy)).toBe("anonymous");
    },
  );

  it("refuses what is sent in the name of a chat, or of nobody", () => {
    expect(refused({ sender_chat: { id: -100 } })).toBe("anonymous");
    expect(refused({ from: undefined })).toBe("anonymous");
    expect(refused({ from: { id: "42" } })).toBe("anonymous");
  });

  it("refuses bots, and senders that may be bots", () => {
    expect(refused({ from: { id: OWNER, is_bot: true } })).toBe("bot");
    expect(refused({ from: { id: OWNER, is_bot: "no" } })).toBe("bot");
  });

  it("hears an allowed user in every group, and in a listed one only whom its list names", () => {
    expect(message({ text: "hi", chat: GROUP }).intake).not.toBeNull();
    const listed = { ...POLICY, chatUsers: new Map([[GROUP.id, new Set([43])]]) };
    expect(refused({ chat: GROUP }, listed)).toBe("chat-not-allowed");
    const guest = { id: 43, is_bot: false };
    expect(message({ text: "hi", chat: GROUP, from: guest }, listed).intake).not.toBeNull();
    expect(refused({ chat: { id: 43, type: "private" }, from: guest }, listed)).toBe("stranger");
    expect(refused({ chat: { id: -1, type: "group" }, from: guest }, listed)).toBe("stranger");
  });
});

describe("other updates", () => {
  it.each([
    [{ edited_message: { text: "x" } }, "malformed"],
    [
      { edited_message: { message_id: 1, chat: { id: 66 }, from: { id: 66 }, text: "x" } },
      "stranger",
    ],
    [{ edited_message: { message_id: 1, chat: { id: OWNER }, from: { id: OWNER } } }, "edited"],
    [{ my_chat_member: {} }, "malformed"],
    [{ my_chat_member: { chat: { id: -5 }, new_chat_member: { status: "kicked" } } }, "membership"],
    [{ inline_query: {} }, "unknown-kind"],
    [{}, "unknown-kind"],
    [{ message: "text" }, "malformed"],
    [{ message: { message_id: 1, text: "no chat", from: { id: OWNER } } }, "malformed"],
    [{ callback_query: { id: 5 } }, "malformed"],
  ])("are ignored for a reason: %j", (fields, ignored) => {
    expect(translate({ update_id: 1, ...fields }, POLICY)).toMatchObject({ intake: null, ignored });
  });

  it("leave a callback to be answered", () => {
    const callback_query = { id: "abc", from: { id: 43, is_bot: false }, data: "x" };
    expect(translate({ update_id: 1, callback_query }, POLICY)).toMatchObject({
      intake: null,
      ignored: "callback",
      callbackId: "abc",
    });
  });

  it("never make it throw, and always give one of an intake and a reason", () => {
    const field = fc.constantFrom("chat", "from", "text", "caption", "message_id", "photo", "id");
    const tree = fc.object({ key: field, maxDepth: 3, withNullPrototype: false });
    fc.assert(
      fc.property(fc.constantFrom("message", "callback_query"), tree, (kind, value) => {
        const { intake, ignored } = translate({ update_id: 1, [kind]: value }, POLICY);
        expect((intake === null) !== (ignored === null)).toBe(true);
      }),
    );
  });
});
