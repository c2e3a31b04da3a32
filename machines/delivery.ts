import { assign, fromPromise, setup } from "xstate";
import { max, min } from "./arithmetic.ts";
import type { Limits } from "./limits.ts";

/**
 * One chat's outgoing lane: one message part at a time, in order. A penalty
 * stops the whole chat; what may have been delivered already is sent again
 * and recorded as ambiguous, for a final answer must arrive.
 */

/** How one step of the lane ended; the store is up to date with it. */
export type DeliveryOutcome =
  /** A part was sent, or a row given up or set aside: look for more. */
  | { readonly outcome: "sent" }
  | { readonly outcome: "empty" }
  | { readonly outcome: "gated"; readonly retryAfterMs: number }
  | { readonly outcome: "retry"; readonly detail: string }
  | { readonly outcome: "ambiguous"; readonly detail: string }
  | { readonly outcome: "disabled"; readonly detail: string };

export interface DeliveryContext {
  readonly lane: string;
  readonly limits: Limits;
  readonly failures: number;
  readonly retryAfterMs: number;
  /** A row came in while a step was under way. */
  readonly more: boolean;
}

export type DeliveryEvent =
  /** The outbox has a new row for this lane. */
  { readonly type: "outbox.filled" } | { readonly type: "shutdown" };

export const deliveryMachine = setup({
  types: {
    context: {} as DeliveryContext,
    events: {} as DeliveryEvent,
    input: {} as { readonly lane: string; readonly limits: Limits },
  },
  actors: {
    /** Sends the next part of the lane's first row and stores how that ended. */
    sendNext: fromPromise<DeliveryOutcome, { readonly lane: string }>(() => {
      throw new Error('The delivery machine needs "sendNext": call machine.provide()');
    }),
  },
  actions: {
    reportDisabled: (_, _params: { lane: string; detail: string }) => {},
    noteMore: assign({ more: true }),
    noteStep: assign({ more: false }),
    noteSuccess: assign({ failures: 0 }),
    noteFailure: assign({ failures: ({ context }) => context.failures + 1 }),
    noteGate: assign((_, params: { retryAfterMs: number }) => params),
  },
  guards: {
    isSent: (_, params: DeliveryOutcome) => params.outcome === "sent",
    isEmpty: (_, params: DeliveryOutcome) => params.outcome === "empty",
    isGated: (_, params: DeliveryOutcome) => params.outcome === "gated",
    isAmbiguous: (_, params: DeliveryOutcome) => params.outcome === "ambiguous",
    isDisabled: (_, params: DeliveryOutcome) => params.outcome === "disabled",
    hasMore: ({ context }) => context.more,
  },
  delays: {
    gate: ({ context }) => context.retryAfterMs,
    backoff: ({ context }) => sendBackoff(context),
  },
}).createMachine({
  id: "delivery",
  options: { maxIterations: 1000 },
  context: ({ input }) => ({ ...input, failures: 0, retryAfterMs: 0, more: false }),
  initial: "sending",
  on: {
    "outbox.filled": { actions: "noteMore" },
    shutdown: { target: ".stopped" },
  },
  states: {
    sending: {
      entry: "noteStep",
      invoke: {
        id: "sendNext",
        src: "sendNext",
        input: ({ context }) => ({ lane: context.lane }),
        onDone: [
          {
            guard: { type: "isSent", params: ({ event }) => event.output },
            target: "sending",
            reenter: true,
            actions: "noteSuccess",
          },
          {
            guard: { type: "isEmpty", params: ({ event }) => event.output },
            target: "waiting",
          },
          {
            guard: { type: "isGated", params: ({ event }) => event.output },
            target: "gated",
            actions: {
              type: "noteGate",
              params: ({ event }) => ({ retryAfterMs: gateOf(event.output) }),
            },
          },
          {
            guard: { type: "isAmbiguous", params: ({ event }) => event.output },
            target: "ambiguous",
            actions: "noteFailure",
          },
          {
            guard: { type: "isDisabled", params: ({ event }) => event.output },
            target: "disabled",
            actions: {
              type: "reportDisabled",
              params: ({ context, event }) => ({
                lane: context.lane,
                detail: "detail" in event.output ? event.output.detail : "",
              }),
            },
          },
          { target: "backing-off", actions: "noteFailure" },
        ],
        onError: { target: "backing-off", actions: "noteFailure" },
      },
    },
    /** Nothing to send. */
    waiting: {
      always: { guard: "hasMore", target: "sending" },
    },
    /** The platform asked for silence in this chat. */
    gated: { after: { gate: { target: "sending" } } },
    "backing-off": { after: { backoff: { target: "sending" } } },
    /** The last part may have arrived: after a wait it is sent again. */
    ambiguous: { after: { backoff: { target: "sending" } } },
    /** Nothing can be sent to this chat, until somebody writes from it again. */
    disabled: {
      always: { guard: "hasMore", target: "sending" },
      on: { "outbox.filled": { target: "sending" } },
    },
    stopped: { type: "final" },
  },
});

/** Doubles from `sendBackoffMinMs` to `sendBackoffMaxMs`. */
export function sendBackoff({ failures, limits }: DeliveryContext): number {
  const { sendBackoffMinMs, sendBackoffMaxMs } = limits;
  return min(sendBackoffMaxMs, sendBackoffMinMs * 2 ** min(failures - 1, 20));
}

function gateOf(outcome: DeliveryOutcome): number {
  return outcome.outcome === "gated" ? max(1, outcome.retryAfterMs) : 1;
}
