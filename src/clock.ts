import { TIMER_MAX_MS } from "../machines/limits.ts";
import type { Clock } from "./ports.ts";

/** The real clock. A delay that Node could not hold is cut to what it can, instead of firing at once. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, Math.min(Math.max(ms, 0), TIMER_MAX_MS)),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout | undefined),
};
