import type { FakeTelegram } from "../fake-telegram/server.ts";
import type { Fault } from "../fake-telegram/types.ts";
import { createRandom } from "./random.ts";

/** What the network and Telegram do to the calls, by the seed. */

const PENALTY_MS = 1_000;

const RESET: Fault = { kind: "reset" };
const LOST: Fault = { kind: "lost-answer" };
const CUT: Fault = { kind: "cut-body" };
const BROKEN: Fault = { kind: "error", code: 500, description: "Internal Server Error" };
const PROXY: Fault = { kind: "html", status: 502 };
const STALLED: Fault = { kind: "hang", ms: 200 };
const SLOW: Fault = { kind: "delay", ms: 100 };
const PENALTY: Fault = {
  kind: "error",
  code: 429,
  description: "Too Many Requests: retry after 1",
  parameters: { retry_after: 1 },
};

/** In a thousand calls. */
type Table = readonly (readonly [number, Fault])[];

const SENDING: Table = [
  [8, PENALTY],
  [15, BROKEN],
  [10, PROXY],
  [20, RESET],
  [20, LOST],
  [5, CUT],
  [10, STALLED],
  [20, SLOW],
];
const POLLING: Table = [
  [30, BROKEN],
  [20, PROXY],
  [40, RESET],
  [40, LOST],
  [20, CUT],
];
const SIGNS: Table = [
  [50, BROKEN],
  [50, RESET],
  [50, LOST],
];

const TABLES: Readonly<Record<string, Table>> = {
  sendMessage: SENDING,
  editMessageText: SENDING,
  getUpdates: POLLING,
  setMessageReaction: SIGNS,
  answerCallbackQuery: SIGNS,
  sendChatAction: SIGNS,
};

export interface Weather {
  /** How often each kind of fault has happened. */
  readonly counts: ReadonlyMap<string, number>;
  /** Milliseconds until no penalty lasts: only the process that was told of one knows of it. */
  penaltyLeftMs(): number;
  /** From now on everything works. */
  clear(): void;
}

export function bringWeather(telegram: FakeTelegram, seed: number): Weather {
  const random = createRandom(seed + 1);
  const counts = new Map<string, number>();
  let penaltyUntil = 0;
  telegram.failBy((method) => {
    const fault = choose(TABLES[method] ?? [], random.below(1_000));
    if (fault === undefined) return undefined;
    const kind = fault.kind === "error" ? String(fault.code) : fault.kind;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (fault === PENALTY) penaltyUntil = Date.now() + PENALTY_MS;
    return fault;
  });
  return {
    counts,
    penaltyLeftMs: () => Math.max(0, penaltyUntil - Date.now()),
    clear: () => telegram.failBy(() => undefined),
  };
}

function choose(table: Table, drawn: number): Fault | undefined {
  let upTo = 0;
  return table.find(([share]) => {
    upTo += share;
    return drawn < upTo;
  })?.[1];
}
