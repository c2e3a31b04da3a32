import { z } from "zod";
import type { Logger } from "../../log.ts";
import type { Clock } from "../../ports.ts";
import type { BotApi } from "./client.ts";

/** Whether somebody is an administrator of a group. Fails closed: where nobody can say, nobody is. */
export interface Admins {
  has(chatId: string, userId: string): Promise<boolean>;
}

/** Who has lost the right may use it for this long. */
const KEPT_MS = 60_000;
/** Groups whose administrators are remembered. */
const GROUPS_MAX = 200;

const adminsSchema = z.array(z.object({ user: z.object({ id: z.int() }) }));

interface Known {
  readonly at: number;
  readonly ids: ReadonlySet<string>;
}

export function createAdmins(options: {
  readonly api: BotApi;
  readonly clock: Pick<Clock, "now">;
  readonly timeoutMs: number;
  readonly log: Logger;
}): Admins {
  const { api, clock, timeoutMs, log } = options;
  const known = new Map<string, Known>();

  const ask = async (chatId: string): Promise<Known | null> => {
    const answer = await api.call(
      "getChatAdministrators",
      { chat_id: Number(chatId) },
      { timeoutMs },
    );
    const list = answer.ok ? adminsSchema.safeParse(answer.result).data : undefined;
    if (list === undefined) {
      const detail = answer.ok ? "an answer that is no list" : answer.failure.detail;
      log.warn({ chatId, detail }, "admins.unknown");
      return null;
    }
    return { at: clock.now(), ids: new Set(list.map(({ user }) => String(user.id))) };
  };

  return {
    async has(chatId, userId) {
      const kept = known.get(chatId);
      if (kept !== undefined && clock.now() - kept.at < KEPT_MS) return kept.ids.has(userId);
      const asked = await ask(chatId);
      if (asked === null) return false;
      if (known.size >= GROUPS_MAX) known.clear();
      known.set(chatId, asked);
      return asked.ids.has(userId);
    },
  };
}
