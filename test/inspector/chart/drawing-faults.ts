import type {
  Box,
  Label,
  Layout,
  Line,
  Point,
  Rectangle,
} from "../../../src/inspector/chart/drawing.ts";

/** What a person could not read in a drawing, in words; measured without the code that draws. */
export function faultsIn(layout: Layout): readonly string[] {
  return [
    ...boxFaults(layout),
    ...labelFaults(layout),
    ...lineFaults(layout),
    ...textFaults(layout),
    ...edgeFaults(layout),
  ];
}

function boxFaults({ boxes }: Layout): readonly string[] {
  return boxes.flatMap((box, nth) => [
    ...boxes
      .slice(nth + 1)
      .filter((other) => other.parent === box.parent && isOver(box, other))
      .map((other) => `box ${box.id} lies over ${other.id}`),
    ...boxes
      .filter((parent) => parent.id === box.parent && !isInside(box, parent))
      .map((parent) => `box ${box.id} leaves ${parent.id}`),
  ]);
}

/** A label may lie in the boxes around its line's ends, but nowhere else over one. */
function labelFaults({ boxes, lines }: Layout): readonly string[] {
  return lines.flatMap((line, nth) => [
    ...lines
      .slice(nth + 1)
      .filter(({ label }) => isOver(label, line.label))
      .map(({ id }) => `label of ${line.id} lies over that of ${id}`),
    ...boxes
      .filter((box) => isOver(box, line.label) && !mayHold(box, line, boxes))
      .map((box) => `label of ${line.id} lies over box ${box.id}`),
    ...(segments(line).some((segment) => isOver(segment, line.label, -besideBy(line)))
      ? []
      : [`label of ${line.id} lies beside its line`]),
    ...lines
      .filter((other) => other !== line && segments(other).some((one) => isOver(one, line.label)))
      .map((other) => `line ${other.id} passes over the label of ${line.id}`),
  ]);
}

/** A line runs through its label; a loop has it at its side. */
function besideBy({ source, target }: Line): number {
  return source === target ? 8 : 1;
}

function mayHold(box: Box, line: Line, boxes: readonly Box[]): boolean {
  const isAround = boxes.some(({ parent }) => parent === box.id);
  const ends = [line.source, line.target].flatMap((id) => withParents(id, boxes));
  return isAround && ends.includes(box.id) && isInside(line.label, box);
}

function withParents(id: string | null, boxes: readonly Box[]): readonly string[] {
  const box = boxes.find((one) => one.id === id);
  return box === undefined ? [] : [box.id, ...withParents(box.parent, boxes)];
}

function lineFaults({ boxes, lines }: Layout): readonly string[] {
  const hasInside = new Set(boxes.map(({ parent }) => parent));
  const boxNamed = (id: string) => boxes.find((box) => box.id === id);
  return lines.flatMap((line) => [
    ...(isOnBorder(line.points.at(0), boxNamed(line.source))
      ? []
      : [`line ${line.id} starts off its box`]),
    ...(isOnBorder(line.points.at(-1), boxNamed(line.target))
      ? []
      : [`line ${line.id} ends off its box`]),
    ...(segments(line).every(({ width, height }) => (width === 0) !== (height === 0))
      ? []
      : [`line ${line.id} is slanted`]),
    ...(hasDetour(line.points) ? [`line ${line.id} has a point it needs not`] : []),
    ...boxes
      .filter((box) => !hasInside.has(box.id) && segments(line).some((one) => isOver(one, box)))
      .map((box) => `line ${line.id} passes over box ${box.id}`),
  ]);
}

/** Going on in the same direction, or back. */
function hasDetour(points: readonly Point[]): boolean {
  return points.some((by, nth) => {
    const [from, to] = [points[nth - 1], points[nth + 1]];
    if (from === undefined || to === undefined) return false;
    return (from.x === by.x && by.x === to.x) || (from.y === by.y && by.y === to.y);
  });
}

function isOnBorder(point: Point | undefined, box: Box | undefined): boolean {
  if (point === undefined || box === undefined) return false;
  const { x, y } = point;
  const isAcross = x >= box.x && x <= box.x + box.width;
  const isDown = y >= box.y && y <= box.y + box.height;
  const isAtSide = x === box.x || x === box.x + box.width;
  const isAtTopOrBottom = y === box.y || y === box.y + box.height;
  return (isAcross && isAtTopOrBottom) || (isDown && isAtSide);
}

/** Texts stay in what they belong to, and no line passes over a name. */
function textFaults({ boxes, lines }: Layout): readonly string[] {
  const holders: readonly (Box | Label)[] = [...boxes, ...lines.map(({ label }) => label)];
  return holders.flatMap((holder) =>
    holder.texts.flatMap((text) => {
      const place = { x: text.x, y: text.y - 9, width: text.width, height: 10 };
      const isCrossed = lines.some(
        (line) => line.label !== holder && segments(line).some((one) => isOver(one, place)),
      );
      return [
        ...(isInside(place, holder) ? [] : [`text "${text.text}" leaves its place`]),
        ...(isCrossed ? [`text "${text.text}" is crossed by a line`] : []),
      ];
    }),
  );
}

function edgeFaults({ width, height, boxes, lines, caption }: Layout): readonly string[] {
  const sheet = { x: 0, y: 0, width, height };
  const heads = caption.map((text) => ({ ...text, y: text.y - 9, height: 10 }));
  const parts = [...boxes, ...lines.flatMap((line) => [line.label, ...segments(line)]), ...heads];
  const isBelow = boxes.every(({ y }) => heads.every((head) => y > head.y + head.height));
  return [
    ...(parts.every((part) => isInside(part, sheet)) ? [] : ["something leaves the drawing"]),
    ...(isBelow ? [] : ["the caption lies over a box"]),
  ];
}

const measured = new WeakMap<Line, readonly Rectangle[]>();

function segments(line: Line): readonly Rectangle[] {
  const known = measured.get(line);
  if (known !== undefined) return known;
  const found = line.points.slice(1).map((to, nth) => {
    const from = line.points[nth] ?? to;
    const corner = { x: Math.min(from.x, to.x), y: Math.min(from.y, to.y) };
    return { ...corner, width: Math.abs(to.x - from.x), height: Math.abs(to.y - from.y) };
  });
  measured.set(line, found);
  return found;
}

/** They share more than their borders; `margin` makes the first one smaller. */
function isOver(one: Rectangle, other: Rectangle, margin = 0): boolean {
  return (
    one.x + one.width > other.x + margin &&
    other.x + other.width > one.x + margin &&
    one.y + one.height > other.y + margin &&
    other.y + other.height > one.y + margin
  );
}

function isInside(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x >= other.x &&
    one.y >= other.y &&
    one.x + one.width <= other.x + other.width &&
    one.y + one.height <= other.y + other.height
  );
}
