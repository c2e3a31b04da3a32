import type { Chart } from "./chart.ts";
import { MACHINES, type MachineName } from "./machines.ts";
import { readChart } from "./read-chart.ts";
import { DELAY_LIMITS, GUARD_WORDS } from "./words.ts";

export const MACHINE_NAMES = Object.keys(MACHINES) as readonly MachineName[];

export function chartOf(name: MachineName): Chart {
  return readChart(MACHINES[name], { guards: GUARD_WORDS[name], delays: DELAY_LIMITS[name] });
}
