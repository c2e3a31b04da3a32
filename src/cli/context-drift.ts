import type { MeasuredTurn } from "../ports.ts";

/** How far the agent's own estimate of its context was from what its usage says; in percentage points. */
export interface Drift {
  readonly turns: number;
  /** Turns with an estimate and a usage. What follows the counts is about these, and null without any. */
  readonly compared: number;
  readonly withoutEstimate: number;
  /** Turns with an estimate whose usage is not known. */
  readonly withoutUsage: number;
  /** Of estimate minus usage: above zero where the agent takes its context for fuller than it is. */
  readonly mean: number | null;
  readonly meanAbsolute: number | null;
  /** Of the absolute difference, by nearest rank. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface DriftReport {
  /** By name; the turns whose model is not known come last. */
  readonly models: readonly ({ readonly model: string | null } & Drift)[];
  readonly total: Drift;
}

/** Reads the turns once and keeps counts only, however many there are. */
export function measureDrift(turns: Iterable<MeasuredTurn>): DriftReport {
  const total = createTally();
  const byModel = new Map<string | null, Tally>();
  for (const turn of turns) {
    const tally = byModel.get(turn.model) ?? createTally();
    byModel.set(turn.model, tally);
    tally.add(turn);
    total.add(turn);
  }
  const models = [...byModel]
    .toSorted(([one], [other]) => compareModels(one, other))
    .map(([model, tally]) => ({ model, ...tally.drift() }));
  return { models, total: total.drift() };
}

function compareModels(one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one < other ? -1 : Number(one > other);
}

interface Tally {
  add(turn: MeasuredTurn): void;
  drift(): Drift;
}

function createTally(): Tally {
  let [turns, compared, withoutEstimate, sum, absolute] = [0, 0, 0, 0, 0];
  /** Percents are whole: there are few different distances. */
  const distances = new Map<number, number>();
  return {
    add({ sdkPercent, selfReportedPercent }) {
      turns += 1;
      if (selfReportedPercent === null) withoutEstimate += 1;
      if (selfReportedPercent === null || sdkPercent === null) return;
      const difference = selfReportedPercent - sdkPercent;
      const distance = Math.abs(difference);
      compared += 1;
      sum += difference;
      absolute += distance;
      distances.set(distance, (distances.get(distance) ?? 0) + 1);
    },
    drift: () => ({
      turns,
      compared,
      withoutEstimate,
      withoutUsage: turns - compared - withoutEstimate,
      mean: compared === 0 ? null : sum / compared,
      meanAbsolute: compared === 0 ? null : absolute / compared,
      p50: nearestRank(distances, 50),
      p95: nearestRank(distances, 95),
    }),
  };
}

/**
 * The percentile by nearest rank: the smallest value that at least `percent`
 * of all are not above. Always one that occurs. Null where there is none.
 *
 * @param counts how often each value occurs
 */
export function nearestRank(counts: ReadonlyMap<number, number>, percent: number): number | null {
  const sorted = [...counts].toSorted(([one], [other]) => one - other);
  const all = sorted.reduce((sum, [, count]) => sum + count, 0);
  const rank = Math.max(1, Math.ceil((percent * all) / 100));
  let passed = 0;
  for (const [value, count] of sorted) {
    passed += count;
    if (passed >= rank) return value;
  }
  return null;
}
