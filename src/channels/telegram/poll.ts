import type { Logger } from "../../log.ts";
import type { Intake, PollResult } from "../../ports.ts";
import type { CallFailure } from "./errors.ts";
import { boundedMemory } from "./bounded.ts";
import { joinBursts } from "./bursts.ts";
import { translate, type TranslatePolicy, type Translation } from "./translate.ts";
import { envelopeSchema, type RawUpdate } from "./update-schema.ts";

/** Strangers and albums that are remembered, so that each is spoken of once. */
const REMEMBERED = 1_000;

export interface Batch {
  readonly result: PollResult;
  /** Callbacks to answer. */
  readonly callbacks: readonly string[];
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** Chats that the bot came into, or had to leave. */
  readonly memberships: readonly { readonly chatId: string; readonly isMember: boolean }[];
}

export interface BatchReader {
  /** Translates an answer to getUpdates. `offset`: what it was asked with. */
  read(answer: unknown, offset: number | null, policy: TranslatePolicy): Batch;
}

export function createBatchReader(log: Logger): BatchReader {
  const strangers = boundedMemory<number>(REMEMBERED);
  const albums = boundedMemory<number>(REMEMBERED);

  const readOne = (update: RawUpdate, policy: TranslatePolicy): Translation => {
    const translation = translate(update, policy);
    const isMessage = translation.intake?.kind === "message";
    if (translation.album === null || isMessage) return translation;
    // An album is up to ten messages, and one word about it is enough. It is the first one's, also
    // when the same updates come again because they could not be stored.
    const first = albums.first(translation.album, update.update_id);
    return first === update.update_id
      ? translation
      : { ...translation, intake: null, ignored: "album" };
  };

  const report = (update: RawUpdate, { ignored, userId }: Translation): void => {
    const fields = { updateId: update.update_id, reason: ignored, userId };
    switch (ignored) {
      case null:
        return;
      case "stranger":
      case "anonymous":
      case "bot":
      case "chat-not-allowed":
        // Once a sender, or a stranger could fill the log.
        if (strangers.first(`${ignored}:${userId ?? "-"}`, update.update_id) === update.update_id) {
          log.warn(fields, "update.refused");
        }
        return;
      case "malformed":
        log.warn({ ...fields, kinds: Object.keys(update) }, "update.malformed");
        return;
      default:
        log.debug(fields, "update.ignored");
    }
  };

  return {
    read(answer, offset, policy) {
      if (!Array.isArray(answer)) return failedBatch("getUpdates was answered with no list");
      const updates = answer.flatMap((one: unknown) => envelopeSchema.safeParse(one).data ?? []);
      const nameless = answer.length - updates.length;
      if (nameless > 0) log.warn({ count: nameless }, "update.withoutId");
      // They would come again at once and for ever: the poller's backoff keeps that slow.
      if (nameless > 0 && updates.length === 0) {
        return failedBatch("getUpdates was answered with updates that have no update_id");
      }
      const translations = updates.map((update) => {
        const translation = readOne(update, policy);
        report(update, translation);
        return translation;
      });
      const nextOffset = nextOffsetOf(updates);
      if (nextOffset !== null && offset !== null && nextOffset <= offset) {
        log.warn({ offset, nextOffset }, "update.renumbered");
      }
      return {
        result: { outcome: "received", intakes: intakesOf(joinBursts(translations)), nextOffset },
        callbacks: translations.flatMap((one) => one.callbackId ?? []),
        moves: translations.flatMap((one) => one.moved ?? []),
        memberships: translations.flatMap((one) => one.membership ?? []),
      };
    },
  };
}

/**
 * Not compared with the offset before: after a quiet week, or on another Bot API
 * server, the numbers start anew at a lower one. The server then answers an offset
 * from the old row with the head of the new one, again and again, until it is
 * asked with the lower one.
 */
function nextOffsetOf(updates: readonly RawUpdate[]): number | null {
  return updates.length === 0 ? null : Math.max(...updates.map((one) => one.update_id)) + 1;
}

function intakesOf(translations: readonly Translation[]): readonly Intake[] {
  return translations.flatMap((one) => one.intake ?? []);
}

function failedBatch(detail: string): Batch {
  const result: PollResult = { outcome: "failed", detail, retryAfterMs: null };
  return { result, callbacks: [], moves: [], memberships: [] };
}

/** What a failed getUpdates or getMe means for polling. */
export function classifyPollError(failure: CallFailure, apiRoot: string): PollResult {
  const { code, detail, retryAfterMs } = failure;
  if (failure.kind !== "answered") return { outcome: "failed", detail, retryAfterMs: null };
  switch (code) {
    case 401:
      return {
        outcome: "fatal",
        detail:
          `Telegram refuses the bot token (${detail}). Set TELEGRAM_BOT_TOKEN to the token ` +
          "that @BotFather shows for this bot and start again.",
      };
    case 404:
      return {
        outcome: "fatal",
        detail:
          `There is no bot with this token at ${apiRoot} (${detail}). Check TELEGRAM_BOT_TOKEN ` +
          "for missing characters, and TELEGRAM_API_ROOT if it is set, and start again.",
      };
    case 409:
      return { outcome: "conflict", detail: conflictWords(detail) };
    default:
      return { outcome: "failed", detail, retryAfterMs };
  }
}

function conflictWords(detail: string): string {
  return /webhook/i.test(detail)
    ? `A webhook is set for this bot, so its messages go there (${detail}). Stop the program ` +
        "that set it, or remove it with the Bot API's deleteWebhook; polling goes on then."
    : `Another program polls this bot (${detail}). Stop it, or give this service a bot of its ` +
        "own; polling goes on then.";
}
