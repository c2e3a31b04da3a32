import type { CallRecord } from "../fake-telegram/types.ts";
import { isSeen, readCall, type BotCall } from "./bot-call.ts";
import { differences, streamOf, streamOfCall, type Known } from "./match.ts";
import type { Expects } from "./script.ts";
import type { Stage } from "./stage.ts";

/** Holds the calls of the bot against what is expected. */
export interface Watch {
  expect(step: Expects): void;
  /** Waits for everything that is expected. */
  settle(): Promise<void>;
  /** Takes what has come; throws where something came that is not expected. */
  look(): void;
}

export function createWatch(stage: Stage, patienceMs: number): Watch {
  const { telegram } = stage.bench;
  const taken = new Set<CallRecord>();
  let open: readonly Expects[] = [];
  const optional: Expects[] = [];
  const known: Known = {
    texts: stage.texts,
    messageId: (name) => stage.names.get(name)?.messageId ?? Number.NaN,
  };

  function take(call: BotCall): void {
    const expected = open.find((one) => streamOf(one, known) === streamOfCall(call));
    const found =
      expected === undefined
        ? ["nothing of this kind is expected"]
        : differences(expected, call, known);
    if (expected !== undefined && found.length === 0) {
      open = open.filter((one) => one !== expected);
      const { messageId, chatId } = call;
      if (expected.name !== undefined && messageId !== null) {
        stage.names.set(expected.name, { messageId, chatId });
      }
      return;
    }
    if (optional.some((one) => differences(one, call, known).length === 0)) return;
    throw new Error(`${found.join("\n")}\nthe call: ${JSON.stringify(call)}`);
  }

  function look(): void {
    for (const record of telegram.calls) {
      if (taken.has(record) || !isSeen(record)) continue;
      taken.add(record);
      take(readCall(record));
    }
  }

  return {
    look,
    expect: (step) => {
      if (step.maybe === true) optional.push(step);
      else open = [...open, step];
    },
    async settle() {
      const deadline = Date.now() + patienceMs;
      for (look(); open.length > 0; look()) {
        await telegram
          .waitForCall((call) => isSeen(call) && !taken.has(call), deadline - Date.now())
          .catch(() => {
            throw new Error(`did not come: ${open.map((one) => JSON.stringify(one)).join("\n")}`);
          });
      }
    },
  };
}
