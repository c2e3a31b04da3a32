import { accepted, badRequest, isRecord, isRefusal, readFlag, readInteger } from "./answer.ts";
import type { Method } from "./call.ts";
import { findChat } from "./validate.ts";
import { botJson } from "./wire.ts";
import { findPost } from "./world.ts";

const MAX_DOWNLOAD_BYTES = 20_000_000;
const MAX_COMMANDS = 100;

const ACTIONS = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

/** The emoji that ReactionTypeEmoji lists, space-separated; variation selectors are left out as there. */
const REACTIONS = new Set(
  (
    "❤ 👍 👎 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 " +
    "🖕 😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡"
  ).split(" "),
);

const getMe: Method = {
  name: "getMe",
  params: [],
  run: (world) =>
    accepted({
      ...botJson(world),
      can_join_groups: true,
      can_read_all_group_messages: world.bot.canReadAllGroupMessages,
      supports_inline_queries: false,
    }),
};

const getUpdates: Method = {
  name: "getUpdates",
  params: ["offset", "limit", "timeout", "allowed_updates"],
  run: (world, { params, client, signal }) => world.queue.poll(params, client, signal),
};

const deleteWebhook: Method = {
  name: "deleteWebhook",
  params: ["drop_pending_updates"],
  run(world, { params }) {
    if (readFlag(params["drop_pending_updates"])) {
      world.violate("deleteWebhook with drop_pending_updates: it throws updates away");
      world.queue.dropAll();
    }
    return accepted(true);
  },
};

const setMyCommands: Method = {
  name: "setMyCommands",
  params: ["commands", "scope", "language_code"],
  run(world, { params }) {
    const commands = params["commands"];
    if (!Array.isArray(commands)) return badRequest("expected an Array of BotCommand");
    if (commands.length > MAX_COMMANDS) return badRequest("BOT_COMMANDS_TOO_MUCH");
    for (const entry of commands) {
      const { command, description } = isRecord(entry) ? entry : {};
      if (typeof command !== "string" || !/^\/?[a-z0-9_]{1,32}$/.test(command)) {
        return badRequest("BOT_COMMAND_INVALID");
      }
      const length = typeof description === "string" ? description.trim().length : 0;
      if (length === 0 || length > 256) return badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
    }
    world.commands = commands;
    return accepted(true);
  },
};

const sendChatAction: Method = {
  name: "sendChatAction",
  params: ["chat_id", "message_thread_id", "action"],
  run(world, { params }) {
    const action = params["action"];
    if (typeof action !== "string" || !ACTIONS.has(action)) {
      return badRequest("wrong parameter action in request");
    }
    const chat = findChat(world, params);
    if (isRefusal(chat)) return chat;
    const threadId = readInteger(params["message_thread_id"]);
    if (params["message_thread_id"] !== undefined) {
      // Unlike messages, actions name General: its id is 1.
      const isKnown = threadId !== null && (threadId === 1 || chat.topics.has(threadId));
      if (!chat.isForum || !isKnown) return badRequest("message thread not found");
    }
    world.actions.push({
      chatId: chat.id,
      threadId: threadId === 1 ? null : threadId,
      action,
      at: world.now(),
    });
    return accepted(true);
  },
};

const getChatAdministrators: Method = {
  name: "getChatAdministrators",
  params: ["chat_id"],
  run(world, { params }) {
    const chat = findChat(world, params);
    if (isRefusal(chat)) return chat;
    if (chat.type === "private")
      return badRequest("there are no administrators in the private chat");
    return accepted(
      chat.admins.map((id) => ({
        status: "administrator",
        user: { id, is_bot: false, first_name: "A" },
      })),
    );
  },
};

const answerCallbackQuery: Method = {
  name: "answerCallbackQuery",
  params: ["callback_query_id", "text", "show_alert", "cache_time"],
  run(world, { params }) {
    const id = params["callback_query_id"];
    const answered = typeof id === "string" ? world.presses.get(id) : undefined;
    if (answered === true) world.violate(`the press ${String(id)} is answered twice`);
    if (typeof id !== "string" || answered !== false) {
      return badRequest("query is too old and response timeout expired or query ID is invalid");
    }
    const text = params["text"];
    if (typeof text === "string" && text.length > 200) return badRequest("MESSAGE_TOO_LONG");
    world.presses.set(id, true);
    world.callbackAnswers.push(params);
    return accepted(true);
  },
};

const setMessageReaction: Method = {
  name: "setMessageReaction",
  params: ["chat_id", "message_id", "reaction", "is_big"],
  run(world, { params }) {
    const reaction = params["reaction"] ?? [];
    if (!Array.isArray(reaction)) return badRequest("expected an Array of ReactionType");
    const chat = findChat(world, params);
    if (isRefusal(chat)) return chat;
    const messageId = readInteger(params["message_id"]);
    if (messageId === null || findPost(world, chat.id, messageId) === undefined) {
      return badRequest("message to react not found");
    }
    if (reaction.length > 1) return badRequest("REACTIONS_TOO_MANY");
    for (const entry of reaction) {
      const { type, emoji } = isRecord(entry) ? entry : {};
      const isKnown = type === "emoji" && typeof emoji === "string" && REACTIONS.has(emoji);
      if (!isKnown) return badRequest("REACTION_INVALID");
    }
    world.reactions.push({ chatId: chat.id, messageId, reaction });
    return accepted(true);
  },
};

const getFile: Method = {
  name: "getFile",
  params: ["file_id"],
  run(world, { params }) {
    const id = params["file_id"];
    if (typeof id !== "string" || id === "") return badRequest("file_id not specified");
    const file = world.files.get(id);
    if (file === undefined) {
      return badRequest("wrong file_id or the file is temporarily unavailable");
    }
    if (file.size > MAX_DOWNLOAD_BYTES) return badRequest("file is too big");
    return accepted({
      file_id: id,
      file_unique_id: id.slice(-8),
      file_size: file.size,
      file_path: `documents/${id}`,
    });
  },
};

export const SERVICE_METHODS: readonly Method[] = [
  getMe,
  getUpdates,
  deleteWebhook,
  setMyCommands,
  sendChatAction,
  answerCallbackQuery,
  setMessageReaction,
  getChatAdministrators,
  getFile,
];
