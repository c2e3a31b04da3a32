import type { UserMessage } from "./types.ts";
import { chatJson, messageJson, userJson } from "./wire.ts";
import { findPost, keepPost, nextMessageId, openChat, seconds } from "./world.ts";
import type { Chat, Post, World } from "./world.ts";

/** A test asks for something that cannot happen on the real platform. */
export class ImpossibleError extends Error {
  override name = "ImpossibleError";
}

export function writeMessage(
  world: World,
  message: UserMessage,
): { updateId: number; messageId: number } {
  const chat = chatOf(world, message.chatId, message.fromId);
  const threadId = message.threadId ?? null;
  judgeThread(chat, threadId);
  const text = message.text ?? "";
  judgeLength(text);
  if (message.replyTo !== undefined) postOf(world, chat.id, message.replyTo);
  chat.lastWriter = message.fromId;
  const post: Post = {
    chat,
    messageId: nextMessageId(world, chat),
    threadId,
    fromId: message.fromId,
    fromBot: false,
    date: seconds(world),
    text,
    entities: [...commandEntities(text), ...(message.entities ?? [])],
    replyMarkup: null,
    replyTo: message.replyTo ?? null,
    document: null,
    extra: message.extra ?? {},
  };
  keepPost(world, post);
  const delivered = isDelivered(world, post);
  const updateId = delivered ? world.queue.push("message", messageJson(world, post)) : 0;
  return { updateId, messageId: post.messageId };
}

export function editMessage(
  world: World,
  edit: { chatId: number; messageId: number; text: string },
): number {
  const post = postOf(world, edit.chatId, edit.messageId);
  if (post.fromBot) throw new ImpossibleError("a person cannot edit the bot's message");
  judgeLength(edit.text);
  post.text = edit.text;
  post.entities = commandEntities(edit.text);
  if (!isDelivered(world, post)) return 0;
  const edited = { ...messageJson(world, post), edit_date: seconds(world) };
  return world.queue.push("edited_message", edited);
}

export function pressButton(
  world: World,
  press: { chatId: number; fromId: number; messageId: number; data: string },
): number {
  const bytes = Buffer.byteLength(press.data);
  if (bytes === 0 || bytes > 64) {
    throw new ImpossibleError(`callback data has 1 to 64 bytes, not ${bytes}`);
  }
  const chat = chatOf(world, press.chatId, press.fromId);
  const post = findPost(world, chat.id, press.messageId);
  const id = `${world.bot.id}${String(world.presses.size + 1).padStart(8, "0")}`;
  world.presses.set(id, false);
  return world.queue.push("callback_query", {
    id,
    from: userJson(world, press.fromId),
    // A deleted message is known by its place only (InaccessibleMessage).
    message:
      post === undefined
        ? { chat: chatJson(chat), message_id: press.messageId, date: 0 }
        : messageJson(world, post),
    chat_instance: String(chat.id),
    data: press.data,
  });
}

/** The bot's membership changes: `my_chat_member`. */
export function changeMembership(world: World, chat: Chat, isMember: boolean): void {
  const user = userJson(world, world.bot.id);
  const [before, after] = isMember ? ["kicked", "member"] : ["member", "kicked"];
  world.queue.push("my_chat_member", {
    chat: chatJson(chat),
    from: userJson(world, chat.lastWriter ?? chat.id),
    date: seconds(world),
    old_chat_member: { user, status: before, ...(isMember ? { until_date: 0 } : {}) },
    new_chat_member: { user, status: after, ...(isMember ? {} : { until_date: 0 }) },
  });
}

/** A group becomes a supergroup: a service message in each of them says so. */
export function announceUpgrade(world: World, from: Chat, to: Chat): void {
  const fromId = from.lastWriter ?? world.bot.id;
  for (const [chat, extra] of [
    [from, { migrate_to_chat_id: to.id }],
    [to, { migrate_from_chat_id: from.id }],
  ] as const) {
    world.queue.push("message", {
      message_id: nextMessageId(world, chat),
      from: userJson(world, fromId),
      chat: chatJson(chat),
      date: seconds(world),
      ...extra,
    });
  }
}

function chatOf(world: World, chatId: number, fromId: number): Chat {
  const known = world.chats.get(chatId);
  if (known === undefined) {
    if (chatId === fromId) return openChat(world, chatId, "private", false, []);
    throw new ImpossibleError(`chat ${chatId} does not exist: make it with addChat`);
  }
  if (known.type === "private" && known.barrier === "blocked") {
    // Nobody can write to a bot that they block: the block is lifted first.
    known.barrier = null;
    changeMembership(world, known, true);
  }
  if (known.barrier !== null || known.movedTo !== null) {
    throw new ImpossibleError(
      `nobody can reach the bot in chat ${chatId}: it is ${known.barrier ?? "upgraded"}`,
    );
  }
  return known;
}

function postOf(world: World, chatId: number, messageId: number): Post {
  const post = findPost(world, chatId, messageId);
  if (post === undefined) {
    throw new ImpossibleError(`chat ${chatId} has no message ${messageId}`);
  }
  return post;
}

function judgeThread(chat: Chat, threadId: number | null): void {
  if (threadId === null) return;
  if (!chat.isForum || !chat.topics.has(threadId)) {
    throw new ImpossibleError(
      `chat ${chat.id} has no topic ${threadId}: give it to addChat (General has no id)`,
    );
  }
  if (chat.closed.has(threadId)) {
    throw new ImpossibleError(`the topic ${threadId} of chat ${chat.id} is closed: reopen it`);
  }
}

function judgeLength(text: string): void {
  if (text.length > 4_096) {
    throw new ImpossibleError(
      `a message has at most 4,096 UTF-16 units, not ${text.length}: send several, as clients do`,
    );
  }
}

function commandEntities(text: string): object[] {
  const commands = text.matchAll(/(?<![\w/@])\/\w{1,64}(?:@\w{3,32})?(?![\w/])/g);
  return [...commands].map((match) => ({
    type: "bot_command",
    offset: match.index,
    length: match[0].length,
  }));
}

/** In privacy mode a group delivers commands, mentions of the bot and answers to it. */
function isDelivered(world: World, post: Post): boolean {
  if (post.chat.type === "private" || world.bot.canReadAllGroupMessages) return true;
  const name = `@${world.bot.username}`.toLowerCase();
  const text = post.text.toLowerCase();
  if (text.includes(name)) return true;
  const command = /^\/\w+(@\w+)?/.exec(text);
  if (command !== null) return command[1] === undefined;
  if (post.replyTo !== null) return findPost(world, post.chat.id, post.replyTo)?.fromBot === true;
  return "via_bot" in post.extra;
}
