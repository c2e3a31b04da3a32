import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createActor, fromPromise, SimulatedClock } from "xstate";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { pollBackoff, pollerMachine, type PollOutcome } from "../../machines/poller.ts";

/** A poller whose polls end when the test says so. */
function createPoller() {
  const clock = new SimulatedClock();
  const reports: [string, object?][] = [];
  const polls: { resolve(outcome: PollOutcome): void; reject(error: Error): void }[] = [];
  const signals: AbortSignal[] = [];
  const actor = createActor(
    pollerMachine.provide({
      actors: {
        poll: fromPromise<PollOutcome>(({ signal }) => {
          signals.push(signal);
          return new Promise((resolve, reject) => polls.push({ resolve, reject }));
        }),
      },
      actions: {
        reportConflict: (_, fields) => void reports.push(["conflict", fields]),
        reportRecovered: () => void reports.push(["recovered"]),
        reportFailure: (_, fields) => void reports.push(["failure", fields]),
        reportStopped: (_, fields) => void reports.push(["stopped", fields]),
      },
    }),
    { clock, input: { limits: DEFAULT_LIMITS } },
  );
  actor.start();
  onTestFinished(() => void actor.stop());
  const last = () => {
    const poll = polls.at(-1);
    if (poll === undefined) throw new Error("Nothing is polled");
    return poll;
  };
  return {
    clock,
    reports,
    signals,
    state: () => actor.getSnapshot().value,
    polls: () => polls.length,
    shutdown: () => actor.send({ type: "shutdown" }),
    async ends(outcome: PollOutcome) {
      last().resolve(outcome);
      await setImmediate();
    },
    async throws(message: string) {
      last().reject(new Error(message));
      await setImmediate();
    },
  };
}

const failed = (retryAfterMs: number | null = null): PollOutcome => ({
  outcome: "failed",
  detail: "ECONNRESET",
  retryAfterMs,
});
const CONFLICT: PollOutcome = { outcome: "conflict", detail: "409" };

describe("polling", () => {
  it("goes on at once after what came, one poll at a time", async () => {
    const poller = createPoller();
    expect(poller.polls()).toBe(1);
    await poller.ends({ outcome: "received" });
    await poller.ends({ outcome: "received" });
    expect(poller.polls()).toBe(3);
    expect(poller.state()).toBe("polling");
  });

  it.each(["a failed outcome", "an exception"])(
    "is tried again after a wait after %s",
    async (how) => {
      const poller = createPoller();
      await (how === "an exception" ? poller.throws("ECONNRESET") : poller.ends(failed()));
      expect(poller.state()).toBe("backing-off");
      poller.clock.increment(DEFAULT_LIMITS.pollBackoffMinMs - 1);
      expect(poller.polls()).toBe(1);
      poller.clock.increment(1);
      expect(poller.state()).toBe("polling");
      expect(poller.polls()).toBe(2);
    },
  );

  it("waits twice as long after each failure, up to a bound, and briefly again after a success", async () => {
    const poller = createPoller();
    const waits: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      await poller.ends(failed());
      const before = poller.clock.now();
      while (poller.state() !== "polling") poller.clock.increment(500);
      waits.push(poller.clock.now() - before);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
    await poller.ends({ outcome: "received" });
    await poller.ends(failed());
    poller.clock.increment(DEFAULT_LIMITS.pollBackoffMinMs);
    expect(poller.state()).toBe("polling");
  });

  it("waits as long as the platform asks, and only that once", async () => {
    const poller = createPoller();
    await poller.ends(failed(90_000));
    poller.clock.increment(89_999);
    expect(poller.state()).toBe("backing-off");
    poller.clock.increment(1);
    await poller.ends(failed());
    poller.clock.increment(2 * DEFAULT_LIMITS.pollBackoffMinMs);
    expect(poller.state()).toBe("polling");
  });

  it("is never given up while somebody else polls", async () => {
    const poller = createPoller();
    for (let nth = 0; nth < 50; nth += 1) {
      await poller.ends(CONFLICT);
      expect(poller.state()).toBe("conflicted");
      poller.clock.increment(DEFAULT_LIMITS.pollBackoffMaxMs);
    }
    expect(poller.polls()).toBe(51);
    await poller.ends({ outcome: "received" });
    expect(poller.state()).toBe("polling");
  });

  it("stops for good when the credentials are refused, and says why", async () => {
    const poller = createPoller();
    await poller.ends({ outcome: "fatal", detail: "401: Unauthorized" });
    expect(poller.state()).toBe("stopped");
    poller.clock.increment(10 * DEFAULT_LIMITS.pollBackoffMaxMs);
    expect(poller.polls()).toBe(1);
    expect(poller.reports).toEqual([["stopped", { detail: "401: Unauthorized" }]]);
  });

  it("reports each failure with its number in the row, a conflict, and the recovery", async () => {
    const poller = createPoller();
    for (const outcome of [failed(), failed(), CONFLICT, { outcome: "received" } as const]) {
      await poller.ends(outcome);
      poller.clock.increment(DEFAULT_LIMITS.pollBackoffMaxMs);
    }
    expect(poller.reports).toEqual([
      ["failure", { detail: "ECONNRESET", failures: 1 }],
      ["failure", { detail: "ECONNRESET", failures: 2 }],
      ["conflict", { detail: "409" }],
      ["recovered"],
    ]);
  });
});

describe("a shutdown of the poller", () => {
  it("aborts the poll that is open, and drops its answer", async () => {
    const poller = createPoller();
    poller.shutdown();
    expect(poller.state()).toBe("stopped");
    expect(poller.signals[0]?.aborted).toBe(true);
    await poller.ends({ outcome: "received" });
    expect([poller.polls(), poller.reports]).toEqual([1, []]);
  });

  it.each([failed(), CONFLICT])("ends the wait after $outcome", async (outcome) => {
    const poller = createPoller();
    await poller.ends(outcome);
    poller.shutdown();
    expect(poller.state()).toBe("stopped");
    poller.clock.increment(DEFAULT_LIMITS.pollBackoffMaxMs);
    expect(poller.polls()).toBe(1);
  });
});

describe("the wait after a failed poll", () => {
  it("stays within its bounds however often it has failed", () => {
    const { pollBackoffMinMs, pollBackoffMaxMs } = DEFAULT_LIMITS;
    fc.assert(
      fc.property(fc.nat(100_000), (failures) => {
        const wait = pollBackoff({
          limits: DEFAULT_LIMITS,
          failures,
          retryAfterMs: null,
          detail: "",
          conflicted: false,
        });
        expect(wait).toBeGreaterThanOrEqual(pollBackoffMinMs);
        expect(wait).toBeLessThanOrEqual(pollBackoffMaxMs);
      }),
    );
  });
});
