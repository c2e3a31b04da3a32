import type { Logger } from "../../log.ts";
import type { Address, Outgoing, SendResult } from "../../ports.ts";
import type { BotApi } from "./client.ts";
import { classifySendError, type CallFailure, type SendVerdict } from "./errors.ts";
import { chunkPlain } from "./format/plain.ts";
import type { Entity, Rich } from "./format/entities.ts";
import { sentSchema } from "./update-schema.ts";

/** Half of what a message may hold: used where Telegram counts a part as too long against our own count. */
const SMALL_PART = 2_000;

/** What goes along with the text. */
interface Shape {
  readonly entities: boolean;
  readonly reply: boolean;
  /** Whether the preview of links is turned off. */
  readonly links: boolean;
}

const BARE: Shape = { entities: false, reply: false, links: false };

export interface SendDeps {
  readonly api: BotApi;
  /** Milliseconds for a call that uploads nothing. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

/** Sends one message, without what Telegram refuses of it. Never throws. */
export async function sendText(
  deps: SendDeps,
  out: Outgoing,
  { text, entities }: Rich,
  replies: boolean,
): Promise<SendResult> {
  const send = (message: string, marks: readonly Entity[], shape: Shape) =>
    sendShaped(deps, out, message, marks, shape);
  const result = await send(text, entities, { entities: true, reply: replies, links: true });
  return result === "split" ? sendSmall(text, replies, send) : result;
}

type Send = (
  text: string,
  entities: readonly Entity[],
  shape: Shape,
) => Promise<SendResult | "split">;

/** At most three resends: each leaves out more than the last. */
async function sendShaped(
  deps: SendDeps,
  out: Outgoing,
  text: string,
  entities: readonly Entity[],
  first: Shape,
): Promise<SendResult | "split"> {
  let shape = first;
  for (;;) {
    const payload = payloadOf(out, text, entities, shape);
    const answer = await deps.api.call("sendMessage", payload, { timeoutMs: deps.timeoutMs });
    if (answer.ok) return acknowledged(answer.result);
    const verdict = classifySendError(answer.failure);
    switch (verdict.outcome) {
      case "resend":
      case "unlisted": {
        const next = reduced(payload, verdict);
        if (next === null) return { outcome: "refused", detail: answer.failure.detail };
        const { detail } = answer.failure;
        deps.log.warn({ outgoing: out.id, ...next, detail }, "send.reduced");
        shape = { ...shape, ...next };
        continue;
      }
      case "split":
        return "split";
      case "unchanged":
      case "renew":
      case "ignored":
        return dropped(answer.failure);
      default:
        return verdict;
    }
  }
}

/** As plain text in small pieces; a failure after the first piece leaves a copy of some of it. */
async function sendSmall(text: string, replies: boolean, send: Send): Promise<SendResult> {
  let last: SendResult = { outcome: "dropped", detail: "nothing to send" };
  for (const [index, piece] of chunkPlain(text, null, { maxUnits: SMALL_PART }).entries()) {
    const shape = { entities: false, reply: replies && index === 0, links: true };
    const result = await send(piece.text, [], shape);
    last = result === "split" ? { outcome: "refused", detail: "message is too long" } : result;
    if (last.outcome === "sent") continue;
    if (index > 0 && last.outcome === "retry") return { ...last, outcome: "ambiguous" };
    return last;
  }
  return last;
}

const FIELDS = { entities: "entities", reply: "reply_parameters", links: "link_preview_options" };

/**
 * What to leave out of the next try; null where there is nothing left to leave
 * out. Where what was refused is not there, or is not known, that is all of it.
 */
function reduced(
  payload: Record<string, unknown>,
  verdict: Extract<SendVerdict, { outcome: "resend" | "unlisted" }>,
): Partial<Shape> | null {
  const has = (thing: keyof Shape) => payload[FIELDS[thing]] !== undefined;
  if (verdict.outcome === "resend" && has(verdict.without)) return { [verdict.without]: false };
  return has("entities") || has("reply") || has("links") ? BARE : null;
}

function payloadOf(out: Outgoing, text: string, entities: readonly Entity[], shape: Shape) {
  const replyTo = Number(out.replyTo);
  const payload: Record<string, unknown> = {
    ...target(out.address),
    text,
  };
  if (shape.links) payload["link_preview_options"] = { is_disabled: true };
  if (shape.entities && entities.length > 0) payload["entities"] = entities;
  if (shape.reply && Number.isSafeInteger(replyTo) && replyTo > 0) {
    payload["reply_parameters"] = { message_id: replyTo, allow_sending_without_reply: true };
  }
  return payload;
}

/** General has no thread to send to: Telegram refuses its id 1. */
export function target({ chatId, topicId }: Address): Record<string, unknown> {
  const threadId = Number(topicId);
  const named = Number.isSafeInteger(threadId) && threadId > 1;
  return { chat_id: Number(chatId), ...(named ? { message_thread_id: threadId } : {}) };
}

/** What a sending method answered. */
export function acknowledged(result: unknown): SendResult {
  // The API said `ok`: the message is there, even if its number cannot be read.
  const id = sentSchema.safeParse(result).data?.message_id;
  return { outcome: "sent", platformMessageId: id === undefined ? "" : String(id) };
}

function dropped({ detail }: CallFailure): SendResult {
  return { outcome: "dropped", detail };
}
