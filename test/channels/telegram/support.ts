import { DEFAULT_LIMITS } from "../../../machines/limits.ts";
import {
  createTelegramChannel,
  type TelegramChannel,
  type TelegramOptions,
} from "../../../src/channels/telegram/channel.ts";
import { english } from "../../../src/words/english.ts";
import type { FakeTelegram } from "../../support/fake-telegram/server.ts";
import { realClock, recordingLog, type LogEntry } from "./recording.ts";

export const OWNER = 42;
export const FORUM = -1_001_234_567_890;

export function openChannel(
  fake: FakeTelegram,
  more: Partial<TelegramOptions> = {},
  limits: object = {},
): { readonly channel: TelegramChannel; readonly entries: readonly LogEntry[] } {
  const { log, entries } = recordingLog();
  const channel = createTelegramChannel({
    token: fake.token,
    apiRoot: fake.apiRoot,
    allowedUsers: new Set([OWNER]),
    words: english,
    limits: { ...DEFAULT_LIMITS, pollTimeoutMs: 1_000, sendTimeoutMs: 5_000, ...limits },
    clock: realClock,
    log,
    ...more,
  });
  return { channel, entries };
}

/** A message of the allowed user in their private chat. */
export function says(fake: FakeTelegram, text = "hi"): { readonly messageId: number } {
  return fake.user({ chatId: OWNER, fromId: OWNER, text });
}

export const live = (): AbortSignal => new AbortController().signal;

/** Ends the fake, which must have seen nothing that a correct bot never does. */
export async function endFake(fake: FakeTelegram): Promise<void> {
  await fake[Symbol.asyncDispose]();
  if (fake.violations.length > 0) throw new Error(`violations: ${fake.violations.join("; ")}`);
}
