import type { Chart, ChartState, ChartTransition } from "./chart.ts";

/** A state and all within it, parents before their children. */
export function statesIn(state: ChartState): readonly ChartState[] {
  return [state, ...state.states.flatMap(statesIn)];
}

export function stateNamed(chart: Chart, id: string): ChartState {
  const found = statesIn(chart.root).find((state) => state.id === id);
  if (found === undefined) throw new Error(`${chart.id} has no state ${id}`);
  return found;
}

/** What a person calls it: its keys, without the machine's. */
export function nameOf({ id, path }: ChartState): string {
  return path.length === 0 ? id : path.join(".");
}

/** What a state takes without being left. */
export function takenInPlace(state: ChartState, chart: Chart): readonly ChartTransition[] {
  return chart.transitions.filter(
    ({ source, targets }) => source === state.id && targets.length === 0,
  );
}

export function eventsOf(transitions: readonly ChartTransition[]): readonly string[] {
  return [...new Set(transitions.map(({ event }) => event.words))];
}

/** An event and the condition under which it is taken, as a part of a sentence. */
export function takenOn({ event, condition }: ChartTransition): string {
  if (condition === null) return event.words;
  return condition === "otherwise"
    ? `${event.words}, otherwise`
    : `${event.words}, if ${condition}`;
}
