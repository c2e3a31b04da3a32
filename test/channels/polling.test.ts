import { setImmediate } from "node:timers/promises";
import { SimulatedClock } from "xstate";
import { describe, expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { startPolling } from "../../src/channels/polling.ts";
import type { Channel, Intake } from "../../src/ports.ts";
import { memoryLog } from "../support/memory-log.ts";

const channel: Channel = {
  name: "test",
  poll: () => Promise.resolve({ outcome: "received", intakes: [], nextOffset: 5 }),
  render: () => [],
  send: () => Promise.resolve({ outcome: "sent", platformMessageId: "1" }),
};

async function polls(times: number, store: (intakes: readonly Intake[]) => void) {
  const clock = new SimulatedClock();
  const { log, records } = memoryLog();
  const polling = startPolling({
    channel,
    limits: DEFAULT_LIMITS,
    clock: {
      now: () => clock.now(),
      setTimeout: clock.setTimeout.bind(clock),
      clearTimeout: clock.clearTimeout.bind(clock),
    },
    log,
    offset: () => null,
    store,
    stopped: () => {},
    failed: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => polling.stop());
  for (let poll = 0; poll < times; poll += 1) {
    await setImmediate();
    clock.increment(2 * DEFAULT_LIMITS.pollBackoffMaxMs);
  }
  return records;
}

describe("a poll whose messages cannot be stored", () => {
  it("is tried again, and said again after ten failures and not at each", async () => {
    let tries = 0;
    const records = await polls(21, () => {
      tries += 1;
      throw new Error("database or disk is full");
    });
    expect(tries).toBeGreaterThanOrEqual(20);
    const said = records.filter((one) => one.level === "warn" && one.message === "poller.failed");
    expect(said.map((one) => one.fields["failures"])).toEqual([1, 11, 21].slice(0, said.length));
    expect(said.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(said[0])).toContain("disk is full");
  });
});
