import { checkMessage } from "../telegram-entities.ts";
import { badRequest, isRecord, readFlag, readInteger, refused } from "./answer.ts";
import type { Params, Refusal } from "./answer.ts";
import { findPost } from "./world.ts";
import type { Chat, World } from "./world.ts";

const MAX_TEXT_UNITS = 4_096;
const MAX_CAPTION_UNITS = 1_024;
const MAX_CALLBACK_BYTES = 64;

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly object[];
}

/** The chat of a call that writes to it. */
export function findChat(world: World, params: Params): Chat | Refusal {
  const given = params["chat_id"];
  if (given === undefined || given === "") return badRequest("chat_id is empty");
  const id = readInteger(given);
  const chat = id === null ? undefined : world.chats.get(id);
  if (chat === undefined) return badRequest("chat not found");
  if (chat.movedTo !== null) {
    return refused(400, "Bad Request: group chat was upgraded to a supergroup chat", {
      migrate_to_chat_id: chat.movedTo,
    });
  }
  if (chat.barrier === "blocked") return refused(403, "Forbidden: bot was blocked by the user");
  if (chat.barrier === "deactivated") return refused(403, "Forbidden: user is deactivated");
  if (chat.barrier === "kicked") {
    return refused(403, `Forbidden: bot was kicked from the ${chat.type} chat`);
  }
  return chat;
}

/** The text as the server keeps it. What it would silently repair is refused and a violation. */
export function readText(world: World, params: Params): FormattedText | Refusal {
  const text = params["text"];
  if (params["parse_mode"] !== undefined) return refuseParseMode(world, params);
  if (typeof text !== "string" || text === "") return badRequest("message text is empty");
  if (text.trim() === "") return badRequest("text must be non-empty");
  return readFormatted(world, text, params["entities"], MAX_TEXT_UNITS, "message is too long");
}

export function readCaption(world: World, params: Params): FormattedText | Refusal {
  if (params["parse_mode"] !== undefined) return refuseParseMode(world, params);
  const caption = params["caption"];
  if (typeof caption !== "string" || caption.trim() === "") return { text: "", entities: [] };
  const entities = params["caption_entities"];
  return readFormatted(world, caption, entities, MAX_CAPTION_UNITS, "message caption is too long");
}

function refuseParseMode(world: World, params: Params): Refusal {
  world.violate(`parse_mode ${JSON.stringify(params["parse_mode"])}: only entities are used`);
  return badRequest("can't parse entities: parse_mode is refused by this server");
}

function readFormatted(
  world: World,
  text: string,
  given: unknown,
  maxUnits: number,
  tooLong: string,
): FormattedText | Refusal {
  if (/\p{Surrogate}/u.test(text)) return badRequest("strings must be encoded in UTF-8");
  const entities = given ?? [];
  if (!Array.isArray(entities) || !entities.every(isRecord)) {
    return badRequest("can't parse entities: expected an Array of MessageEntity");
  }
  if (text.trim().length > maxUnits) return badRequest(tooLong);
  const kept = trim(text, entities);
  const problem =
    kept.text === "" || kept.text.length > MAX_TEXT_UNITS ? null : judge(text, entities, kept);
  if (problem !== null) {
    world.violate(`entities that the server does not keep: ${problem}`);
    return badRequest(`can't parse entities: ${problem}`);
  }
  return kept;
}

/** What reaches outside the text as it was sent is a fault, although trimming would hide it. */
function judge(
  text: string,
  entities: readonly Readonly<Record<string, unknown>>[],
  kept: FormattedText,
): string | null {
  if (text === kept.text) return checkMessage(text, entities);
  return checkMessage(
    kept.text,
    kept.entities.map((entity) => ({ ...entity })),
  );
}

/** The server strips surrounding whitespace and moves the entities with the text. */
function trim(text: string, entities: readonly Readonly<Record<string, unknown>>[]): FormattedText {
  const kept = text.trim();
  const start = text.length - text.trimStart().length;
  const moved = entities.flatMap((entity) => {
    const offset = readInteger(entity["offset"]) ?? 0;
    const end = offset + (readInteger(entity["length"]) ?? 0) - start;
    const from = Math.max(0, offset - start);
    const to = Math.min(kept.length, end);
    return to > from ? [{ ...entity, offset: from, length: to - from }] : [];
  });
  return { text: kept, entities: moved };
}

export interface Placement {
  readonly threadId: number | null;
  readonly replyTo: number | null;
}

/** Where a new message goes: the topic must exist, and so must what it answers. */
export function readPlacement(world: World, chat: Chat, params: Params): Placement | Refusal {
  const reply = params["reply_parameters"];
  let replyTo: number | null = null;
  if (reply !== undefined) {
    const messageId = isRecord(reply) ? readInteger(reply["message_id"]) : null;
    if (!isRecord(reply) || messageId === null) {
      return badRequest("can't parse reply parameters JSON object");
    }
    if (findPost(world, chat.id, messageId) !== undefined) replyTo = messageId;
    else if (!readFlag(reply["allow_sending_without_reply"])) {
      return badRequest("message to be replied not found");
    }
  }
  const thread = params["message_thread_id"];
  if (thread === undefined) {
    // An answer goes to the topic of what it answers.
    const replied = replyTo === null ? undefined : findPost(world, chat.id, replyTo);
    return placed(chat, replied?.threadId ?? null, replyTo);
  }
  const threadId = readInteger(thread);
  if (threadId === null || !chat.isForum || !chat.topics.has(threadId)) {
    return badRequest("message thread not found");
  }
  return placed(chat, threadId, replyTo);
}

function placed(chat: Chat, threadId: number | null, replyTo: number | null): Placement | Refusal {
  const isClosed = threadId !== null && chat.closed.has(threadId);
  return isClosed ? badRequest("TOPIC_CLOSED") : { threadId, replyTo };
}

/** A keyboard as the server keeps it; null for none. */
export function readMarkup(params: Params, inlineOnly: boolean): { kept: unknown } | Refusal {
  const markup = params["reply_markup"];
  if (markup === undefined) return { kept: null };
  if (!isRecord(markup)) return badRequest("can't parse reply keyboard markup JSON object");
  const rows = markup["inline_keyboard"];
  if (rows === undefined) {
    const others = ["keyboard", "remove_keyboard", "force_reply"];
    if (!others.some((name) => name in markup)) return { kept: null };
    return inlineOnly ? badRequest("inline keyboard expected") : { kept: null };
  }
  if (!Array.isArray(rows) || !rows.every((row) => Array.isArray(row))) {
    const field = `field "inline_keyboard" of the InlineKeyboardMarkup`;
    return badRequest(`${field} must be an Array of Arrays`);
  }
  for (const button of rows.flat()) {
    const problem = judgeButton(button);
    if (problem !== null) return badRequest(problem);
  }
  return { kept: rows.flat().length === 0 ? null : { inline_keyboard: rows } };
}

function judgeButton(button: unknown): string | null {
  const prefix = "can't parse inline keyboard button";
  if (!isRecord(button)) return `${prefix}: InlineKeyboardButton must be an Object`;
  const { text, callback_data: data, url } = button;
  if (typeof text !== "string") return `${prefix}: Can't find field "text"`;
  if (text.trim() === "") return "BUTTON_TEXT_INVALID";
  if (typeof data === "string") {
    const bytes = Buffer.byteLength(data);
    return bytes === 0 || bytes > MAX_CALLBACK_BYTES ? "BUTTON_DATA_INVALID" : null;
  }
  if (typeof url === "string") return /^(?:https?|tg):\/\//.test(url) ? null : "BUTTON_URL_INVALID";
  return `${prefix}: Text buttons are unallowed in the inline keyboard`;
}
