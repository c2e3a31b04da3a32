import { setTimeout as sleep } from "node:timers/promises";
import { accepted, readInteger, refused } from "./answer.ts";
import type { Answer, Params, Refusal } from "./answer.ts";
import { createUpdateStore } from "./update-store.ts";
import type { UpdateStore } from "./update-store.ts";

/** LONG_POLL_MAX_TIMEOUT of the official server. */
const MAX_TIMEOUT_S = 50;
/** An open poll is answered this much later, so that a burst comes as one batch. */
const BATCH_MS = 2;
/** One conflict is answered at once, further ones within this time after this time (`fail_query_conflict`). */
const CONFLICT_PAUSE_MS = 3_000;
/** Time for the end of an aborted poll's connection to be noticed. */
const SETTLE_MS = 20;

const CONFLICTS = {
  poller:
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
  webhook:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
} as const;

export type ConflictCause = keyof typeof CONFLICTS;

/** The updates that wait for the bot, and the poll that waits for updates. */
export interface UpdateQueue extends Omit<UpdateStore, "allow" | "note" | "take"> {
  /** `client` tells one poller from another; `signal` ends with the connection. */
  poll(params: Params, client: string, signal: AbortSignal): Promise<Answer>;
  conflictNext(times: number, cause: ConflictCause): void;
  openPolls(): number;
}

interface PollRequest {
  readonly offset: number;
  readonly limit: number;
  readonly timeout: number;
}

interface OpenPoll {
  readonly client: string;
  readonly request: PollRequest;
  end(answer: Answer, afterMs?: number): void;
}

export function createUpdateQueue(now: () => number, violate: (what: string) => void): UpdateQueue {
  const store = createUpdateStore(now, violate, () => void setTimeout(wake, BATCH_MS));
  const conflicts: ConflictCause[] = [];
  const readRequest = createRequestReader(now, violate);
  let open: OpenPoll | null = null;
  let conflictAt = Number.NEGATIVE_INFINITY;

  function wake(): void {
    const poll = open;
    if (poll === null) return;
    const ready = store.take(poll.request.offset, poll.request.limit);
    if (ready.length > 0) poll.end(accepted(ready));
  }

  /** The newer poll wins: the older one ends with the conflict. */
  async function takeOver(client: string): Promise<void> {
    if (open === null) return;
    await sleep(SETTLE_MS);
    if (open === null) return;
    if (open.client === client) {
      violate("getUpdates while a getUpdates of the same client is open");
    }
    const pause = now() < conflictAt + CONFLICT_PAUSE_MS ? CONFLICT_PAUSE_MS : 0;
    if (pause === 0) conflictAt = now();
    open.end(refused(409, CONFLICTS.poller), pause);
  }

  function wait(request: PollRequest, client: string, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve) => {
      const end = (answer: Answer, afterMs = 0): void => {
        clearTimeout(timer);
        if (open === poll) open = null;
        if (afterMs > 0) {
          timer = setTimeout(() => end(answer), afterMs);
          return;
        }
        signal.removeEventListener("abort", leave);
        resolve(answer);
      };
      const leave = (): void => end(accepted([]));
      let timer = setTimeout(leave, request.timeout * 1_000);
      const poll: OpenPoll = { client, request, end };
      open = poll;
      signal.addEventListener("abort", leave);
      if (signal.aborted) leave();
    });
  }

  async function poll(params: Params, client: string, signal: AbortSignal): Promise<Answer> {
    const conflict = conflicts.shift();
    if (conflict !== undefined) return refused(409, CONFLICTS[conflict]);
    const request = readRequest(params);
    const kinds = readKinds(params["allowed_updates"]);
    if (kinds !== undefined && "ok" in kinds) return kinds;
    if (kinds !== undefined) store.allow(kinds);
    store.note(request.offset);
    const ready = store.take(request.offset, request.limit);
    if (ready.length > 0 || request.timeout === 0) return accepted(ready);
    await takeOver(client);
    // Something may have come while the older poll was ended.
    const late = store.take(request.offset, request.limit);
    return late.length > 0 ? accepted(late) : wait(request, client, signal);
  }

  return {
    ...store,
    poll,
    conflictNext: (times, cause) => {
      for (let count = 0; count < times; count += 1) conflicts.push(cause);
    },
    openPolls: () => (open === null ? 0 : 1),
  };
}

/** The official server slows a bot down that asks the same again and again. */
function createRequestReader(now: () => number, violate: (what: string) => void) {
  let previous = { offset: Number.NaN, at: Number.NEGATIVE_INFINITY };
  return (params: Params): PollRequest => {
    const offset = readInteger(params["offset"]) ?? 0;
    let limit = clamp(readInteger(params["limit"]) ?? 100, 1, 100);
    const given = params["timeout"];
    let timeout = clamp(readInteger(given) ?? 0, 0, MAX_TIMEOUT_S);
    if (given !== undefined && readInteger(given) === null) {
      violate(`getUpdates with timeout ${JSON.stringify(given)}: not whole seconds, read as 0`);
    }
    if (offset === previous.offset && now() < previous.at + 3_000) {
      timeout = Math.max(timeout, 3);
      if (now() < previous.at + 500) limit = 1;
    }
    previous = { offset, at: now() };
    return { offset, limit, timeout };
  };
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value));
}

function readKinds(value: unknown): ReadonlySet<string> | Refusal | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((kind) => typeof kind === "string")) {
    return refused(400, "Bad Request: allowed_updates must be an Array of String");
  }
  return new Set(value);
}
