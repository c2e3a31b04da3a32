import { describe, expect, it } from "vitest";
import type { Drift } from "../../src/cli/context-drift.ts";
import { renderDrift } from "../../src/cli/drift-table.ts";

const drift = (change: Partial<Drift> = {}): Drift => ({
  ...{ turns: 12, compared: 10, withoutEstimate: 2, withoutUsage: 0 },
  ...{ mean: -3.25, meanAbsolute: 4, p50: 3, p95: 11 },
  ...change,
});
const none = { compared: 0, mean: null, meanAbsolute: null, p50: null, p95: null };

describe("the table of the drift", () => {
  it("is aligned, with the total last and what its columns mean below", () => {
    const models = [
      { model: "claude-opus-5-5", ...drift({ mean: 2.5 }) },
      { model: null, ...drift({ turns: 2, ...none }) },
    ];
    expect(renderDrift({ models, total: drift({ turns: 14, mean: -0.04 }) })).toBe(
      `model            turns  both  no est.  mean  abs  p50  p95
claude-opus-5-5     12    10        2  +2.5  4.0    3   11
(not known)          2     0        2     -    -    -    -
all models          14    10        2   0.0  4.0    3   11

both      turns with an estimate and a usage: mean, abs, p50, p95 are theirs
no est.   turns without an estimate
mean      of the estimate minus the usage, in percentage points
abs       of the absolute difference; p50 and p95 likewise, by nearest rank
`,
    );
  });

  it("fits 80 columns, whatever the models are called and however many turns there are", () => {
    const counts = { turns: 9_999_999, compared: 9_999_999, withoutEstimate: 9_999_999 };
    const wide = drift({ ...counts, mean: -100, meanAbsolute: 100, p50: 100, p95: 100 });
    const text = renderDrift({ models: [{ model: "long-".repeat(20), ...wide }], total: wide });
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(text).toContain("…  9999999");
  });

  it("says how many turns have an estimate only, where there are any", () => {
    const total = drift({ withoutUsage: 3 });
    expect(renderDrift({ models: [], total })).toContain("\nTurns with an estimate only: 3\n");
    expect(renderDrift({ models: [], total: drift() })).not.toContain("estimate only");
  });

  it("lets no model's name steer the terminal", () => {
    const model = "a\u001B[2J\nb\u202E";
    expect(renderDrift({ models: [{ model, ...drift() }], total: drift() })).toContain(
      "a?[2J?b?  ",
    );
  });

  it("is one line where no turn was measured", () => {
    const total = drift({ turns: 0, ...none });
    expect(renderDrift({ models: [], total })).toBe("No turn has been measured yet.\n");
  });
});
