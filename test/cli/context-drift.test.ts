import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureDrift, nearestRank } from "../../src/cli/context-drift.ts";
import type { MeasuredTurn } from "../../src/ports.ts";

type Percent = number | null;

const turn = (model: string | null, sdk: Percent, estimate: Percent): MeasuredTurn => ({
  type: "turn.measured",
  epoch: 1,
  model,
  sdkPercent: sdk,
  selfReportedPercent: estimate,
  inputTokens: null,
  outputTokens: null,
});

describe("the drift of the agent's estimate", () => {
  it("is nothing without any turn", () => {
    const nothing = { mean: null, meanAbsolute: null, p50: null, p95: null };
    const counts = { turns: 0, compared: 0, withoutEstimate: 0, withoutUsage: 0 };
    expect(measureDrift([])).toEqual({ models: [], total: { ...counts, ...nothing } });
  });

  it("is estimate minus usage, of the turns that have both, for each model and in total", () => {
    const report = measureDrift([
      turn("b", 40, 50),
      turn(null, 10, 10),
      turn("a", 30, 20),
      turn("b", 60, 40),
      turn("b", 20, null),
      turn("a", null, 70),
      turn("a", null, null),
    ]);
    expect(report.models).toEqual([
      {
        model: "a",
        ...{ turns: 3, compared: 1, withoutEstimate: 1, withoutUsage: 1 },
        ...{ mean: -10, meanAbsolute: 10, p50: 10, p95: 10 },
      },
      {
        model: "b",
        ...{ turns: 3, compared: 2, withoutEstimate: 1, withoutUsage: 0 },
        ...{ mean: -5, meanAbsolute: 15, p50: 10, p95: 20 },
      },
      {
        model: null,
        ...{ turns: 1, compared: 1, withoutEstimate: 0, withoutUsage: 0 },
        ...{ mean: 0, meanAbsolute: 0, p50: 0, p95: 0 },
      },
    ]);
    expect(report.total).toEqual({
      ...{ turns: 7, compared: 4, withoutEstimate: 2, withoutUsage: 1 },
      ...{ mean: -5, meanAbsolute: 10, p50: 10, p95: 20 },
    });
  });
});

describe("a percentile by nearest rank", () => {
  const counted = (values: readonly number[]) => {
    const counts = new Map<number, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  };

  it.each([
    [[15, 20, 35, 40, 50], 30, 20],
    [[15, 20, 35, 40, 50], 40, 20],
    [[15, 20, 35, 40, 50], 50, 35],
    [[15, 20, 35, 40, 50], 100, 50],
    [[50, 15, 15], 50, 15],
    [[7], 1, 7],
    [[], 50, null],
  ])("of %j at %i is %j", (values, percent, expected) => {
    expect(nearestRank(counted(values), percent)).toBe(expected);
  });

  it("is the value at that place of the sorted list", () => {
    const values = fc.array(fc.nat(100), { minLength: 1 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 100 }), (all, percent) => {
        const sorted = all.toSorted((one, other) => one - other);
        const place = Math.ceil((percent * all.length) / 100) - 1;
        expect(nearestRank(counted(all), percent)).toBe(sorted[place]);
      }),
    );
  });
});
