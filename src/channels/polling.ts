import { createActor, fromPromise } from "xstate";
import type { Limits } from "../../machines/limits.ts";
import { pollBackoff, pollerMachine, type PollOutcome } from "../../machines/poller.ts";
import type { Logger } from "../log.ts";
import type { Channel, Clock, Intake } from "../ports.ts";
import { withJitter } from "./jitter.ts";

/** Failed polls between two warnings: with the longest waits about ten minutes. */
const SAID_EVERY = 10;

export interface PollingOptions {
  readonly channel: Channel;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Logger;
  offset(): number | null;
  /** Stores what came with the new offset, durably, before the next poll confirms it. */
  store(intakes: readonly Intake[], nextOffset: number | null): void;
  /** Polling has ended for good, for a reason the operator must mend. */
  stopped(detail: string): void;
  failed(error: unknown): void;
}

export interface Polling {
  stop(): Promise<void>;
}

/** Polls a channel until it is stopped. */
export function startPolling(options: PollingOptions): Polling {
  const { channel, log, clock, limits } = options;
  let polling: Promise<unknown> = Promise.resolve();

  const machine = pollerMachine.provide({
    delays: { backoff: ({ context }) => withJitter(pollBackoff(context)) },
    actors: {
      poll: fromPromise<PollOutcome>(({ signal }) => {
        const step = poll(options, signal);
        polling = step.catch(() => {});
        return step;
      }),
    },
    actions: {
      reportConflict: ({ context }, { detail }) => {
        if (!context.conflicted) log.error({ detail }, "poller.conflicted");
        else log.debug({ detail }, "poller.conflicted");
      },
      reportFailure: (_, fields) => {
        // A full disk or a lost network lasts: it is said again, and not at every try.
        if (fields.failures % SAID_EVERY === 1) log.warn(fields, "poller.failed");
        else log.debug(fields, "poller.failed");
      },
      reportRecovered: ({ context }) => {
        if (context.failures > 0) log.info({ failures: context.failures }, "poller.recovered");
      },
      reportStopped: (_, { detail }) => {
        log.error({ channel: channel.name, detail }, "poller.stopped");
        options.stopped(detail);
      },
    },
  });
  const actor = createActor(machine, { id: "poller", input: { limits }, clock });
  actor.subscribe({ error: options.failed });
  actor.start();
  return {
    async stop() {
      if (actor.getSnapshot().status === "active") actor.send({ type: "shutdown" });
      actor.stop();
      await polling;
    },
  };
}

async function poll(options: PollingOptions, signal: AbortSignal): Promise<PollOutcome> {
  const { channel } = options;
  if (channel.poll === undefined) return { outcome: "fatal", detail: "this channel is not polled" };
  const result = await channel.poll(options.offset(), signal);
  if (result.outcome !== "received") return result;
  // A shutdown in between: nothing is stored, nothing was confirmed, it comes again.
  signal.throwIfAborted();
  options.store(result.intakes, result.nextOffset);
  return { outcome: "received" };
}
