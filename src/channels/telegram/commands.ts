import type { Logger } from "../../log.ts";
import type { BotApi, CallOptions } from "./client.ts";

/** One line of the menu that Telegram shows behind the `/` button. */
export interface MenuEntry {
  /** 1–32 of a–z, 0–9 and `_`, without the slash. */
  readonly command: string;
  /** 1–256 characters. */
  readonly description: string;
}

/** Replaces the bot's menu. The bot works without one: a failure is logged and nothing else. */
export async function registerMenu(
  api: BotApi,
  menu: readonly MenuEntry[],
  call: CallOptions,
  log: Logger,
): Promise<void> {
  const answer = await api.call("setMyCommands", { commands: menu }, call);
  if (answer.ok) log.debug({ count: menu.length }, "menu.registered");
  else if (answer.failure.kind !== "aborted")
    log.warn({ detail: answer.failure.detail }, "menu.refused");
}
