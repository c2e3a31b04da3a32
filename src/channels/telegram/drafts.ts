import type { Limits } from "../../../machines/limits.ts";
import { endOf } from "../../excerpt.ts";
import type { Address, Draft, DraftResult } from "../../ports.ts";
import type { BotApi } from "./client.ts";
import type { ChatGates } from "./gates.ts";
import { renderParts } from "./format/parts.ts";
import { target } from "./payload.ts";

/** Of the text; a message holds 4,096 UTF-16 units, and what Markdown becomes may be longer than it. */
const TEXT_MAX = 3_500;

/**
 * Texts that grow while their reader looks on (`sendMessageDraft`). They are no messages: they
 * lapse after 30 s and leave nothing behind. Private chats alone have them.
 */
export interface Drafts {
  show(address: Address, draft: Draft): Promise<DraftResult>;
}

export function createDrafts(options: {
  readonly api: BotApi;
  readonly gates: ChatGates;
  readonly limits: Pick<Limits, "sendTimeoutMs">;
}): Drafts {
  const { api, gates, limits } = options;
  /** Chats that have refused one, and "all" where the server does not know the method. */
  const refused = new Set<string>();

  return {
    async show(address, { id, text }) {
      const { chatId } = address;
      if (Number(chatId) <= 0 || refused.has("all") || refused.has(chatId)) return "refused";
      if (gates.remainingMs(chatId) > 0) return "later";
      const rich = renderParts(endOf(text, TEXT_MAX), null).at(-1);
      if (rich === undefined) return "later";
      const payload = { ...target(address), draft_id: id, ...rich };
      const answer = await api.call("sendMessageDraft", payload, {
        timeoutMs: limits.sendTimeoutMs,
      });
      if (answer.ok) return "shown";
      const { code, retryAfterMs } = answer.failure;
      if (retryAfterMs !== null) gates.close(chatId, retryAfterMs);
      if (code === 404) refused.add("all");
      else if (code === 400 || code === 403) refused.add(chatId);
      else return "later";
      return "refused";
    },
  };
}
