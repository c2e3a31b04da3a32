import { createFlood } from "./flood.ts";
import type { FakeTelegramOptions, SentMessage } from "./types.ts";
import { createUpdateQueue } from "./update-queue.ts";
import type { World } from "./world.ts";

/** The world before anybody has written. `offer` hears of every message that is accepted. */
export function createWorld(
  token: string,
  options: FakeTelegramOptions,
  offer: (message: SentMessage) => void,
): World {
  const now = options.now ?? Date.now;
  const violations: string[] = [];
  const violate = (what: string): void => void violations.push(what);
  const sent: SentMessage[] = [];
  return {
    bot: {
      id: Number(token.split(":")[0]),
      username: options.botUsername ?? "holdfast_test_bot",
      canReadAllGroupMessages: options.canReadAllGroupMessages ?? true,
    },
    now,
    chats: new Map(),
    posts: new Map(),
    messageIds: new Map(),
    files: new Map(),
    presses: new Map(),
    queue: createUpdateQueue(now, violate),
    flood: createFlood(now),
    sent,
    actions: [],
    drafts: [],
    deletions: [],
    reactions: [],
    callbackAnswers: [],
    commands: [],
    violations,
    violate,
    announce(message) {
      sent.push(message);
      offer(message);
    },
  };
}
