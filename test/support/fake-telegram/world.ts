import type { Flood } from "./flood.ts";
import type { ChatAction, ChatDraft, SentMessage } from "./types.ts";
import type { UpdateQueue } from "./update-queue.ts";

/** Why the bot cannot write to a chat. */
export type Barrier = "blocked" | "deactivated" | "kicked";

export interface Chat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  isForum: boolean;
  readonly topics: Set<number>;
  /** Topics that only administrators write to. */
  readonly closed: Set<number>;
  barrier: Barrier | null;
  movedTo: number | null;
  /** Who wrote last; service messages come from them. */
  lastWriter: number | null;
  /** People who are administrators of it. */
  readonly admins: readonly number[];
}

/** A message as the server keeps it, a person's or the bot's. */
export interface Post {
  readonly chat: Chat;
  readonly messageId: number;
  readonly threadId: number | null;
  readonly fromId: number;
  readonly fromBot: boolean;
  /** Seconds since 1970. */
  readonly date: number;
  text: string;
  entities: readonly object[];
  replyMarkup: unknown;
  readonly replyTo: number | null;
  readonly document: { readonly fileName: string; readonly fileId: string } | null;
  /** Fields that the fake only passes on. */
  readonly extra: object;
}

export interface StoredFile {
  readonly name: string;
  readonly size: number;
  /** Null for a file of which only the size is played. */
  readonly bytes: Buffer | null;
}

/** Everything the server knows. */
export interface World {
  readonly bot: {
    readonly id: number;
    readonly username: string;
    readonly canReadAllGroupMessages: boolean;
  };
  readonly now: () => number;
  readonly chats: Map<number, Chat>;
  readonly posts: Map<string, Post>;
  /** Last message id by supergroup; private chats and groups share one sequence. */
  readonly messageIds: Map<number | "shared", number>;
  readonly files: Map<string, StoredFile>;
  /** Presses by their id, and whether they are answered. */
  readonly presses: Map<string, boolean>;
  readonly queue: UpdateQueue;
  readonly flood: Flood;
  readonly sent: SentMessage[];
  readonly actions: ChatAction[];
  readonly drafts: ChatDraft[];
  readonly deletions: { chatId: number; messageId: number }[];
  readonly reactions: { chatId: number; messageId: number; reaction: readonly unknown[] }[];
  readonly callbackAnswers: Readonly<Record<string, unknown>>[];
  commands: readonly unknown[];
  readonly violations: string[];
  violate(what: string): void;
  /** Tells those who wait for a message. */
  announce(message: SentMessage): void;
}

export function seconds(world: World): number {
  return Math.floor(world.now() / 1_000);
}

export function findPost(world: World, chatId: number, messageId: number): Post | undefined {
  return world.posts.get(`${chatId}/${messageId}`);
}

export function keepPost(world: World, post: Post): void {
  world.posts.set(`${post.chat.id}/${post.messageId}`, post);
}

export function dropPost(world: World, post: Post): void {
  world.posts.delete(`${post.chat.id}/${post.messageId}`);
}

export function nextMessageId(world: World, chat: Chat): number {
  const sequence = chat.type === "supergroup" ? chat.id : "shared";
  // A topic's id is the id of a message: new messages come after all topics.
  const last = world.messageIds.get(sequence) ?? Math.max(100, ...chat.topics);
  world.messageIds.set(sequence, last + 1);
  return last + 1;
}

export function newFileId(world: World, file: StoredFile): string {
  const fileId = `BQACAgIAAxkDAAI${String(world.files.size + 1).padStart(6, "0")}`;
  world.files.set(fileId, file);
  return fileId;
}

export function openChat(
  world: World,
  id: number,
  type: Chat["type"],
  isForum: boolean,
  topics: readonly number[],
  admins: readonly number[] = [],
): Chat {
  const known = world.chats.get(id);
  if (known !== undefined) {
    known.barrier = null;
    known.isForum ||= isForum;
    for (const topic of topics) known.topics.add(topic);
    return known;
  }
  const chat: Chat = {
    id,
    type,
    isForum,
    topics: new Set(topics),
    closed: new Set(),
    barrier: null,
    movedTo: null,
    lastWriter: null,
    admins,
  };
  world.chats.set(id, chat);
  return chat;
}
