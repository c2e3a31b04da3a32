import { isRecord, isRefusal, readInteger } from "../fake-telegram/answer.ts";
import { isUploadedFile } from "../fake-telegram/body.ts";
import type { CallRecord } from "../fake-telegram/types.ts";
import { placeName } from "./cast.ts";

/** A call of the bot that people see something of, as far as they see it. */
export interface BotCall {
  readonly method: string;
  readonly place: string;
  readonly chatId: number;
  readonly text: string;
  /** Each entity as `type: text`. */
  readonly formatted: readonly string[];
  readonly buttons: readonly (readonly string[])[];
  readonly replyTo: number | null;
  /** The message that is sent, changed or marked. */
  readonly messageId: number | null;
  readonly emoji: string | null;
  readonly file: { readonly name: string; readonly content: string } | null;
  /** Telegram's words where it refused the call. */
  readonly refused: string | null;
}

/** Calls that show nothing, or only that something goes on. */
const UNSEEN: ReadonlySet<string> = new Set([
  "getMe",
  "getUpdates",
  "setMyCommands",
  "sendChatAction",
  "getFile",
  "getChatAdministrators",
]);

export function isSeen({ method, answered }: CallRecord): boolean {
  return answered !== undefined && !UNSEEN.has(method);
}

export function readCall({ method, params, answered }: CallRecord): BotCall {
  const text = stringIn(params, "text") || stringIn(params, "caption");
  const result = isRecord(answered) ? answered["result"] : undefined;
  const sent = isRecord(result) ? readInteger(result["message_id"]) : null;
  const reply = params["reply_parameters"];
  const { document } = params;
  const chatId = readInteger(params["chat_id"]) ?? 0;
  return {
    method,
    chatId,
    place: placeName(chatId, readInteger(params["message_thread_id"])),
    text: text.trim(),
    formatted: [params["entities"], params["caption_entities"]].flatMap((one) =>
      entitiesIn(one, text),
    ),
    buttons: rowsOf(params["reply_markup"]).map((row) => row.map(({ label }) => label)),
    replyTo: isRecord(reply) ? readInteger(reply["message_id"]) : null,
    messageId: readInteger(params["message_id"]) ?? sent,
    emoji: emojiIn(params["reaction"]),
    file: isUploadedFile(document)
      ? { name: document.fileName, content: document.bytes.toString("utf8") }
      : null,
    refused: isRefusal(answered) ? answered.description : null,
  };
}

export interface ShownButton {
  readonly label: string;
  readonly data: string;
}

/** The buttons of a keyboard as the server keeps it. */
export function rowsOf(markup: unknown): readonly (readonly ShownButton[])[] {
  const rows: unknown = isRecord(markup) ? markup["inline_keyboard"] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.map((row: unknown) =>
    (Array.isArray(row) ? row : []).filter(isRecord).map((button) => ({
      label: stringIn(button, "text"),
      data: stringIn(button, "callback_data"),
    })),
  );
}

function entitiesIn(entities: unknown, text: string): readonly string[] {
  if (!Array.isArray(entities)) return [];
  return entities.filter(isRecord).map((entity) => {
    const offset = readInteger(entity["offset"]) ?? 0;
    const length = readInteger(entity["length"]) ?? 0;
    const more = stringIn(entity, "language") || stringIn(entity, "url");
    const type = [stringIn(entity, "type"), more].filter((one) => one !== "").join(" ");
    return `${type}: ${text.slice(offset, offset + length)}`;
  });
}

function emojiIn(reaction: unknown): string | null {
  const first: unknown = Array.isArray(reaction) ? reaction[0] : undefined;
  return isRecord(first) ? stringIn(first, "emoji") : null;
}

function stringIn(record: Readonly<Record<string, unknown>>, key: string): string {
  const value = record[key];
  return typeof value === "string" ? value : "";
}
