import type { Chart, ChartState } from "./chart.ts";
import { sketchChart, type Sketch, type SketchBox, type SketchLine } from "./sketch.ts";
import { statesIn } from "./walk-chart.ts";

/** A chart as Mermaid's stateDiagram-v2: the states and lines of the drawing, and nothing of its places. */
export function renderMermaid(chart: Chart): string {
  const sketch = sketchChart(chart);
  const final = chart.root.states.filter(({ kind }) => kind === "final");
  return [
    "stateDiagram-v2",
    ...bodyOf(chart.root, sketch.boxes, { chart, sketch }).map((row) => `  ${row}`),
    ...final.map(({ id }) => `  ${mermaidId(id, chart)} --> [*]`),
  ].join("\n");
}

interface Source {
  readonly chart: Chart;
  readonly sketch: Sketch;
}

/** What stands between a state's braces. Mermaid wants a line where both of its ends are in sight. */
function bodyOf(state: ChartState, boxes: readonly SketchBox[], source: Source): readonly string[] {
  const { chart, sketch } = source;
  return [
    ...(state.initial === null ? [] : [`[*] --> ${mermaidId(state.initial, chart)}`]),
    ...boxes.flatMap((box) => stateRows(box, source)),
    ...sketch.lines
      .filter((line) => innermost(line, chart.root, sketch) === state)
      .map((line) => lineRow(line, chart)),
  ];
}

function stateRows(box: SketchBox, source: Source): readonly string[] {
  const { chart } = source;
  const id = mermaidId(box.id, chart);
  const state = statesIn(chart.root).find((one) => one.id === box.id);
  const name = state?.path.at(-1) ?? "any state";
  const named = name === id ? [] : [`state "${name}" as ${id}`];
  if (state === undefined || box.boxes.length === 0) return named;
  const inner = bodyOf(state, box.boxes, source).map((row) => `  ${row}`);
  return [...named, `state ${id} {`, ...inner, "}"];
}

function lineRow({ source, target, texts }: SketchLine, chart: Chart): string {
  // A colon or a semicolon would end the label.
  const label = texts.map(({ text }) => text.replaceAll(/[:;]/g, ",")).join("<br/>");
  return `${mermaidId(source, chart)} --> ${mermaidId(target, chart)}: ${label}`;
}

/** The innermost state around both ends of a line. */
function innermost(line: SketchLine, state: ChartState, sketch: Sketch): ChartState {
  const around = state.states.find((child) => {
    const box = findBox(child.id, sketch.boxes);
    const within = box === null ? [] : box.boxes.flatMap(idsIn);
    return within.includes(line.source) && within.includes(line.target);
  });
  return around === undefined ? state : innermost(line, around, sketch);
}

function findBox(id: string, boxes: readonly SketchBox[]): SketchBox | null {
  for (const box of boxes) {
    const found = box.id === id ? box : findBox(id, box.boxes);
    if (found !== null) return found;
  }
  return null;
}

function idsIn(box: SketchBox): readonly string[] {
  return [box.id, ...box.boxes.flatMap(idsIn)];
}

function mermaidId(id: string, chart: Chart): string {
  return id.replace(`${chart.id}.`, "").replaceAll(/\W+/g, "_");
}
