import { findPost } from "./world.ts";
import type { Chat, Post, World } from "./world.ts";

/** The Bot API's objects as its JSON shows them. */

/** Senders that stand for something else than a person. */
const SPECIAL_USERS: Readonly<Record<number, object>> = {
  1087968824: { is_bot: true, first_name: "Group", username: "GroupAnonymousBot" },
  136817688: { is_bot: true, first_name: "Channel", username: "Channel_Bot" },
  777000: { is_bot: false, first_name: "Telegram" },
};

const ANONYMOUS_ADMIN = 1_087_968_824;

export function userJson(world: World, id: number): object {
  if (id === world.bot.id) return botJson(world);
  return {
    id,
    ...(SPECIAL_USERS[id] ?? { is_bot: false, first_name: `Person ${id}`, language_code: "en" }),
  };
}

export function botJson(world: World): object {
  return { id: world.bot.id, is_bot: true, first_name: "holdfast", username: world.bot.username };
}

export function chatJson(chat: Chat): object {
  if (chat.type === "private") {
    return { id: chat.id, first_name: `Person ${chat.id}`, type: "private" };
  }
  const title = `Chat ${chat.id}`;
  return {
    id: chat.id,
    title,
    ...(chat.isForum ? { is_forum: true } : {}),
    type: chat.type,
  };
}

export function messageJson(world: World, post: Post): object {
  const replied = repliedJson(world, post);
  return {
    ...bareJson(world, post),
    ...(replied === null ? {} : { reply_to_message: replied }),
    ...post.extra,
  };
}

/** A message within another has no reply of its own. */
function bareJson(world: World, post: Post): object {
  const isFile = post.document !== null || post.text === "";
  return {
    message_id: post.messageId,
    from: userJson(world, post.fromId),
    ...(post.fromId === ANONYMOUS_ADMIN ? { sender_chat: chatJson(post.chat) } : {}),
    chat: chatJson(post.chat),
    date: post.date,
    ...threadJson(post),
    ...(post.document === null ? {} : { document: documentJson(world, post.document) }),
    ...(post.text === "" ? {} : isFile ? { caption: post.text } : { text: post.text }),
    ...entitiesJson(post, isFile),
    ...(post.replyMarkup === null ? {} : { reply_markup: post.replyMarkup }),
  };
}

function entitiesJson(post: Post, isFile: boolean): object {
  if (post.entities.length === 0) return {};
  return isFile ? { caption_entities: post.entities } : { entities: post.entities };
}

function threadJson(post: Post): object {
  return post.threadId === null ? {} : { message_thread_id: post.threadId, is_topic_message: true };
}

/**
 * What a message in a topic answers when it answers nothing else is the
 * service message that made the topic.
 */
function repliedJson(world: World, post: Post): object | null {
  if (post.replyTo !== null) {
    const replied = findPost(world, post.chat.id, post.replyTo);
    if (replied === undefined) return null;
    return { ...bareJson(world, replied), ...replied.extra };
  }
  if (post.threadId === null || post.fromBot) return null;
  return {
    message_id: post.threadId,
    from: userJson(world, post.fromId),
    chat: chatJson(post.chat),
    date: post.date,
    message_thread_id: post.threadId,
    is_topic_message: true,
    forum_topic_created: { name: `Topic ${post.threadId}`, icon_color: 7_322_096 },
  };
}

function documentJson(world: World, document: NonNullable<Post["document"]>): object {
  const file = world.files.get(document.fileId);
  return {
    file_id: document.fileId,
    file_unique_id: document.fileId.slice(-8),
    file_name: document.fileName,
    ...(file === undefined ? {} : { file_size: file.size }),
  };
}
