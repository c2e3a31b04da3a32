import type { Point, Size, Text, TextRole } from "./drawing.ts";
import type { SketchText } from "./sketch.ts";
import { textWidth, wrapText } from "./text-size.ts";

export const FONT_SIZES: Readonly<Record<TextRole, number>> = {
  title: 14,
  event: 12,
  condition: 11,
  note: 11,
};

const ROW_HEIGHTS: Readonly<Record<TextRole, number>> = {
  title: 20,
  event: 15,
  condition: 14,
  note: 14,
};

/** From a row's lower edge up to its base line. */
const DESCENT = 4;

/** Rows of text below each other, placed from the corner of what they stand in. */
export interface TextBlock extends Size {
  readonly texts: readonly Text[];
}

/** `padding.x` is free on both sides of the rows, `padding.y` above and below. */
export function blockOf(rows: readonly SketchText[], padding: Point): TextBlock {
  const texts: Text[] = [];
  let y = padding.y;
  for (const { text, role } of rows) {
    y += ROW_HEIGHTS[role];
    const width = textWidth(text, FONT_SIZES[role], role === "title");
    texts.push({ text, role, x: padding.x, y: y - DESCENT, width });
  }
  const widest = Math.max(0, ...texts.map(({ width }) => width));
  return { width: widest + 2 * padding.x, height: y + padding.y, texts };
}

/** The same rows, none wider than `width` where words allow it. */
export function wrapRows(rows: readonly SketchText[], width: number): readonly SketchText[] {
  return rows.flatMap(({ text, role }) =>
    wrapText(text, width, FONT_SIZES[role]).map((row) => ({ text: row, role })),
  );
}

export function movedTexts(texts: readonly Text[], by: Point): readonly Text[] {
  return texts.map((text) => ({ ...text, x: text.x + by.x, y: text.y + by.y }));
}
