import { createActor, fromPromise, type Actor } from "xstate";
import { deliveryMachine, sendBackoff, type DeliveryOutcome } from "../../machines/delivery.ts";
import type { Limits } from "../../machines/limits.ts";
import type { Logger } from "../log.ts";
import { noticeDraft } from "../sessions/ledger.ts";
import type { AnswerWords } from "../words/words.ts";
import { withJitter } from "./jitter.ts";
import type { Channel, Clock, OutboxRow, OutgoingDraft, SendResult, Store } from "../ports.ts";

export interface LanesOptions {
  readonly store: Store;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly words: { readonly answers: AnswerWords };
  /** By name, as in `Address.channel`. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** The platform says that a chat lives on under another id; its rows are sent once they have moved. */
  chatMoved(channel: string, fromChatId: string, toChatId: string): void;
  failed(error: unknown): void;
}

/** One actor for each chat that has something to send. */
export interface Lanes {
  filled(lane: string): void;
  /** Stops after what is being sent now, or at the bound. */
  shutdown(boundMs: number): Promise<void>;
}

export function createLanes(options: LanesOptions): Lanes {
  const { limits, clock, log } = options;
  const lanes = new Map<string, Actor<typeof deliveryMachine>>();
  const sending = new Set<Promise<unknown>>();
  let open = true;

  const machine = deliveryMachine.provide({
    delays: { backoff: ({ context }) => withJitter(sendBackoff(context)) },
    actors: {
      sendNext: fromPromise<DeliveryOutcome, { readonly lane: string }>(({ input }) => {
        const step = sendNext(options, input.lane);
        sending.add(step);
        return step.finally(() => sending.delete(step));
      }),
    },
    actions: {
      reportDisabled: (_, fields) => log.warn(fields, "lane.disabled"),
    },
  });

  function filled(lane: string): void {
    if (!open) return;
    const known = lanes.get(lane);
    if (known !== undefined && known.getSnapshot().status === "active") {
      known.send({ type: "outbox.filled" });
      return;
    }
    const actor = createActor(machine, { id: lane, input: { lane, limits }, clock });
    lanes.set(lane, actor);
    actor.subscribe({ error: options.failed });
    actor.start();
  }

  return {
    filled,
    async shutdown(boundMs) {
      const deadline = clock.now() + boundMs;
      await Promise.race([drained(options, sending), until(clock, deadline)]);
      open = false;
      for (const actor of lanes.values()) actor.send({ type: "shutdown" });
      await Promise.race([Promise.allSettled(sending), until(clock, deadline + 1_000)]);
      for (const actor of lanes.values()) actor.stop();
    },
  };
}

/** What a shutdown wrote should still reach the chat, where nothing stands in its way. */
async function drained({ store, clock }: LanesOptions, sending: ReadonlySet<unknown>) {
  while (sending.size > 0 && store.pendingLanes().length > 0) {
    await until(clock, clock.now() + 20);
  }
}

function until(clock: Clock, at: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(() => resolve(), Math.max(0, at - clock.now()));
  });
}

async function sendNext(options: LanesOptions, lane: string): Promise<DeliveryOutcome> {
  const { store, channels, log } = options;
  const row = store.nextOutgoing(lane);
  if (row === null) return { outcome: "empty" };
  const channel = channels.get(row.address.channel);
  if (channel === undefined)
    return { outcome: "disabled", detail: "this channel is not configured" };
  if (row.edits && row.editOf === undefined) {
    store.markDropped(row.id, "what it changes never arrived");
    return { outcome: "sent" };
  }
  const parts = channel.render(row);
  // An earlier version may have cut the row into more parts: the last holds what is missing.
  const part = parts[row.partsSent] ?? (row.partsSent > 0 ? parts.at(-1) : undefined);
  if (part === undefined) {
    store.markDropped(row.id, "nothing to send");
    return { outcome: "sent" };
  }
  if (row.uncertain) log.warn({ lane, row: row.id, part: row.partsSent }, "send.ambiguousRepeat");
  store.markSending(row.id);
  const result = await channel.send(row, part);
  return settle(options, row, result, row.partsSent + 1 >= parts.length);
}

function settle(
  { store, log, words: { answers }, chatMoved }: LanesOptions,
  row: OutboxRow,
  result: SendResult,
  last: boolean,
): DeliveryOutcome {
  const fields = { lane: `${row.address.channel}/${row.address.chatId}`, row: row.id };
  switch (result.outcome) {
    case "sent":
      store.markPartSent(row.id, result.platformMessageId, last);
      return { outcome: "sent" };
    case "gated":
      store.markUnsent(row.id);
      log.warn({ ...fields, retry_after_ms: result.retryAfterMs }, "send.gated");
      return { outcome: "gated", retryAfterMs: result.retryAfterMs };
    case "retry":
      store.markUnsent(row.id);
      log.warn({ ...fields, detail: result.detail }, "send.retry");
      return { outcome: "retry", detail: result.detail };
    case "ambiguous":
      log.warn({ ...fields, detail: result.detail }, "send.ambiguous");
      return { outcome: "ambiguous", detail: result.detail };
    case "disabled":
      store.markUnsent(row.id);
      return { outcome: "disabled", detail: result.detail };
    case "topicClosed":
      store.markParked(row.id, result.detail, noticeDraft(answers.topicClosed, null));
      log.warn({ ...fields, topic: row.address.topicId, detail: result.detail }, "send.parked");
      return { outcome: "sent" };
    case "refused":
      store.markDropped(row.id, result.detail, refusalNotice(answers, row, result.detail));
      log.error({ ...fields, detail: result.detail }, "send.refused");
      return { outcome: "sent" };
    case "dropped":
      store.markDropped(row.id, result.detail);
      log.error({ ...fields, detail: result.detail }, "send.dropped");
      return { outcome: "sent" };
    case "moved": {
      store.markUnsent(row.id);
      chatMoved(row.address.channel, row.address.chatId, result.chatId);
      return { outcome: "empty" };
    }
  }
}

/** By its `dedupe` a notice of this kind is known: one that is refused itself brings no other. */
const REFUSAL = "refused:";

function refusalNotice(
  words: AnswerWords,
  row: OutboxRow,
  detail: string,
): OutgoingDraft | undefined {
  if (row.dedupe?.startsWith(REFUSAL) === true) return undefined;
  const notice = noticeDraft(words.refusedByPlatform(detail), row.replyTo);
  return { ...notice, dedupe: `${REFUSAL}${row.id}` };
}
