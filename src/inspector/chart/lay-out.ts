import Elk from "elkjs";
import type { ElkExtendedEdge, ElkNode } from "elkjs/lib/elk-api.js";
import type { Box, Label, Layout, Line, Point, Rectangle } from "./drawing.ts";
import { boxBlock, elkGraph, labelBlock } from "./elk-graph.ts";
import type { Sketch, SketchBox, SketchLine } from "./sketch.ts";
import { straighten } from "./straighten.ts";
import { movedTexts } from "./text-block.ts";

/** Places for everything of a sketch; the same sketch and seed have the same ones. */
export async function layOut(sketch: Sketch, seed: number): Promise<Layout> {
  const done = await new Elk.default().layout(elkGraph(sketch, seed));
  const edges = new Map((done.edges ?? []).map((edge) => [edge.id, edge]));
  return {
    width: Math.ceil(done.width ?? 0),
    height: Math.ceil(done.height ?? 0),
    boxes: placedBoxes(sketch.boxes, done, null),
    lines: sketch.lines.map((line) => placedLine(line, edges.get(line.id))),
    caption: [],
  };
}

function placedBoxes(
  boxes: readonly SketchBox[],
  around: ElkNode,
  parent: string | null,
): readonly Box[] {
  return boxes.flatMap((box) => {
    const node = around.children?.find(({ id }) => id === box.id);
    if (node === undefined) throw new Error(`ELK lost the box ${box.id}`);
    const { id, kind, transitions } = box;
    const place = placeOf(node);
    const texts = movedTexts(boxBlock(box).texts, place);
    return [
      { id, kind, parent, ...place, transitions, texts },
      ...placedBoxes(box.boxes, node, box.id),
    ];
  });
}

function placedLine(line: SketchLine, edge: ElkExtendedEdge | undefined): Line {
  const [section] = edge?.sections ?? [];
  const [label] = edge?.labels ?? [];
  if (section === undefined || label === undefined) throw new Error(`ELK lost the line ${line.id}`);
  const { id, source, target, transitions } = line;
  const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
  return {
    id,
    source,
    target,
    transitions,
    points: straighten(points.map(rounded)),
    label: placedLabel(line, placeOf(label)),
  };
}

function placedLabel(line: SketchLine, place: Rectangle): Label {
  return { ...place, texts: movedTexts(labelBlock(line).texts, place) };
}

function placeOf({ x = 0, y = 0, width = 0, height = 0 }: Partial<Rectangle>): Rectangle {
  const from = rounded({ x, y });
  const to = rounded({ x: x + width, y: y + height });
  return { ...from, width: to.x - from.x, height: to.y - from.y };
}

function rounded({ x, y }: Point): Point {
  return { x: Math.round(x), y: Math.round(y) };
}
