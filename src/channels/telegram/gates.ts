import type { Clock } from "../../ports.ts";

/** Chats that Telegram wants left alone. Every call in a chat counts, and one during the wait prolongs it. */
export interface ChatGates {
  close(chatId: string, ms: number): void;
  /** Milliseconds until calls in this chat are welcome again; 0 when they are now. */
  remainingMs(chatId: string): number;
}

export function createChatGates(clock: Pick<Clock, "now">): ChatGates {
  const until = new Map<string, number>();
  return {
    close(chatId, ms) {
      const now = clock.now();
      for (const [chat, end] of until) if (end <= now) until.delete(chat);
      until.set(chatId, Math.max(until.get(chatId) ?? 0, now + ms));
    },
    remainingMs(chatId) {
      return Math.max(0, (until.get(chatId) ?? 0) - clock.now());
    },
  };
}
