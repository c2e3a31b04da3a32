import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, limitEnvName, LIMITS, TIMER_MAX_MS } from "../../machines/limits.ts";

const all = Object.entries(LIMITS);

describe("the limits", () => {
  it.each(all)("%s has a default between its bounds and a reason", (name, spec) => {
    expect(spec.default).toBeGreaterThanOrEqual(spec.min);
    expect(spec.default).toBeLessThanOrEqual(spec.max);
    expect(Number.isInteger(spec.default)).toBe(true);
    expect(spec.why.length).toBeGreaterThan(10);
    expect(LIMITS).toHaveProperty(/^see (\w+)$/.exec(spec.why)?.[1] ?? name);
    expect(DEFAULT_LIMITS).toHaveProperty(name, spec.default);
  });

  it.each(all.filter(([name]) => name.endsWith("Ms")))(
    "%s can be held by one timer of Node",
    (_name, spec) => expect(spec.max).toBeLessThanOrEqual(TIMER_MAX_MS),
  );

  it("have an environment name each, no two the same", () => {
    const names = all.map(([name]) => limitEnvName(name));
    expect(names).toEqual(expect.arrayContaining(["IDLE_REAP_MS", "LIVE_AGENTS", "START_MS"]));
    expect(new Set(names).size).toBe(all.length);
    for (const name of names) expect(name).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
  });

  it.each([
    ["sendBackoffMinMs", "sendBackoffMaxMs"],
    ["pollBackoffMinMs", "pollBackoffMaxMs"],
    ["pollTimeoutMs", "pollAbortMs"],
    ["turnQuietMs", "toolQuietMs"],
    ["drainMs", "shutdownMs"],
  ] as const)("let %s be shorter than %s by default", (shorter, longer) =>
    expect(DEFAULT_LIMITS[shorter]).toBeLessThan(DEFAULT_LIMITS[longer]),
  );

  it("leave a shutdown time to end its agents after the drain", () => {
    const { drainMs, endGraceMs, termGraceMs, shutdownMs } = DEFAULT_LIMITS;
    expect(drainMs + endGraceMs + termGraceMs).toBeLessThan(shutdownMs);
  });
});
