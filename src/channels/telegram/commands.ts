import type { Logger } from "../../log.ts";
import type { CommandWords } from "../../words/words.ts";
import type { BotApi, CallOptions } from "./client.ts";

/** Replaces the menu that Telegram shows behind the `/` button. The bot works without one: a failure is logged and nothing else. */
export async function registerMenu(
  api: BotApi,
  menu: CommandWords["menu"],
  call: CallOptions,
  log: Logger,
): Promise<void> {
  const answer = await api.call("setMyCommands", { commands: menu }, call);
  if (answer.ok) log.debug({ count: menu.length }, "menu.registered");
  else if (answer.failure.kind !== "aborted")
    log.warn({ detail: answer.failure.detail }, "menu.refused");
}
