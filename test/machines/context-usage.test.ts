import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextIndicator, contextPercent } from "../../machines/context-usage.ts";

describe("the percent of the context", () => {
  it.each([
    [{ used: 124_000, window: 200_000 }, 62],
    [{ used: 0, window: 200_000 }, 0],
    [{ used: 1, window: 200 }, 1],
    [{ used: 999_999, window: 1_000_000 }, 100],
    [{ used: 250_000, window: 200_000 }, 100],
  ])("of %o is %d", (size, percent) => expect(contextPercent(size)).toBe(percent));

  it.each([null, { used: 5, window: 0 }, { used: 5, window: -1 }, { used: -1, window: 200_000 }])(
    "is unknown for %o",
    (size) => expect(contextPercent(size)).toBeNull(),
  );

  it("is a whole number from 0 to 100 or unknown, whatever the agent reports", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (used, window) => {
        const percent = contextPercent({ used, window });
        expect(percent ?? 0).toBe(Math.trunc(percent ?? 0));
        expect(percent ?? 0).toBeGreaterThanOrEqual(0);
        expect(percent ?? 0).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe("the indicator", () => {
  it("is the percent in brackets", () => expect(contextIndicator(62)).toBe("[ctx: 62%]"));
  it("shows a context that is empty", () => expect(contextIndicator(0)).toBe("[ctx: 0%]"));
  it("is none while the percent is unknown", () => expect(contextIndicator(null)).toBeNull());
});
