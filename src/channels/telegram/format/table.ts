import type { AlignType } from "mdast";

const WIDE =
  /\p{Extended_Pictographic}|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;
const segmenter = new Intl.Segmenter();

/** Columns a text takes in a monospaced font. */
function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}

/** A table as lines of equal width; the first row is the head. */
export function tableGrid(
  rows: readonly (readonly string[])[],
  align: readonly AlignType[],
): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(1, ...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, align[column] ?? null))
      .join(" │ ")
      .trimEnd();
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)].join("\n");
}

function pad(text: string, width: number, align: AlignType): string {
  const missing = Math.max(0, width - displayWidth(text));
  if (align === "right") return " ".repeat(missing) + text;
  if (align !== "center") return text + " ".repeat(missing);
  const left = Math.floor(missing / 2);
  return " ".repeat(left) + text + " ".repeat(missing - left);
}
