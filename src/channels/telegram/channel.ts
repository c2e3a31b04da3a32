import type { Limits } from "../../../machines/limits.ts";
import type { Logger } from "../../log.ts";
import type { Address, Channel, Clock, PollResult } from "../../ports.ts";
import { DEFAULT_REFUSED_COMMANDS } from "../commands.ts";
import type { Words } from "../../words/words.ts";
import { createBotApi } from "./client.ts";
import { registerMenu } from "./commands.ts";
import { createAdmins } from "./admins.ts";
import { createDrafts } from "./drafts.ts";
import { collectBurst } from "./bursts.ts";
import { fetchFile } from "./files.ts";
import { createChatGates } from "./gates.ts";
import { onlyAdmins } from "./group-commands.ts";
import { classifyPollError, createBatchReader, type Batch } from "./poll.ts";
import { renderTelegram } from "./render.ts";
import { sendPart } from "./send.ts";
import { createSigns } from "./signs.ts";
import type { TranslatePolicy } from "./translate.ts";
import { ALLOWED_UPDATES, meSchema, UPDATES_PER_POLL } from "./update-schema.ts";

export interface TelegramOptions {
  readonly token: string;
  readonly apiRoot: string;
  /** Numeric user ids; an empty set denies everybody. */
  readonly allowedUsers: ReadonlySet<number>;
  /** For a group that stands here: who is heard there, in place of `allowedUsers`. Default: none stands here. */
  readonly chatUsers?: ReadonlyMap<number, ReadonlySet<number>>;
  /** In groups only what speaks to the bot is heard. Default: true. */
  readonly requireMention?: boolean;
  /** Who may change a session by a command in a group. Default: everybody who is heard. */
  readonly groupCommands?: "everyone" | "admins";
  /** Commands that are neither holdfast's nor given to the agent. Default: `DEFAULT_REFUSED_COMMANDS`. */
  readonly refusedCommands?: ReadonlySet<string>;
  readonly words: Words;
  readonly limits: Pick<
    Limits,
    | "pollTimeoutMs"
    | "pollAbortMs"
    | "burstMs"
    | "sendTimeoutMs"
    | "typingMs"
    | "progressPrivateMs"
    | "progressGroupMs"
  >;
  readonly clock: Clock;
  readonly log: Logger;
  /** A group was upgraded and has a new id. Called before the poll that told of it returns; may be called again. */
  chatMoved?(fromChatId: string, toChatId: string): void;
  /** The bot is in a chat (again): what waits for it may be sent. */
  chatJoined?(chatId: string): void;
}

export interface TelegramChannel extends Channel {
  poll(offset: number | null, signal: AbortSignal): Promise<PollResult>;
  typing(address: Address): Promise<void>;
  /** `fatal`: no later try will do better; otherwise `poll` tries again by itself. */
  prepare(): Promise<
    | { readonly ok: true; readonly name: string }
    | { readonly ok: false; readonly detail: string; readonly fatal: boolean }
  >;
  /** The bot's id, which update ids belong to. Known without the network: a token begins with it. */
  account(): string;
  /** The bot's user name without `@`; empty until Telegram has told it. */
  username(): string;
}

type Named = { readonly ok: true } | { readonly ok: false; readonly result: PollResult };

export function createTelegramChannel(options: TelegramOptions): TelegramChannel {
  const { token, limits, log, words } = options;
  const api = createBotApi(options);
  const gates = createChatGates(options.clock);
  const reader = createBatchReader(log);
  const sending = {
    api,
    log,
    words: words.answers,
    timeoutMs: limits.sendTimeoutMs,
    arrived: new Map<number, number>(),
  };
  const signs = createSigns({ api, gates, limits });
  const drafts = createDrafts({ api, gates, limits });
  const admins = createAdmins({ api, clock: options.clock, timeoutMs: limits.sendTimeoutMs, log });
  let username = "";

  /** Asked before the first poll: without its name the bot cannot tell its commands from another's. */
  const learnName = async (signal?: AbortSignal): Promise<Named> => {
    if (username !== "") return { ok: true };
    const call = { timeoutMs: limits.sendTimeoutMs, ...(signal === undefined ? {} : { signal }) };
    const answer = await api.call("getMe", {}, call);
    if (!answer.ok)
      return { ok: false, result: classifyPollError(answer.failure, options.apiRoot) };
    const me = meSchema.safeParse(answer.result).data;
    if (me === undefined) {
      const detail = `${options.apiRoot} answers getMe with something that is no bot`;
      return { ok: false, result: { outcome: "failed", detail, retryAfterMs: null } };
    }
    username = me.username;
    if (me.can_read_all_group_messages === false) {
      // Telegram's privacy mode: in groups the rest never arrives, and nobody would know why.
      const wantsAll = options.requireMention === false;
      const remedy =
        "@BotFather, /setprivacy, Disable; then take the bot out of the group and back";
      const say = wantsAll ? log.warn : log.info;
      say.call(log, { remedy }, "groups.onlyCommandsRepliesAndMentions");
    }
    await registerMenu(api, words.commands.menu, call, log);
    return { ok: true };
  };

  return {
    name: "telegram",
    account: () => token.split(":", 1)[0] ?? "",
    username: () => username,
    async prepare() {
      const named = await learnName();
      if (named.ok) return { ok: true, name: `@${username}` };
      const { result } = named;
      const detail = "detail" in result ? result.detail : "";
      return { ok: false, detail, fatal: result.outcome === "fatal" };
    },
    async poll(offset, signal) {
      const named = await learnName(signal);
      signal.throwIfAborted();
      if (!named.ok) return named.result;
      const policy = policyOf(options, username);
      const ask = (waitMs: number) =>
        api.call("getUpdates", pollRequest(offset, waitMs), {
          timeoutMs: limits.pollAbortMs,
          signal,
        });
      const answer = await ask(limits.pollTimeoutMs);
      if (!answer.ok) {
        signal.throwIfAborted();
        return classifyPollError(answer.failure, options.apiRoot);
      }
      const whole = await collectBurst(
        answer.result,
        policy,
        () =>
          new Promise((resolve) => {
            options.clock.setTimeout(() => resolve(), limits.burstMs);
          }),
        async () => {
          const again = await ask(0);
          return again.ok ? again.result : null;
        },
      );
      const batch = reader.read(whole, offset, policy);
      for (const { from, to } of batch.moves) options.chatMoved?.(from, to);
      for (const id of batch.callbacks) void signs.answerPress(id, null);
      noteMemberships(options, batch.memberships);
      return options.groupCommands === "admins" ? onlyAdmins(batch.result, admins) : batch.result;
    },
    render: (outgoing) => renderTelegram(words.answers, outgoing),
    async send(outgoing, part) {
      const { chatId } = outgoing.address;
      const retryAfterMs = gates.remainingMs(chatId);
      if (retryAfterMs > 0) return { outcome: "gated", retryAfterMs, detail: "told to wait" };
      const result = await sendPart(sending, outgoing, part);
      if (result.outcome === "gated") gates.close(chatId, result.retryAfterMs);
      return result;
    },
    // A private chat has the id of its user; those of groups are negative.
    progressEveryMs: ({ chatId }) =>
      Number(chatId) > 0 ? limits.progressPrivateMs : limits.progressGroupMs,
    fetchFile: (file, maxBytes) =>
      fetchFile({ ...options, api, timeoutMs: limits.sendTimeoutMs * 4 }, file, maxBytes),
    showDraft: drafts.show,
    answerPress: signs.answerPress,
    noteWaiting: signs.noteWaiting,
    typing: signs.typing,
  };
}

function policyOf(options: TelegramOptions, botUsername: string): TranslatePolicy {
  const {
    allowedUsers,
    chatUsers = new Map(),
    requireMention = true,
    refusedCommands = DEFAULT_REFUSED_COMMANDS,
    words: { files },
  } = options;
  return { botUsername, allowedUsers, chatUsers, requireMention, refusedCommands, files };
}

function pollRequest(offset: number | null, timeoutMs: number): object {
  return {
    timeout: Math.ceil(timeoutMs / 1_000),
    limit: UPDATES_PER_POLL,
    allowed_updates: ALLOWED_UPDATES,
    ...(offset === null ? {} : { offset }),
  };
}

function noteMemberships(options: TelegramOptions, memberships: Batch["memberships"]): void {
  for (const { chatId, isMember } of memberships) {
    if (isMember) {
      options.log.info({ chatId }, "chat.joined");
      options.chatJoined?.(chatId);
    } else {
      // What is sent there from now on is refused, and its lane waits.
      options.log.warn({ chatId }, "chat.left");
    }
  }
}
