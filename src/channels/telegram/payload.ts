import { excerpt } from "../../excerpt.ts";
import type { Address, Button, Outgoing } from "../../ports.ts";
import type { SendVerdict } from "./errors.ts";
import type { Entity } from "./format/entities.ts";

/** What a call that sends or edits a message holds. */

/** What goes along with the text. */
export interface Shape {
  readonly entities: boolean;
  readonly reply: boolean;
  /** Whether the preview of links is turned off. */
  readonly links: boolean;
  readonly buttons: boolean;
}

export const WHOLE: Shape = { entities: true, reply: true, links: true, buttons: true };
const BARE: Shape = { entities: false, reply: false, links: false, buttons: false };

/** One message. */
export interface Content {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly buttons: readonly (readonly Button[])[];
}

const FIELDS = {
  entities: "entities",
  reply: "reply_parameters",
  links: "link_preview_options",
  buttons: "reply_markup",
};

const THINGS = ["entities", "reply", "links", "buttons"] as const;

/**
 * What to leave out of the next try; null where there is nothing left to leave
 * out. Where what was refused is not there, or is not known, that is all of it.
 */
export function reduced(
  payload: Record<string, unknown>,
  verdict: Extract<SendVerdict, { outcome: "resend" | "unlisted" }>,
): Partial<Shape> | null {
  const has = (thing: keyof Shape) => payload[FIELDS[thing]] !== undefined;
  if (verdict.outcome === "resend" && has(verdict.without)) return { [verdict.without]: false };
  return THINGS.some(has) ? BARE : null;
}

export function payloadOf(
  out: Outgoing,
  { text, entities, buttons }: Content,
  shape: Shape,
  editOf: number | null,
) {
  const replyTo = Number(out.replyTo);
  const { chat_id } = target(out.address);
  const payload: Record<string, unknown> = {
    ...(editOf === null ? target(out.address) : { chat_id, message_id: editOf }),
    text,
  };
  // An edit without a keyboard takes the one that is there away.
  if (shape.buttons && buttons.length > 0)
    payload["reply_markup"] = { inline_keyboard: keyboard(buttons) };
  if (shape.links) payload["link_preview_options"] = { is_disabled: true };
  if (shape.entities && entities.length > 0) payload["entities"] = entities;
  if (editOf === null && shape.reply && Number.isSafeInteger(replyTo) && replyTo > 0) {
    payload["reply_parameters"] = { message_id: replyTo, allow_sending_without_reply: true };
  }
  return payload;
}

/** Longer labels are cut by clients; a quarter of a line is legible on a telephone. */
const LABEL_MAX = 64;

function keyboard(buttons: Content["buttons"]) {
  return buttons.map((row) =>
    row.map(({ label, nonce }) => ({ text: excerpt(label, LABEL_MAX), callback_data: nonce })),
  );
}

/** General has no thread to send to: Telegram refuses its id 1. */
export function target({ chatId, topicId }: Address): Record<string, unknown> {
  const threadId = Number(topicId);
  const named = Number.isSafeInteger(threadId) && threadId > 1;
  return { chat_id: Number(chatId), ...(named ? { message_thread_id: threadId } : {}) };
}
