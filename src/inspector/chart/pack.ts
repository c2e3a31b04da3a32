import type { Layout, Point, Rectangle } from "./drawing.ts";
import { areNear, frameWidth, placesIn } from "./geometry.ts";
import type { Sketch, SketchBox } from "./sketch.ts";
import { movedTexts } from "./text-block.ts";

const GAP = 24;
const STEP = 8;

/** Parts of a sketch that no line connects, the one with most boxes first: each is laid out alone. */
export function partsOf({ boxes, lines }: Sketch): readonly Sketch[] {
  const topOf = new Map(boxes.flatMap((box) => idsIn(box).map((id) => [id, box.id])));
  const groupOf = new Map(boxes.map(({ id }) => [id, id]));
  for (const { source, target } of lines) {
    const [one, other] = [source, target].map((id) => groupOf.get(topOf.get(id) ?? ""));
    for (const [id, group] of groupOf) if (group === other) groupOf.set(id, one ?? id);
  }
  return [...new Set(groupOf.values())]
    .map((group) => ({
      boxes: boxes.filter(({ id }) => groupOf.get(id) === group),
      lines: lines.filter(({ source }) => groupOf.get(topOf.get(source) ?? "") === group),
    }))
    .toSorted((one, other) => other.boxes.length - one.boxes.length);
}

function idsIn(box: SketchBox): readonly string[] {
  return [box.id, ...box.boxes.flatMap(idsIn)];
}

/** One layout of several: each part goes where the first ones leave room and the frame grows least. */
export function packParts([first, ...others]: readonly Layout[]): Layout {
  if (first === undefined) throw new Error("Nothing to pack");
  return others.reduce((packed, part) => {
    const moved = movedLayout(part, roomFor(part, packed));
    return {
      width: Math.max(packed.width, moved.width),
      height: Math.max(packed.height, moved.height),
      boxes: [...packed.boxes, ...moved.boxes],
      lines: [...packed.lines, ...moved.lines],
      caption: [],
    };
  }, first);
}

function roomFor({ width, height }: Layout, packed: Layout): Point {
  const taken = placesIn(packed);
  let best = { x: packed.width + GAP, y: 0 };
  let least = growth({ ...best, width, height }, packed);
  for (let y = 0; y <= packed.height + GAP; y += STEP) {
    for (let x = 0; x <= packed.width + GAP; x += STEP) {
      const place = { x, y, width, height };
      const grown = growth(place, packed);
      if (grown >= least || taken.some((one) => areNear(one, place, GAP))) continue;
      least = grown;
      best = { x, y };
    }
  }
  return best;
}

/** The frame that holds both, then the room. */
function growth(place: Rectangle, packed: Layout): number {
  const width = Math.max(packed.width, place.x + place.width);
  const height = Math.max(packed.height, place.y + place.height);
  return frameWidth({ width, height }) ** 2 + width * height;
}

/** Everything moved to the right and down; it ends that much further on. */
export function movedLayout(layout: Layout, by: Point): Layout {
  const moved = <Place extends Point>(place: Place): Place => ({
    ...place,
    x: place.x + by.x,
    y: place.y + by.y,
  });
  return {
    width: layout.width + by.x,
    height: layout.height + by.y,
    boxes: layout.boxes.map((box) => ({ ...moved(box), texts: movedTexts(box.texts, by) })),
    lines: layout.lines.map((line) => ({
      ...line,
      points: line.points.map(moved),
      label: { ...moved(line.label), texts: movedTexts(line.label.texts, by) },
    })),
    caption: movedTexts(layout.caption, by),
  };
}
