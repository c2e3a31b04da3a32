import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createActor, fromPromise, SimulatedClock } from "xstate";
import { deliveryMachine, type DeliveryOutcome } from "../../machines/delivery.ts";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";

/** A lane whose steps end when the test says so. */
function createLane() {
  const clock = new SimulatedClock();
  const disabled: object[] = [];
  const steps: { resolve(outcome: DeliveryOutcome): void; reject(error: Error): void }[] = [];
  const lanes: string[] = [];
  const actor = createActor(
    deliveryMachine.provide({
      actors: {
        sendNext: fromPromise<DeliveryOutcome, { readonly lane: string }>(({ input }) => {
          lanes.push(input.lane);
          return new Promise((resolve, reject) => steps.push({ resolve, reject }));
        }),
      },
      actions: { reportDisabled: (_, fields) => void disabled.push(fields) },
    }),
    { clock, input: { lane: "telegram/1", limits: DEFAULT_LIMITS } },
  );
  actor.start();
  onTestFinished(() => void actor.stop());
  const last = () => {
    const step = steps.at(-1);
    if (step === undefined) throw new Error("Nothing is being sent");
    return step;
  };
  return {
    clock,
    disabled,
    lanes,
    state: () => actor.getSnapshot().value,
    steps: () => steps.length,
    fill: () => actor.send({ type: "outbox.filled" }),
    shutdown: () => actor.send({ type: "shutdown" }),
    async ends(outcome: DeliveryOutcome) {
      last().resolve(outcome);
      await setImmediate();
    },
    async throws(message: string) {
      last().reject(new Error(message));
      await setImmediate();
    },
  };
}

const SENT: DeliveryOutcome = { outcome: "sent" };
const EMPTY: DeliveryOutcome = { outcome: "empty" };
const RETRY: DeliveryOutcome = { outcome: "retry", detail: "502" };
const AMBIGUOUS: DeliveryOutcome = { outcome: "ambiguous", detail: "no acknowledgement" };
const DISABLED: DeliveryOutcome = { outcome: "disabled", detail: "403: blocked" };

describe("a lane", () => {
  it("sends one part after the other until there is none, then waits", async () => {
    const lane = createLane();
    expect(lane.state()).toBe("sending");
    await lane.ends(SENT);
    await lane.ends(SENT);
    expect([lane.state(), lane.steps()]).toEqual(["sending", 3]);
    await lane.ends(EMPTY);
    expect([lane.state(), lane.steps()]).toEqual(["waiting", 3]);
    expect(new Set(lane.lanes)).toEqual(new Set(["telegram/1"]));
  });

  it("wakes up for a new row", async () => {
    const lane = createLane();
    await lane.ends(EMPTY);
    lane.fill();
    expect([lane.state(), lane.steps()]).toEqual(["sending", 2]);
  });

  it("looks again for a row that came while it found none", async () => {
    const lane = createLane();
    lane.fill();
    await lane.ends(EMPTY);
    expect([lane.state(), lane.steps()]).toEqual(["sending", 2]);
    await lane.ends(EMPTY);
    expect(lane.state()).toBe("waiting");
  });

  it.each(["an outcome", "an exception"])("tries again after a wait after %s", async (how) => {
    const lane = createLane();
    await (how === "an exception" ? lane.throws("disk") : lane.ends(RETRY));
    expect(lane.state()).toBe("backing-off");
    lane.clock.increment(DEFAULT_LIMITS.sendBackoffMinMs - 1);
    expect(lane.steps()).toBe(1);
    lane.clock.increment(1);
    expect([lane.state(), lane.steps()]).toEqual(["sending", 2]);
  });

  it("waits twice as long after each failure, up to a bound, and briefly again after a success", async () => {
    const lane = createLane();
    const waits: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      await lane.ends(nth % 2 === 0 ? RETRY : AMBIGUOUS);
      const before = lane.clock.now();
      while (lane.state() !== "sending") lane.clock.increment(500);
      waits.push(lane.clock.now() - before);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
    await lane.ends(SENT);
    await lane.ends(RETRY);
    lane.clock.increment(DEFAULT_LIMITS.sendBackoffMinMs);
    expect(lane.state()).toBe("sending");
  });

  it("sends again, after a wait, what may have arrived", async () => {
    const lane = createLane();
    await lane.ends(AMBIGUOUS);
    expect(lane.state()).toBe("ambiguous");
    lane.clock.increment(DEFAULT_LIMITS.sendBackoffMinMs);
    expect([lane.state(), lane.steps()]).toEqual(["sending", 2]);
  });

  it("is silent for exactly as long as the platform asks, new rows or not", async () => {
    const lane = createLane();
    await lane.ends({ outcome: "gated", retryAfterMs: 35_000 });
    lane.fill();
    lane.clock.increment(34_999);
    expect([lane.state(), lane.steps()]).toEqual(["gated", 1]);
    lane.clock.increment(1);
    expect([lane.state(), lane.steps()]).toEqual(["sending", 2]);
  });

  it("does not spin where the platform asks for no time at all", async () => {
    const lane = createLane();
    await lane.ends({ outcome: "gated", retryAfterMs: 0 });
    expect(lane.state()).toBe("gated");
    lane.clock.increment(1);
    expect(lane.state()).toBe("sending");
  });

  it.each([RETRY, AMBIGUOUS])(
    "lets no new row cut the wait after $outcome short",
    async (outcome) => {
      const lane = createLane();
      await lane.ends(outcome);
      lane.fill();
      expect(lane.steps()).toBe(1);
    },
  );

  it("is disabled until it is filled again, which it says once", async () => {
    const lane = createLane();
    await lane.ends(DISABLED);
    lane.clock.increment(100 * DEFAULT_LIMITS.sendBackoffMaxMs);
    expect([lane.state(), lane.steps()]).toEqual(["disabled", 1]);
    expect(lane.disabled).toEqual([{ lane: "telegram/1", detail: "403: blocked" }]);
    lane.fill();
    expect([lane.state(), lane.steps()]).toEqual(["sending", 2]);
  });
});

describe("a shutdown of a lane", () => {
  const gated: DeliveryOutcome = { outcome: "gated", retryAfterMs: 5_000 };

  it.each([EMPTY, RETRY, AMBIGUOUS, DISABLED, gated])(
    "stops it after $outcome",
    async (outcome) => {
      const lane = createLane();
      await lane.ends(outcome);
      lane.shutdown();
      expect(lane.state()).toBe("stopped");
      lane.clock.increment(DEFAULT_LIMITS.sendBackoffMaxMs);
      expect(lane.steps()).toBe(1);
    },
  );

  it("stops it while a part is on its way", async () => {
    const lane = createLane();
    lane.shutdown();
    expect(lane.state()).toBe("stopped");
    await lane.ends(SENT);
    expect(lane.steps()).toBe(1);
  });
});
