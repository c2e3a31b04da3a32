import type { Limits } from "../../../machines/limits.ts";
import type { Address } from "../../ports.ts";
import type { Wording } from "../../words/wording.ts";
import type { BotApi } from "./client.ts";
import type { ChatGates } from "./gates.ts";
import { target } from "./payload.ts";

/** Small signs that nothing depends on: what fails is not tried again. */
export interface Signs {
  /** Marks a message as seen. Chats may forbid reactions. */
  noteWaiting(address: Address, platformMessageId: string): Promise<void>;
  typing(address: Address): Promise<void>;
  /** Stops a button's spinner; too late makes no difference. */
  answerPress(pressId: string, text: Wording | null): Promise<void>;
}

export function createSigns(options: {
  readonly api: BotApi;
  readonly gates: ChatGates;
  readonly limits: Pick<Limits, "sendTimeoutMs" | "typingMs">;
}): Signs {
  const { api, gates, limits } = options;
  /** Methods that the server does not have: an own Bot API server may be older. */
  const missing = new Set<string>();

  async function show(chatId: string, method: string, payload: object): Promise<void> {
    if (missing.has(method) || gates.remainingMs(chatId) > 0) return;
    // Later than its own repetition a sign is worth nothing.
    const answer = await api.call(method, payload, { timeoutMs: limits.typingMs });
    if (answer.ok) return;
    const { code, retryAfterMs } = answer.failure;
    if (code === 404) missing.add(method);
    if (retryAfterMs !== null) gates.close(chatId, retryAfterMs);
  }

  return {
    noteWaiting({ chatId }, platformMessageId) {
      const reaction = [{ type: "emoji", emoji: "👀" }];
      const payload = { chat_id: Number(chatId), message_id: Number(platformMessageId), reaction };
      return show(chatId, "setMessageReaction", payload);
    },
    typing: (address) =>
      show(address.chatId, "sendChatAction", { ...target(address), action: "typing" }),
    async answerPress(pressId, text) {
      const payload = { callback_query_id: pressId, ...(text === null ? {} : { text }) };
      await api.call("answerCallbackQuery", payload, { timeoutMs: limits.sendTimeoutMs });
    },
  };
}
