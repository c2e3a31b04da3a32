import { isServiceMessage } from "./attachments.ts";
import type { RawMessage } from "./update-schema.ts";

/** Who is heard, where, and when. By numbers only: names can be chosen. */

export interface SpeakerPolicy {
  /** Without `@`. */
  readonly botUsername: string;
  /** Numeric user ids; an empty set denies everybody. */
  readonly allowedUsers: ReadonlySet<number>;
  /** For a group that stands here: who is heard there, in place of `allowedUsers`. */
  readonly chatUsers: ReadonlyMap<number, ReadonlySet<number>>;
  /** In groups only what speaks to the bot is heard: a mention, a reply to it, a command. */
  readonly requireMention: boolean;
}

export type Refusal =
  | "service-message"
  | "anonymous"
  | "bot"
  | "stranger"
  | "chat-not-allowed"
  | "not-addressed";

/** The identities that Telegram puts in the place of a person: anonymous admins, channels, its own service. */
const NOT_A_PERSON: ReadonlySet<number> = new Set([1_087_968_824, 136_817_688, 777_000]);

/** Why whoever wrote this is not heard at all; null where they are. */
export function refuseSpeaker(message: RawMessage, policy: SpeakerPolicy): Refusal | null {
  const { from, chat } = message;
  if (isServiceMessage(message)) return "service-message";
  if (from === undefined || NOT_A_PERSON.has(from.id)) return "anonymous";
  if (message["sender_chat"] !== undefined) return "anonymous";
  if (from.is_bot === true) return "bot";
  // A private chat is its user: no list of a group can speak of it.
  const listed = isPrivate(message) ? undefined : policy.chatUsers.get(chat.id);
  if (listed === undefined) return policy.allowedUsers.has(from.id) ? null : "stranger";
  return listed.has(from.id) ? null : "chat-not-allowed";
}

/** Whether a message of somebody who is heard is meant for the bot. */
export function isAddressed(message: RawMessage, policy: SpeakerPolicy): boolean {
  if (isPrivate(message) || !policy.requireMention) return true;
  const text = message.text ?? message.caption ?? "";
  return (
    text.trimStart().startsWith("/") ||
    isReplyToBot(message, policy.botUsername) ||
    mentionOf(policy.botUsername).test(text)
  );
}

export function isReplyToBot({ reply_to_message: replied }: RawMessage, botUsername: string) {
  return replied?.from?.username?.toLowerCase() === botUsername.toLowerCase();
}

/** What is said to the bot, without the mention that only says to whom. */
export function withoutMention(text: string, botUsername: string): string {
  const mention = mentionOf(botUsername);
  if (botUsername === "" || !mention.test(text)) return text;
  return text.replace(
    new RegExp(`^\\s*${mention.source}[\\s,:]*|\\s*${mention.source}\\s*$`, "gi"),
    "",
  );
}

function isPrivate({ chat, from }: RawMessage): boolean {
  return chat.id === from?.id;
}

/** Names hold nothing but letters, digits and underscores, so none of it means anything to a pattern. */
function mentionOf(botUsername: string): RegExp {
  return new RegExp(`@${botUsername}(?![a-z0-9_])`, "i");
}
