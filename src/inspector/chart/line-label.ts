import type { ChartTransition } from "./chart.ts";
import type { SketchText } from "./sketch.ts";

/** Nearly every event of a process has it: it would hide what tells the lines apart. */
const NOT_DRAWN = "isCurrent";

/**
 * What stands on a line: events, below them their conditions; events under one
 * condition together. Those without one come last, else the next condition would seem theirs.
 */
export function lineLabel(transitions: readonly ChartTransition[]): readonly SketchText[] {
  const underOne = groupBy(transitions, drawnCondition, drawnEvent);
  const ofSameEvents = groupBy(
    [...underOne],
    ([, events]) => events.filter((event) => event !== "").join(", "),
    ([condition]) => condition,
  );
  const groups = [...ofSameEvents].toSorted(
    ([, one], [, other]) => Number(one.includes("")) - Number(other.includes("")),
  );
  return groups.flatMap(([events, conditions]) => [
    ...(events === "" ? [] : [{ text: events, role: "event" as const }]),
    ...conditions
      .filter((condition) => condition !== "")
      .map((condition) => ({ text: `[${condition}]`, role: "condition" as const })),
  ]);
}

function drawnCondition({ guard, condition }: ChartTransition): string {
  return guard?.kind === "named" && guard.name === NOT_DRAWN ? "" : (condition ?? "");
}

/** A condition alone says that it is looked at at once. */
function drawnEvent({ event, condition }: ChartTransition): string {
  if (event.kind === "after") return `after ${event.delay}`;
  return event.kind === "always" && condition !== null ? "" : event.words;
}

function groupBy<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  valueOf: (item: Item) => string,
): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, Set<string>>();
  for (const item of items) {
    groups.set(keyOf(item), (groups.get(keyOf(item)) ?? new Set()).add(valueOf(item)));
  }
  return new Map([...groups].map(([key, values]) => [key, [...values]]));
}
