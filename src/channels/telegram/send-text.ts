import type { Logger } from "../../log.ts";
import type { Outgoing, SendResult } from "../../ports.ts";
import type { BotApi } from "./client.ts";
import { classifySendError, type CallFailure } from "./errors.ts";
import { chunkPlain } from "./format/plain.ts";
import { payloadOf, reduced, WHOLE, type Content, type Shape } from "./payload.ts";
import type { TextPart } from "./render.ts";
import { sentSchema } from "./update-schema.ts";

/** Half of what a message may hold: used where Telegram counts a part as too long against our own count. */
const SMALL_PART = 2_000;

export interface SendDeps {
  readonly api: BotApi;
  /** Milliseconds for a call that uploads nothing. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

/** What is sent as one message. */
export type Message = Pick<TextPart, "rich" | "replies" | "buttons">;

/** Sends one message, without what Telegram refuses of it. Never throws. */
export async function sendText(
  deps: SendDeps,
  out: Outgoing,
  { rich: { text, entities }, replies, buttons }: Message,
): Promise<SendResult> {
  const send = (content: Content, shape: Shape) => sendShaped(deps, out, content, shape);
  const result = await send({ text, entities, buttons }, { ...WHOLE, reply: replies });
  if (result !== "split") return result;
  return out.editOf === undefined
    ? sendSmall(text, replies, buttons, send)
    : { outcome: "refused", detail: "message is too long" };
}

type Send = (content: Content, shape: Shape) => Promise<SendResult | "split">;

/** At most three resends: each leaves out more than the last. */
async function sendShaped(
  deps: SendDeps,
  out: Outgoing,
  content: Content,
  first: Shape,
): Promise<SendResult | "split"> {
  let shape = first;
  let editOf = Number(out.editOf);
  for (;;) {
    const edits = Number.isSafeInteger(editOf) && editOf > 0;
    const payload = payloadOf(out, content, shape, edits ? editOf : null);
    const method = edits ? "editMessageText" : "sendMessage";
    const answer = await deps.api.call(method, payload, { timeoutMs: deps.timeoutMs });
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
        // It reads as wanted: an earlier try has arrived.
        return edits
          ? { outcome: "sent", platformMessageId: String(editOf) }
          : dropped(answer.failure);
      case "renew":
        if (!edits) return dropped(answer.failure);
        editOf = 0;
        continue;
      case "ambiguous":
        // An edit can be made twice and shows once.
        return edits ? { ...verdict, outcome: "retry" } : verdict;
      case "ignored":
        return dropped(answer.failure);
      default:
        return verdict;
    }
  }
}

/** As plain text in small pieces; a failure after the first piece leaves a copy of some of it. */
async function sendSmall(
  text: string,
  replies: boolean,
  buttons: Content["buttons"],
  send: Send,
): Promise<SendResult> {
  let last: SendResult = { outcome: "dropped", detail: "nothing to send" };
  const pieces = chunkPlain(text, null, { maxUnits: SMALL_PART });
  for (const [index, piece] of pieces.entries()) {
    const shape = { ...WHOLE, entities: false, reply: replies && index === 0 };
    const below = index === pieces.length - 1 ? buttons : [];
    const result = await send({ text: piece.text, entities: [], buttons: below }, shape);
    last = result === "split" ? { outcome: "refused", detail: "message is too long" } : result;
    if (last.outcome === "sent") continue;
    if (index > 0 && last.outcome === "retry") return { ...last, outcome: "ambiguous" };
    return last;
  }
  return last;
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
