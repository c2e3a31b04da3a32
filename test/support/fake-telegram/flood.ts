import type { Chat } from "./world.ts";
import type { FloodLimits } from "./types.ts";

/**
 * A call that was on its way when the 429 was answered, or whose timer fired a
 * little early, is no fault of the bot.
 */
const TOLERANCE_MS = 50;

interface Gate {
  readonly since: number;
  readonly until: number;
  /** Enforced gates refuse; the others only watch. */
  readonly enforced: boolean;
}

/** Penalties of chats and, where limits are set, the windows that lead to them. */
export interface Flood {
  setLimits(limits: FloodLimits | null): void;
  /** A 429 with `retry_after` seconds was answered for this chat. */
  gate(chatId: number, retryAfter: number, enforced: boolean): void;
  /** Whether traffic to the chat now shows that a 429 is not obeyed. */
  isOffended(chatId: number): boolean;
  /** Counts a message; answers the seconds to wait when it is one too many. */
  admit(chat: Chat): number | null;
}

export function createFlood(now: () => number): Flood {
  const gates = new Map<number, Gate>();
  let limits: FloodLimits | null = null;
  let passed: { readonly chatId: number; readonly at: number }[] = [];

  /** Seconds until the window has room again; 0 when it has. */
  function wait(limit: number | undefined, windowMs: number, chatId: number | null): number {
    if (limit === undefined) return 0;
    const since = now() - windowMs;
    const inside = passed.filter(
      (entry) => entry.at > since && (chatId === null || entry.chatId === chatId),
    );
    const oldest = inside.at(-limit);
    return oldest === undefined ? 0 : Math.max(1, Math.ceil((oldest.at - since) / 1_000));
  }

  function excess(chat: Chat, set: FloodLimits): number {
    const group = chat.type === "private" ? undefined : set.perGroupPerMinute;
    const seconds = Math.max(
      wait(set.perChatPerSecond, 1_000, chat.id),
      wait(group, 60_000, chat.id),
      wait(set.overallPerSecond, 1_000, null),
    );
    return seconds > 0 ? (set.retryAfter ?? seconds) : 0;
  }

  const flood: Flood = {
    setLimits(next) {
      limits = next;
      if (next === null) {
        for (const [chatId, gate] of gates) if (gate.enforced) gates.delete(chatId);
      }
    },
    gate(chatId, retryAfter, enforced) {
      gates.set(chatId, { since: now(), until: now() + retryAfter * 1_000, enforced });
    },
    isOffended(chatId) {
      const gate = gates.get(chatId);
      if (gate === undefined) return false;
      const at = now();
      return at > gate.since + TOLERANCE_MS && at < gate.until - TOLERANCE_MS;
    },
    admit(chat) {
      const gate = gates.get(chat.id);
      const left = gate?.enforced ? gate.until - now() - TOLERANCE_MS : 0;
      if (left > 0) return Math.max(1, Math.ceil(left / 1_000));
      if (limits === null) return null;
      const seconds = excess(chat, limits);
      if (seconds > 0) {
        flood.gate(chat.id, seconds, true);
        return seconds;
      }
      passed = passed.filter((entry) => entry.at > now() - 60_000);
      passed.push({ chatId: chat.id, at: now() });
      return null;
    },
  };
  return flood;
}
