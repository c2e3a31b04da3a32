import { min, round } from "./arithmetic.ts";
import type { ContextSize } from "./vocabulary.ts";

/** Whole percent of the model's window, 0 to 100; null while the size is unknown. */
export function contextPercent(size: ContextSize | null): number | null {
  if (size === null || size.window <= 0 || size.used < 0) return null;
  return min(100, round((100 * size.used) / size.window));
}

/** `[ctx: 62%]`, appended to everything of the agent's that is relayed; null while unknown. */
export function contextIndicator(percent: number | null): string | null {
  return percent === null ? null : `[ctx: ${percent}%]`;
}
