import type { Chart, ChartState, ChartTransition } from "./chart.ts";
import type { Box, Line, TextRole } from "./drawing.ts";
import { lineLabel } from "./line-label.ts";
import { eventsOf, statesIn, takenInPlace } from "./walk-chart.ts";

/** What is drawn of a chart, before anything has a place. */
export interface Sketch {
  readonly boxes: readonly SketchBox[];
  readonly lines: readonly SketchLine[];
}

export interface SketchBox extends Pick<Box, "id" | "kind" | "transitions"> {
  /** Where the machine starts: it goes to the top. */
  readonly isStart: boolean;
  readonly texts: readonly SketchText[];
  readonly boxes: readonly SketchBox[];
}

export interface SketchLine extends Pick<Line, "id" | "source" | "target" | "transitions"> {
  readonly texts: readonly SketchText[];
}

export interface SketchText {
  readonly text: string;
  readonly role: TextRole;
}

/** More events that a state takes without being left are only counted. */
const NOTES_MAX = 4;
const INITIAL_MARK = "● ";

export function sketchChart(chart: Chart): Sketch {
  const lines = linesOf(chart);
  return { boxes: boxesIn(chart.root, chart, lines), lines };
}

function boxesIn(
  state: ChartState,
  chart: Chart,
  lines: readonly SketchLine[],
): readonly SketchBox[] {
  const anyBoxes = lines
    .filter(({ source }) => source.startsWith(anyWithin(state.id)))
    .map(({ source }) => anyBox(source));
  const stateBoxes = state.states.map((child) => ({
    ...stateBox(child, state, chart),
    boxes: boxesIn(child, chart, lines),
  }));
  return [...anyBoxes, ...stateBoxes];
}

const anyWithin = (state: string): string => `${state}/any/`;

function anyBox(id: string): SketchBox {
  const texts = [{ text: "any state", role: "note" as const }];
  return { id, kind: "any", isStart: false, transitions: [], texts, boxes: [] };
}

function stateBox(state: ChartState, parent: ChartState, chart: Chart): Omit<SketchBox, "boxes"> {
  const isInitial = parent.initial === state.id;
  const inPlace = takenInPlace(state, chart);
  const title = `${isInitial ? INITIAL_MARK : ""}${titleOf(state)}`;
  return {
    id: state.id,
    kind: "state",
    isStart: isInitial && parent === chart.root,
    transitions: inPlace.map(({ id }) => id),
    texts: [{ text: title, role: "title" }, ...notesOf(eventsOf(inPlace))],
  };
}

function titleOf({ id, path, history }: ChartState): string {
  const key = path.at(-1) ?? id;
  return history === null ? key : `${key} (${history} history)`;
}

function notesOf(events: readonly string[]): readonly SketchText[] {
  const rows = events.length > NOTES_MAX ? [`${events.length} events in place`] : events;
  return rows.map((text) => ({ text, role: "note" }));
}

/** One line for all transitions between the same two states. */
function linesOf(chart: Chart): readonly SketchLine[] {
  const between = new Map<string, ChartTransition[]>();
  for (const transition of chart.transitions) {
    for (const target of transition.targets) {
      const id = `${startOf(transition, target, chart)}->${target}`;
      between.set(id, [...(between.get(id) ?? []), transition]);
    }
  }
  return [...between].map(([id, transitions]) => {
    const [source = "", target = ""] = id.split("->");
    return {
      id,
      source,
      target,
      transitions: transitions.map((transition) => transition.id),
      texts: lineLabel(transitions),
    };
  });
}

/** A state's transition to one within itself is drawn within it. */
function startOf({ source }: ChartTransition, target: string, chart: Chart): string {
  const state = statesIn(chart.root).find(({ id }) => id === source);
  const isInside = state?.states.flatMap(statesIn).some(({ id }) => id === target) ?? false;
  return isInside ? `${anyWithin(source)}${target}` : source;
}
