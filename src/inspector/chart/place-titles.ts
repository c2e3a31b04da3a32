import type { Box, Layout } from "./drawing.ts";
import { areNear, segmentsOf, spanOf } from "./geometry.ts";
import { FONT_SIZES, movedTexts } from "./text-block.ts";

const STEP = 4;
const CLEAR = 4;

/**
 * A line into a state that has states of its own may pass where its name
 * stands: the name then moves to the right.
 */
export function placeTitles(layout: Layout): Layout {
  const spans = layout.lines.flatMap(({ points }) => segmentsOf(points).map(spanOf));
  const around = new Set(layout.boxes.map(({ parent }) => parent));
  const isFree = (box: Box): boolean =>
    box.texts.every((text) => {
      const top = text.y - FONT_SIZES[text.role];
      const place = { x: text.x, y: top, width: text.width, height: FONT_SIZES[text.role] };
      return !spans.some((span) => areNear(span, place, CLEAR));
    });
  return {
    ...layout,
    boxes: layout.boxes.map((box) => (around.has(box.id) ? cleared(box, isFree) : box)),
  };
}

function cleared(box: Box, isFree: (box: Box) => boolean): Box {
  const right = Math.max(...box.texts.map(({ x, width }) => x + width));
  for (let by = 0; right + by < box.x + box.width; by += STEP) {
    const moved = { ...box, texts: movedTexts(box.texts, { x: by, y: 0 }) };
    if (isFree(moved)) return moved;
  }
  return box;
}
