import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createActor, fromPromise, SimulatedClock, type InspectionEvent } from "xstate";
import { DEFAULT_LIMITS } from "../../../machines/limits.ts";
import { pollerMachine, type PollOutcome } from "../../../machines/poller.ts";
import { chartOf } from "../../../src/inspector/chart/chart-of.ts";
import { transitionId } from "../../../src/inspector/chart/read-chart.ts";

/** A poller as the service runs it, with other polls provided, and the transitions that it takes. */
function createPoller(outcomes: readonly PollOutcome[]) {
  const clock = new SimulatedClock();
  const taken: string[] = [];
  const left = [...outcomes];
  const poll = fromPromise<PollOutcome>(() => {
    const next = left.shift();
    return next === undefined ? new Promise(() => {}) : Promise.resolve(next);
  });
  const inspect = (event: InspectionEvent) => {
    if (event.type !== "@xstate.microstep") return;
    for (const definition of event._transitions) taken.push(transitionId(definition));
  };
  const machine = pollerMachine.provide({ actors: { poll } });
  const actor = createActor(machine, { clock, input: { limits: DEFAULT_LIMITS }, inspect });
  actor.start();
  onTestFinished(() => void actor.stop());
  return { clock, taken, actor };
}

describe("a step that is inspected", () => {
  it("is found in the chart by its transition's id, with other actors provided", async () => {
    const conflict: PollOutcome = { outcome: "conflict", detail: "409" };
    const { clock, taken, actor } = createPoller([{ outcome: "received" }, conflict]);
    await setImmediate();
    clock.increment(DEFAULT_LIMITS.pollBackoffMinMs);
    actor.send({ type: "shutdown" });
    const { transitions } = chartOf("poller");
    const words = taken.map((id) => {
      const found = transitions.find((one) => one.id === id);
      return [found?.event.words, found?.targets];
    });
    expect(words).toEqual([
      ["poll is done", ["poller.polling"]],
      ["poll is done", ["poller.conflicted"]],
      ["after backoff (pollBackoffMinMs, pollBackoffMaxMs)", ["poller.polling"]],
      ["shutdown", ["poller.stopped"]],
    ]);
  });
});
