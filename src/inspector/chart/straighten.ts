import type { Point } from "./drawing.ts";

/** A step to the side of at most this much is no bend, but what is left of ELK's compaction. */
const JOG = 4;

/** The way of a line without small steps, without turning back on itself, without points it needs not. */
export function straighten(points: readonly Point[]): readonly Point[] {
  // From both ends: neither of them moves.
  const evened = withoutJogs(withoutJogs(points).toReversed()).toReversed();
  const way: Point[] = [];
  for (const point of evened) {
    while (isPassed(way.at(-2), way.at(-1), point)) way.pop();
    const last = way.at(-1);
    if (last === undefined || last.x !== point.x || last.y !== point.y) way.push(point);
  }
  return way;
}

/** The part behind a small step moves to where the part before it is, unless it is an end. */
function withoutJogs(points: readonly Point[]): readonly Point[] {
  const way = [...points];
  for (let nth = 1; nth + 2 < way.length - 1; nth += 1) {
    const [from, to, next] = [way[nth], way[nth + 1], way[nth + 2]];
    if (from === undefined || to === undefined || next === undefined) break;
    if (Math.abs(to.x - from.x) + Math.abs(to.y - from.y) > JOG) continue;
    if (to.x !== from.x && next.x === to.x) {
      way.splice(nth + 1, 2, { x: from.x, y: to.y }, { x: from.x, y: next.y });
    } else if (to.y !== from.y && next.y === to.y) {
      way.splice(nth + 1, 2, { x: to.x, y: from.y }, { x: next.x, y: from.y });
    }
  }
  return way;
}

/** Whether a way from one to the next needs not go by the point between: it lies ahead, or it turns back there. */
function isPassed(from: Point | undefined, by: Point | undefined, to: Point): boolean {
  if (from === undefined || by === undefined) return false;
  return (from.x === by.x && by.x === to.x) || (from.y === by.y && by.y === to.y);
}
