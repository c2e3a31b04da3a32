import type { ChartEvent } from "./chart.ts";
import type { ChartWords } from "./words.ts";

/** What XState calls an event of its own, and how it is said. */
const OWN_EVENTS: readonly [prefix: string, kind: "done" | "error" | "snapshot", words: string][] =
  [
    ["xstate.done.actor.", "done", "is done"],
    ["xstate.done.state.", "done", "is done"],
    ["xstate.error.actor.", "error", "failed"],
    ["xstate.snapshot.", "snapshot", "reports"],
  ];

export function readEvent(type: string): ChartEvent {
  if (type === "") return { kind: "always", type, words: "at once" };
  if (type === "*") return { kind: "wildcard", type, words: "any other event" };
  for (const [prefix, kind, words] of OWN_EVENTS) {
    if (!type.startsWith(prefix)) continue;
    const actor = type.slice(prefix.length);
    return { kind, type, words: `${actor === "*" ? "an actor" : actor} ${words}` };
  }
  if (type.endsWith(".*"))
    return { kind: "wildcard", type, words: `any ${type.slice(0, -2)} event` };
  return { kind: "event", type, words: type };
}

export function readDelay(type: string, delay: string | number, words: ChartWords): ChartEvent {
  if (typeof delay === "number") {
    return { kind: "after", type, words: `after ${delay} ms`, delay: String(delay), limits: [] };
  }
  const limits = words.delays[delay];
  if (limits === undefined) throw new Error(`The delay "${delay}" has no limits in words.ts`);
  const from = limits.length === 0 ? "" : ` (${limits.join(", ")})`;
  return { kind: "after", type, words: `after ${delay}${from}`, delay, limits };
}
