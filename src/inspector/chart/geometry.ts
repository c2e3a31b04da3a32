import type { Layout, Point, Rectangle, Size } from "./drawing.ts";

export interface Segment {
  readonly from: Point;
  readonly to: Point;
}

export function segmentsOf(points: readonly Point[]): readonly Segment[] {
  return points.slice(1).map((to, nth) => ({ from: points[nth] ?? to, to }));
}

/** A level or upright segment, as a rectangle without width or height. */
export function spanOf({ from, to }: Segment): Rectangle {
  return {
    x: Math.min(from.x, to.x),
    y: Math.min(from.y, to.y),
    width: Math.abs(to.x - from.x),
    height: Math.abs(to.y - from.y),
  };
}

/** Whether they come closer to each other than `distance`. */
export function areNear(one: Rectangle, other: Rectangle, distance = 0): boolean {
  return (
    one.x < other.x + other.width + distance &&
    other.x < one.x + one.width + distance &&
    one.y < other.y + other.height + distance &&
    other.y < one.y + one.height + distance
  );
}

/** Everything of a drawing that something else could be drawn over. */
export function placesIn({ boxes, lines }: Layout): readonly Rectangle[] {
  return [
    ...boxes,
    ...lines.flatMap(({ points, label }) => [label, ...segmentsOf(points).map(spanOf)]),
  ];
}

/** How often one line passes over another. */
export function crossingsIn({ lines }: Layout): number {
  const segments = lines.flatMap(({ id, points }) =>
    segmentsOf(points).map((segment) => ({ id, ...spanOf(segment) })),
  );
  const level = segments.filter(({ height }) => height === 0);
  const upright = segments.filter(({ width }) => width === 0);
  return level.reduce(
    (count, one) =>
      count + upright.filter((other) => one.id !== other.id && isCrossing(one, other)).length,
    0,
  );
}

function isCrossing(level: Rectangle, upright: Rectangle): boolean {
  return (
    upright.x > level.x &&
    upright.x < level.x + level.width &&
    level.y > upright.y &&
    level.y < upright.y + upright.height
  );
}

export function lengthOf({ lines }: Layout): number {
  const spans = lines.flatMap(({ points }) => segmentsOf(points).map(spanOf));
  return spans.reduce((sum, { width, height }) => sum + width + height, 0);
}

/** Width of the frame in landscape, three to two, that holds it. */
export function frameWidth({ width, height }: Size): number {
  return Math.max(width, 1.5 * height);
}
