import type { Address, Intake, IntakeItem, OutgoingDraft, SessionWrite } from "../../src/ports.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";
import { asWritten } from "../../src/words/wording.ts";

export const CHAT: Address = { channel: "telegram", chatId: "-100", topicId: null };
export const TOPIC: Address = { channel: "telegram", chatId: "-100", topicId: "7" };
export const OTHER_CHAT: Address = { channel: "telegram", chatId: "200", topicId: null };
export const KEY = sessionKey(CHAT);
export const ACCOUNT = "bot-1";

/** Moves only when told. */
export function manualClock(start = 1_700_000_000_000) {
  let time = start;
  return {
    now: () => time,
    advance(ms: number) {
      time += ms;
    },
  };
}
export type ManualClock = ReturnType<typeof manualClock>;

function item(intake: Intake, reply: OutgoingDraft | null): IntakeItem {
  return { intake, key: sessionKey(intake.address), uuid: `uuid-${intake.updateId}`, reply };
}

interface Extra {
  readonly address?: Address;
  readonly reply?: OutgoingDraft;
  readonly text?: string;
}

export function messageItem(updateId: number, extra: Extra = {}): IntakeItem {
  const { address = CHAT, reply = null, text = `text ${updateId}` } = extra;
  const platformMessageId = `m${updateId}`;
  return item(
    { kind: "message", updateId, address, sender: "ada", text, platformMessageId },
    reply,
  );
}

export function commandItem(updateId: number, name: string, extra: Extra = {}): IntakeItem {
  const { address = CHAT, reply = null } = extra;
  const args = "some args";
  return item(
    { kind: "command", updateId, address, sender: "ada", name, args, platformMessageId: null },
    reply,
  );
}

export function unsupportedItem(updateId: number, extra: Extra = {}): IntakeItem {
  const { address = CHAT, reply = null } = extra;
  return item(
    {
      kind: "unsupported",
      updateId,
      address,
      sender: "ada",
      what: "photo",
      platformMessageId: null,
    },
    reply,
  );
}

export function draft(text: string, dedupe: string | null = null): OutgoingDraft {
  return { kind: "notice", text: asWritten(text), footer: null, replyTo: null, dedupe };
}

/** A write that holds nothing but what is given. */
export function only(write: Partial<SessionWrite>): SessionWrite {
  return { facts: [], outgoing: [], commandsDone: [], ...write };
}
