/** What a test can make the next calls of a method do instead of being answered plainly. */
export type Fault =
  /** Refused without an effect. A 429 with `retry_after` also gates the chat of the call. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly description: string;
      readonly parameters?: object;
    }
  /** A proxy's page instead of the Bot API's JSON; the call has no effect. */
  | { readonly kind: "html"; readonly status: number }
  /** The connection is reset before the call takes effect. */
  | { readonly kind: "reset" }
  /** The call takes effect and the connection is closed without an answer. */
  | { readonly kind: "lost-answer" }
  /** No effect and no answer; after `ms` the connection is closed, without it never. */
  | { readonly kind: "hang"; readonly ms?: number }
  /** The call takes effect; the connection is closed after half of the answer's body. */
  | { readonly kind: "cut-body" }
  /** The call takes effect at once and is answered after `ms`. */
  | { readonly kind: "delay"; readonly ms: number };

/** One call of the bot, recorded when it arrives. */
export interface CallRecord {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970, by the fake's clock. */
  readonly at: number;
  /** The answered body, `{ fault }` where a fault kept it back, undefined while it is open. */
  readonly answered: unknown;
}

/**
 * A message that the server accepted from the bot. An edit is an entry of its
 * own, with the same `messageId` and `editedFrom`.
 */
export interface SentMessage {
  readonly chatId: number;
  /** Null outside topics and in General. */
  readonly threadId: number | null;
  readonly messageId: number;
  /** Trimmed as the server trims it; the caption of a document. */
  readonly text: string;
  readonly entities: readonly unknown[];
  readonly replyToMessageId: number | null;
  /** The text before the edit. */
  readonly editedFrom?: string;
  readonly replyMarkup: unknown;
  readonly document?: { readonly fileName: string; readonly bytes: Buffer };
  /** Milliseconds since 1970, by the fake's clock. */
  readonly at: number;
}

export interface ChatAction {
  readonly chatId: number;
  readonly threadId: number | null;
  readonly action: string;
  readonly at: number;
}

/** What a person sees grow before there is a message of it. */
export interface ChatDraft {
  readonly chatId: number;
  readonly draftId: number;
  readonly text: string;
  readonly at: number;
}

/** Messages and edits accepted in a window; what is left out is not limited. */
export interface FloodLimits {
  readonly perChatPerSecond?: number;
  /** Groups and supergroups only. */
  readonly perGroupPerMinute?: number;
  readonly overallPerSecond?: number;
  /** Seconds of the penalty; default: until the window has room, at least 1. */
  readonly retryAfter?: number;
}

export interface UserMessage {
  readonly chatId: number;
  readonly fromId: number;
  /** At most 4,096 UTF-16 units, as any client sends it. Absent for a bare attachment. */
  readonly text?: string;
  /** A topic of the forum; absent for General. */
  readonly threadId?: number;
  /** In addition to the `bot_command` entities, which are made automatically. */
  readonly entities?: readonly object[];
  /** A message of this chat that is replied to. */
  readonly replyTo?: number;
  /** Further fields of the Message, e.g. `{ photo: […], caption: "…" }`. */
  readonly extra?: object;
}

export interface NewChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup";
  readonly isForum?: boolean;
  /** Ids of the topics beside General, which has none. */
  readonly topics?: readonly number[];
  /** People who are administrators of it. Default: nobody. */
  readonly admins?: readonly number[];
}

export interface FakeTelegramOptions {
  readonly token?: string;
  /** Default `holdfast_test_bot`. */
  readonly botUsername?: string;
  /** Default true: privacy mode is off. With false, groups deliver commands, replies and mentions only. */
  readonly canReadAllGroupMessages?: boolean;
  /** Dates, expiry and the server's windows; waiting itself takes real time. Default `Date.now`. */
  readonly now?: () => number;
}

/**
 * The Bot API server on loopback, and the people who write to the bot. As the
 * official server does, it slows down a bot that repeats itself: the same
 * offset within 3 s waits up to 3 s for updates, within 0.5 s it gets only one.
 */
export interface FakeTelegram extends AsyncDisposable {
  readonly apiRoot: string;
  readonly token: string;
  readonly botId: number;
  readonly botUsername: string;
  readonly calls: readonly CallRecord[];
  readonly messages: readonly SentMessage[];
  /** Of the last `setMyCommands`. */
  readonly commands: readonly unknown[];
  readonly chatActions: readonly ChatAction[];
  readonly drafts: readonly ChatDraft[];
  readonly deletions: readonly { readonly chatId: number; readonly messageId: number }[];
  readonly reactions: readonly {
    readonly chatId: number;
    readonly messageId: number;
    readonly reaction: readonly unknown[];
  }[];
  readonly callbackAnswers: readonly Readonly<Record<string, unknown>>[];
  /** What a real server might forgive and a correct bot never does. A product's test expects none. */
  readonly violations: readonly string[];
  /** Adds a chat with the bot in it, or puts the bot back into a known one. */
  addChat(chat: NewChat): void;
  /** A file that an attachment refers to; returns its `file_id`. A number is a size without content. */
  addFile(file: { readonly name: string; readonly content: Uint8Array | number }): string;
  /**
   * A person's message. A private chat is made when its person first writes,
   * and unblocked when they write again. `updateId` is 0 where the server
   * delivers nothing (privacy mode, allowed_updates).
   */
  user(message: UserMessage): { readonly updateId: number; readonly messageId: number };
  /** A person edits their message; returns the update's id. */
  edit(edit: {
    readonly chatId: number;
    readonly messageId: number;
    readonly text: string;
  }): number;
  /** A press on a button. A client may send any data, so the button need not exist. */
  callback(press: {
    readonly chatId: number;
    readonly fromId: number;
    readonly messageId: number;
    readonly data: string;
  }): number;
  /** Any update, whatever `allowed_updates` says. Its own `update_id` is kept, repeated ones too. */
  pushUpdate(update: Readonly<Record<string, unknown>>): number;
  /** The next `times` calls of the method. A poll that is open already is not touched. */
  fail(method: string, fault: Fault, times?: number): void;
  /** Decides about every call that no `fail` waits for. */
  failBy(decide: (method: string, params: CallRecord["params"]) => Fault | undefined): void;
  /** An update comes once more, before the next new one, whatever is confirmed. */
  repeatUpdate(updateId: number): void;
  /** Largest offset that the bot asked with; 0 before. */
  confirmedOffset(): number;
  /** Updates that are neither confirmed nor expired. */
  pendingUpdates(): number;
  /** Calls of getUpdates that wait now. */
  openPolls(): number;
  /** The next polls are answered with 409 at once: an active webhook, or another poller that wins. */
  conflictNextPolls(times: number, cause?: "webhook" | "poller"): void;
  /** The person blocks the bot: 403, and a `my_chat_member` update. */
  block(chatId: number): void;
  /** The person's account is deleted: 403. */
  deactivate(chatId: number): void;
  /** The bot is removed from a group: 403, and a `my_chat_member` update. */
  kick(chatId: number): void;
  /** The chat is gone: `chat not found`. */
  removeChat(chatId: number): void;
  /** 400 with `migrate_to_chat_id`, and the two service messages about it. */
  upgradeToSupergroup(chatId: number, newId: number): void;
  /** Only administrators write to the topic now, which the bot is none of: `TOPIC_CLOSED`. */
  closeTopic(chatId: number, threadId: number): void;
  reopenTopic(chatId: number, threadId: number): void;
  /** The topic is gone: `message thread not found`. */
  deleteTopic(chatId: number, threadId: number): void;
  /** The forum becomes a plain group again: every topic is gone for the bot. */
  endForum(chatId: number): void;
  /** Enforces 429 with `retry_after`; null, the default, accepts any pace. */
  setFloodLimits(limits: FloodLimits | null): void;
  /** The first accepted message, past or coming, that satisfies the predicate; rejects at the time-out. */
  waitForMessage(
    predicate: (message: SentMessage) => boolean,
    timeoutMs?: number,
  ): Promise<SentMessage>;
  /** Looks at a call when it arrives and again when it is answered. */
  waitForCall(predicate: (call: CallRecord) => boolean, timeoutMs?: number): Promise<CallRecord>;
}
