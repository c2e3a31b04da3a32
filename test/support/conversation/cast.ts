import type { FakeTelegram } from "../fake-telegram/server.ts";
import { ALLOWED, STRANGER } from "../holdfast.ts";

/** Who takes part in a conversation, and where. */

export const PEOPLE = {
  owner: ALLOWED,
  guest: 5151,
  stranger: STRANGER,
  "anonymous admin": 1_087_968_824,
} as const;
export type Person = keyof typeof PEOPLE;

const GROUP = -1_001_234_500_000;
const FORUM = -1_001_234_600_000;
const SMALL_GROUP = -500;

export const PLACES = {
  private: { chatId: PEOPLE.owner, threadId: null },
  "private of guest": { chatId: PEOPLE.guest, threadId: null },
  "private of stranger": { chatId: PEOPLE.stranger, threadId: null },
  group: { chatId: GROUP, threadId: null },
  "small group": { chatId: SMALL_GROUP, threadId: null },
  "upgraded group": { chatId: -1_001_234_700_000, threadId: null },
  general: { chatId: FORUM, threadId: null },
  "topic one": { chatId: FORUM, threadId: 11 },
  "topic two": { chatId: FORUM, threadId: 12 },
} as const;
export type Place = keyof typeof PLACES;

export function addChats(telegram: FakeTelegram): void {
  const admins = [PEOPLE.owner];
  telegram.addChat({ id: GROUP, type: "supergroup", admins });
  telegram.addChat({ id: SMALL_GROUP, type: "group", admins });
  telegram.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [11, 12], admins });
}

/** The place of a call, as a conversation names it. */
export function placeName(chatId: number, threadId: number | null): string {
  const found = Object.entries(PLACES).find(
    ([, place]) => place.chatId === chatId && place.threadId === threadId,
  );
  return found?.[0] ?? `chat ${chatId}, topic ${threadId}`;
}
