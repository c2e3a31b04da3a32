import type { Address, Intake } from "../../ports.ts";
import type { FileWords } from "../../words/words.ts";
import { EDITED, parseCommand, PRESSED, pressArgs } from "../commands.ts";
import { attachmentOf } from "./attachments.ts";
import {
  isAddressed,
  isReplyToBot,
  refuseSpeaker,
  withoutMention,
  type Refusal,
  type SpeakerPolicy,
} from "./authorise.ts";
import { filesIn } from "./files.ts";
import {
  callbackSchema,
  membershipSchema,
  messageSchema,
  type RawMessage,
  type RawUpdate,
} from "./update-schema.ts";

/** Who is heard, and what is not passed on. */
export interface TranslatePolicy extends SpeakerPolicy {
  readonly refusedCommands: ReadonlySet<string>;
  /** What is put beside a text whose attachment is not passed on. */
  readonly files: Pick<FileWords, "cameWith">;
}

export type IgnoredReason =
  | Refusal
  | "unknown-kind"
  | "malformed"
  | "other-bot"
  | "album"
  | "edited"
  | "callback"
  | "membership";

export interface Translation {
  /** What goes to the inbox; null when `ignored` says why not. */
  readonly intake: Intake | null;
  readonly ignored: IgnoredReason | null;
  /** The sender as far as it is known, for the log. */
  readonly userId: number | null;
  /** A callback to answer, or its button keeps spinning. */
  readonly callbackId: string | null;
  /** The chat lives on under another id. */
  readonly moved: { readonly from: string; readonly to: string } | null;
  /** The bot came into a chat, or had to leave it. */
  readonly membership: { readonly chatId: string; readonly isMember: boolean } | null;
  /** The album that an attachment belongs to: one answer an album is enough. */
  readonly album: string | null;
  /** What its neighbours with the same key are one message with: an album, or what is forwarded in one go. */
  readonly burst: string | null;
}

const NOTHING: Translation = {
  intake: null,
  ignored: null,
  userId: null,
  callbackId: null,
  moved: null,
  membership: null,
  album: null,
  burst: null,
};

/** Every topic but General has its own id; General's is 1 and may not be sent to by it. */
const GENERAL_TOPIC = 1;

/** Pure and total: whatever an update holds, it is translated or ignored for a reason. */
export function translate(update: RawUpdate, policy: TranslatePolicy): Translation {
  if (update["message"] !== undefined) return translateMessage(update, policy);
  if (update["callback_query"] !== undefined) return translateCallback(update, policy);
  if (update["edited_message"] !== undefined) return translateEdit(update, policy);
  if (update["my_chat_member"] !== undefined) return translateMembership(update);
  return { ...NOTHING, ignored: "unknown-kind" };
}

const OUTSIDE: ReadonlySet<string> = new Set(["kicked", "left"]);

/** Also how a person blocks the bot, and takes that back. */
function translateMembership(update: RawUpdate): Translation {
  const changed = membershipSchema.safeParse(update["my_chat_member"]).data;
  if (changed === undefined) return { ...NOTHING, ignored: "malformed" };
  const isMember = !OUTSIDE.has(changed.new_chat_member.status);
  const membership = { chatId: String(changed.chat.id), isMember };
  return { ...NOTHING, ignored: "membership", membership };
}

/** The longest data that a button can carry, in bytes; ours is much shorter. */
const CALLBACK_DATA_MAX = 64;

/** What is not taken is answered at once, by `callbackId`: what is taken, when it was heeded. */
function translateCallback(update: RawUpdate, policy: TranslatePolicy): Translation {
  const callback = callbackSchema.safeParse(update["callback_query"]).data;
  if (callback === undefined) return { ...NOTHING, ignored: "malformed" };
  const { id, from, message, data } = callback;
  const base: Translation = { ...NOTHING, userId: from.id };
  const ignore = (ignored: IgnoredReason) => ({ ...base, ignored, callbackId: id });
  if (message === undefined || data === undefined || !/^[\w-]+$/.test(data))
    return ignore("callback");
  if (Buffer.byteLength(data) > CALLBACK_DATA_MAX) return ignore("callback");
  // The message is the bot's own: who presses is what counts.
  const pressed: RawMessage = { ...message, from };
  const ignored = refuseSpeaker(pressed, policy);
  if (ignored !== null) return ignore(ignored);
  const intake: Intake = {
    kind: "command",
    name: PRESSED,
    args: pressArgs(data, id),
    ...commonOf(update.update_id, pressed),
  };
  return { ...base, intake };
}

function translateMessage(update: RawUpdate, policy: TranslatePolicy): Translation {
  const message = messageSchema.safeParse(update["message"]).data;
  if (message === undefined) return { ...NOTHING, ignored: "malformed" };
  const base: Translation = {
    ...NOTHING,
    userId: message.from?.id ?? null,
    moved:
      message.migrate_to_chat_id === undefined
        ? null
        : { from: String(message.chat.id), to: String(message.migrate_to_chat_id) },
  };
  const ignored =
    refuseSpeaker(message, policy) ?? (isAddressed(message, policy) ? null : "not-addressed");
  if (ignored !== null) return { ...base, ignored };
  const content = readContent(update.update_id, message, policy);
  return { ...base, ...content, burst: burstOf(message, content) };
}

function burstOf(message: RawMessage, { intake, album }: Content): string | null {
  if (intake?.kind !== "message") return null;
  if (isForwarded(message)) {
    const { address, sender } = intake;
    return `forward:${address.chatId}:${address.topicId ?? ""}:${sender}`;
  }
  return album === null ? null : `album:${album}`;
}

/** A changed message is an order to change what waits; what it comes to is decided with the session's facts. */
function translateEdit(update: RawUpdate, policy: TranslatePolicy): Translation {
  const message = messageSchema.safeParse(update["edited_message"]).data;
  if (message === undefined) return { ...NOTHING, ignored: "malformed" };
  const base: Translation = { ...NOTHING, userId: message.from?.id ?? null };
  const text = message.text ?? message.caption ?? "";
  const ignored = refuseSpeaker(message, policy) ?? (text.trim() === "" ? "edited" : null);
  if (ignored !== null) return { ...base, ignored };
  const intake: Intake = {
    kind: "command",
    name: EDITED,
    args: withoutMention(text, policy.botUsername),
    ...commonOf(update.update_id, message),
  };
  return { ...base, intake };
}

type Content = Pick<Translation, "intake" | "ignored" | "album">;

function readContent(updateId: number, message: RawMessage, policy: TranslatePolicy): Content {
  const common = commonOf(updateId, message);
  const attachment = attachmentOf(message);
  const said = withoutMention(message.text ?? message.caption ?? "", policy.botUsername);
  const files = filesIn(message);
  if (said.trim() === "" && files.length > 0) {
    const intake: Intake = { kind: "message", text: "", files, ...common };
    return { intake, ignored: null, album: message.media_group_id ?? null };
  }
  if (said.trim() === "") {
    const album = message.media_group_id ?? null;
    const isEmpty = attachment === null && message.text !== undefined;
    const intake: Intake = isEmpty
      ? { kind: "message", text: "", ...common }
      : { kind: "unsupported", ...common, what: attachment ?? "other" };
    return { intake, ignored: null, album };
  }
  // What somebody else wrote is passed on for the agent to read, not obeyed as an order.
  const parsed = isForwarded(message)
    ? ({ kind: "message", text: said } as const)
    : parseCommand(said, policy.botUsername, policy.refusedCommands);
  switch (parsed.kind) {
    case "elsewhere":
      return { intake: null, ignored: "other-bot", album: null };
    case "command":
      return { intake: { ...parsed, ...common, ...aboutOf(message) }, ignored: null, album: null };
    case "message": {
      // The agent must not answer as if it had seen what it was not given.
      const isLost = attachment !== null && files.length === 0;
      const note = isLost ? `\n\n[${policy.files.cameWith(attachment)}]` : "";
      const text = `${parsed.text}${note}`;
      const more = files.length === 0 ? {} : { files };
      const album = files.length === 0 ? null : (message.media_group_id ?? null);
      const replyTo = repliedTo(message, policy);
      return { intake: { ...parsed, ...common, ...replyTo, ...more, text }, ignored: null, album };
    }
  }
}

function commonOf(updateId: number, message: RawMessage) {
  return {
    updateId,
    address: addressOf(message),
    sender: String(message.from?.id),
    platformMessageId: String(message.message_id),
  };
}

/** A command in reply to a message is about that message. */
function aboutOf({ reply_to_message: replied }: RawMessage) {
  return replied === undefined ? {} : { about: String(replied.message_id) };
}

/** Only what the bot itself has said is known to be something in particular. */
function repliedTo(message: RawMessage, { botUsername }: TranslatePolicy) {
  const { reply_to_message: replied } = message;
  const isOurs = replied !== undefined && isReplyToBot(message, botUsername);
  return isOurs ? { replyTo: String(replied.message_id) } : {};
}

function isForwarded(message: RawMessage): boolean {
  return message["forward_origin"] !== undefined || message["forward_date"] !== undefined;
}

function addressOf(message: RawMessage): Address {
  const thread = message.message_thread_id;
  // Outside forums a thread id is a chain of replies, no topic.
  const isTopic = message.is_topic_message === true && thread !== undefined;
  return {
    channel: "telegram",
    chatId: String(message.chat.id),
    topicId: isTopic && thread !== GENERAL_TOPIC ? String(thread) : null,
  };
}
