import { assign, fromPromise, setup } from "xstate";
import { max, min } from "./arithmetic.ts";
import type { Limits } from "./limits.ts";

/**
 * Getting updates: one long poll after another, each confirmed to the platform
 * only after it is stored. Network trouble and another poller are waited out
 * for ever; only bad credentials end it.
 */

/** How one poll, its storing included, ended. */
export type PollOutcome =
  | { readonly outcome: "received" }
  | { readonly outcome: "failed"; readonly detail: string; readonly retryAfterMs: number | null }
  | { readonly outcome: "conflict"; readonly detail: string }
  | { readonly outcome: "fatal"; readonly detail: string };

export interface PollerContext {
  readonly limits: Limits;
  /** Failed polls in a row. */
  readonly failures: number;
  readonly retryAfterMs: number | null;
  readonly detail: string;
  /** The last poll ended in a conflict. */
  readonly conflicted: boolean;
}

type FailureNote = Pick<PollerContext, "detail" | "retryAfterMs" | "conflicted">;

export const pollerMachine = setup({
  types: {
    context: {} as PollerContext,
    events: {} as { readonly type: "shutdown" },
    input: {} as { readonly limits: Limits },
  },
  actors: {
    /** Polls once and stores what came with the new offset in one transaction. */
    poll: fromPromise<PollOutcome>(() => {
      throw new Error('The poller machine needs "poll": call machine.provide()');
    }),
  },
  actions: {
    /** Said once when it begins, not at every retry. */
    reportConflict: (_, _params: { detail: string }) => {},
    reportRecovered: () => {},
    reportFailure: (_, _params: { detail: string; failures: number }) => {},
    reportStopped: (_, _params: { detail: string }) => {},
    noteSuccess: assign({ failures: 0, retryAfterMs: null, detail: "", conflicted: false }),
    noteFailure: assign(({ context }, params: FailureNote) => ({
      failures: context.failures + 1,
      ...params,
    })),
  },
  guards: {
    isReceived: (_, params: PollOutcome) => params.outcome === "received",
    isConflict: (_, params: PollOutcome) => params.outcome === "conflict",
    isFatal: (_, params: PollOutcome) => params.outcome === "fatal",
  },
  delays: {
    backoff: ({ context }) => pollBackoff(context),
  },
}).createMachine({
  id: "poller",
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    ...input,
    failures: 0,
    retryAfterMs: null,
    detail: "",
    conflicted: false,
  }),
  initial: "polling",
  on: { shutdown: { target: ".stopped" } },
  states: {
    polling: {
      invoke: {
        id: "poll",
        src: "poll",
        onDone: [
          {
            guard: { type: "isReceived", params: ({ event }) => event.output },
            target: "polling",
            reenter: true,
            actions: ["reportRecovered", "noteSuccess"],
          },
          {
            guard: { type: "isConflict", params: ({ event }) => event.output },
            target: "conflicted",
            actions: [
              {
                type: "reportConflict",
                params: ({ event }) => ({ detail: detailOf(event.output) }),
              },
              { type: "noteFailure", params: ({ event }) => failureOf(event.output) },
            ],
          },
          {
            guard: { type: "isFatal", params: ({ event }) => event.output },
            target: "stopped",
            actions: {
              type: "reportStopped",
              params: ({ event }) => ({ detail: detailOf(event.output) }),
            },
          },
          {
            target: "backing-off",
            actions: [
              { type: "noteFailure", params: ({ event }) => failureOf(event.output) },
              {
                type: "reportFailure",
                params: ({ context, event }) => ({
                  detail: detailOf(event.output),
                  failures: context.failures,
                }),
              },
            ],
          },
        ],
        onError: {
          target: "backing-off",
          actions: [
            {
              type: "noteFailure",
              params: ({ event }) => ({
                detail: String(event.error),
                retryAfterMs: null,
                conflicted: false,
              }),
            },
            {
              type: "reportFailure",
              params: ({ context, event }) => ({
                detail: String(event.error),
                failures: context.failures,
              }),
            },
          ],
        },
      },
    },
    "backing-off": { after: { backoff: { target: "polling" } } },
    /** Somebody else polls with the same token, or a webhook is set: tried again for ever. */
    conflicted: { after: { backoff: { target: "polling" } } },
    stopped: { type: "final" },
  },
});

/** Doubles from `pollBackoffMinMs` to `pollBackoffMaxMs`; the platform's own wish outranks it. */
export function pollBackoff(context: PollerContext): number {
  const { pollBackoffMinMs, pollBackoffMaxMs } = context.limits;
  if (context.retryAfterMs !== null) return context.retryAfterMs;
  const doubled = pollBackoffMinMs * 2 ** min(context.failures - 1, 20);
  return min(pollBackoffMaxMs, max(pollBackoffMinMs, doubled));
}

function detailOf(outcome: PollOutcome): string {
  return "detail" in outcome ? outcome.detail : "";
}

function failureOf(outcome: PollOutcome) {
  return {
    detail: detailOf(outcome),
    retryAfterMs: "retryAfterMs" in outcome ? outcome.retryAfterMs : null,
    conflicted: outcome.outcome === "conflict",
  };
}
