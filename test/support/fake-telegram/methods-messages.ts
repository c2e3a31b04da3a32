import { isDeepStrictEqual } from "node:util";
import { accepted, badRequest, isRefusal, readInteger, refused } from "./answer.ts";
import type { Answer, Params, Refusal } from "./answer.ts";
import { isUploadedFile } from "./body.ts";
import type { Method } from "./call.ts";
import { findChat, readCaption, readMarkup, readPlacement, readText } from "./validate.ts";
import type { FormattedText, Placement } from "./validate.ts";
import { messageJson } from "./wire.ts";
import { dropPost, findPost, keepPost, newFileId, nextMessageId, seconds } from "./world.ts";
import type { Chat, Post, World } from "./world.ts";

const MAX_UPLOAD_BYTES = 50_000_000;

/** What every sending method takes. */
const SEND_PARAMS = [
  "chat_id",
  "message_thread_id",
  "disable_notification",
  "protect_content",
  "reply_parameters",
  "reply_markup",
];

interface Content {
  readonly formatted: FormattedText;
  readonly document: { readonly fileName: string; readonly fileId: string } | null;
}

function post(world: World, params: Params, content: Content): Answer {
  const markup = readMarkup(params, false);
  if (isRefusal(markup)) return markup;
  const chat = findChat(world, params);
  if (isRefusal(chat)) return chat;
  const placement = readPlacement(world, chat, params);
  if (isRefusal(placement)) return placement;
  const sent = makePost(world, chat, placement, content, markup.kept);
  keepPost(world, sent);
  record(world, sent);
  return accepted(messageJson(world, sent));
}

function makePost(
  world: World,
  chat: Chat,
  placement: Placement,
  content: Content,
  replyMarkup: unknown,
): Post {
  return {
    chat,
    messageId: nextMessageId(world, chat),
    ...placement,
    fromId: world.bot.id,
    fromBot: true,
    date: seconds(world),
    text: content.formatted.text,
    entities: content.formatted.entities,
    replyMarkup,
    document: content.document,
    extra: {},
  };
}

function record(world: World, sent: Post, editedFrom?: string): void {
  const bytes = sent.document === null ? undefined : world.files.get(sent.document.fileId)?.bytes;
  world.announce({
    chatId: sent.chat.id,
    threadId: sent.threadId,
    messageId: sent.messageId,
    text: sent.text,
    entities: sent.entities,
    replyToMessageId: sent.replyTo,
    ...(editedFrom === undefined ? {} : { editedFrom }),
    replyMarkup: sent.replyMarkup,
    ...(sent.document && bytes ? { document: { fileName: sent.document.fileName, bytes } } : {}),
    at: world.now(),
  });
}

function readDocument(world: World, params: Params): Content["document"] | Refusal {
  const given = params["document"];
  if (isUploadedFile(given)) {
    const { fileName, bytes } = given;
    if (bytes.length === 0) return badRequest("file must be non-empty");
    if (bytes.length > MAX_UPLOAD_BYTES) return refused(413, "Request Entity Too Large");
    return { fileName, fileId: newFileId(world, { name: fileName, size: bytes.length, bytes }) };
  }
  if (typeof given !== "string") return badRequest("there is no document in the request");
  const known = world.files.get(given);
  if (known === undefined) return badRequest("wrong file identifier/HTTP URL specified");
  return { fileName: known.name, fileId: given };
}

/** The bot's own message that is to be changed. */
function findOwn(world: World, params: Params): Post | Refusal {
  const chat = findChat(world, params);
  if (isRefusal(chat)) return chat;
  const messageId = readInteger(params["message_id"]);
  const found = messageId === null ? undefined : findPost(world, chat.id, messageId);
  if (found === undefined) return badRequest("message to edit not found");
  return found.fromBot ? found : badRequest("message can't be edited");
}

function change(world: World, own: Post, next: FormattedText, replyMarkup: unknown): Answer {
  const isSame =
    own.text === next.text &&
    isDeepStrictEqual(own.entities, next.entities) &&
    isDeepStrictEqual(own.replyMarkup, replyMarkup);
  if (isSame) {
    world.violate(`an edit of message ${own.messageId} in chat ${own.chat.id} changes nothing`);
    const detail =
      "specified new message content and reply markup are exactly the same as a current " +
      "content and reply markup of the message";
    return badRequest(`message is not modified: ${detail}`);
  }
  const before = own.text;
  own.text = next.text;
  own.entities = next.entities;
  own.replyMarkup = replyMarkup;
  record(world, own, before);
  return accepted({ ...messageJson(world, own), edit_date: seconds(world) });
}

const sendMessage: Method = {
  name: "sendMessage",
  params: [...SEND_PARAMS, "text", "parse_mode", "entities", "link_preview_options"],
  isMessage: true,
  run(world, { params }) {
    const formatted = readText(world, params);
    if (isRefusal(formatted)) return formatted;
    return post(world, params, { formatted, document: null });
  },
};

const sendDocument: Method = {
  name: "sendDocument",
  params: [
    ...SEND_PARAMS,
    "document",
    "caption",
    "parse_mode",
    "caption_entities",
    "disable_content_type_detection",
  ],
  isMessage: true,
  run(world, { params }) {
    const document = readDocument(world, params);
    if (isRefusal(document)) return document;
    const formatted = readCaption(world, params);
    if (isRefusal(formatted)) return formatted;
    return post(world, params, { formatted, document });
  },
};

const editMessageText: Method = {
  name: "editMessageText",
  params: [
    "chat_id",
    "message_id",
    "text",
    "parse_mode",
    "entities",
    "link_preview_options",
    "reply_markup",
  ],
  isMessage: true,
  run(world, { params }) {
    const formatted = readText(world, params);
    if (isRefusal(formatted)) return formatted;
    const markup = readMarkup(params, true);
    if (isRefusal(markup)) return markup;
    const own = findOwn(world, params);
    if (isRefusal(own)) return own;
    if (own.document !== null) return badRequest("there is no text in the message to edit");
    return change(world, own, formatted, markup.kept);
  },
};

const editMessageReplyMarkup: Method = {
  name: "editMessageReplyMarkup",
  params: ["chat_id", "message_id", "reply_markup"],
  isMessage: true,
  run(world, { params }) {
    const markup = readMarkup(params, true);
    if (isRefusal(markup)) return markup;
    const own = findOwn(world, params);
    if (isRefusal(own)) return own;
    return change(world, own, { text: own.text, entities: own.entities }, markup.kept);
  },
};

const deleteMessage: Method = {
  name: "deleteMessage",
  params: ["chat_id", "message_id"],
  run(world, { params }) {
    const chat = findChat(world, params);
    if (isRefusal(chat)) return chat;
    const messageId = readInteger(params["message_id"]);
    const found = messageId === null ? undefined : findPost(world, chat.id, messageId);
    if (found === undefined) return badRequest("message to delete not found");
    // Others' messages can be deleted in private chats; a group asks for a right the bot lacks.
    if (!found.fromBot && chat.type !== "private") return badRequest("message can't be deleted");
    dropPost(world, found);
    world.deletions.push({ chatId: chat.id, messageId: found.messageId });
    return accepted(true);
  },
};

const sendMessageDraft: Method = {
  name: "sendMessageDraft",
  params: ["chat_id", "message_thread_id", "draft_id", "text", "parse_mode", "entities"],
  isMessage: true,
  run(world, { params }) {
    const draftId = readInteger(params["draft_id"]);
    if (draftId === null || draftId === 0) return badRequest("draft_id must be non-zero");
    const formatted = readText(world, params);
    if (isRefusal(formatted)) return formatted;
    const chat = findChat(world, params);
    if (isRefusal(chat)) return chat;
    if (chat.type !== "private") return badRequest("TEXTDRAFT_PEER_INVALID");
    const placement = readPlacement(world, chat, params);
    if (isRefusal(placement)) return placement;
    world.drafts.push({ chatId: chat.id, draftId, text: formatted.text, at: world.now() });
    return accepted(true);
  },
};

export const MESSAGE_METHODS: readonly Method[] = [
  sendMessage,
  sendDocument,
  sendMessageDraft,
  editMessageText,
  editMessageReplyMarkup,
  deleteMessage,
];
