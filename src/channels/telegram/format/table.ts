import type { AlignType } from "mdast";
import { displayWidth } from "./width.ts";

/** A longer cell is shown whole and pushes its row out: padding every row to it would be worse. */
const COLUMN_MAX = 40;

/** Lays cells out as a grid for a monospaced font. The first row is the header. */
export function formatGrid(
  rows: readonly (readonly string[])[],
  align: readonly AlignType[],
): string {
  const sized = rows.map((cells) => cells.map((text) => ({ text, width: displayWidth(text) })));
  const widths: number[] = [];
  for (const cells of sized) {
    for (const [column, { width }] of cells.entries()) {
      widths[column] = Math.max(widths[column] ?? 1, Math.min(width, COLUMN_MAX));
    }
  }
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  const lines = sized.map((cells) => {
    const padded = cells.map(({ text, width }, column) =>
      pad(text, (widths[column] ?? 0) - width, align[column] ?? null),
    );
    return padded.join(" │ ").trimEnd();
  });
  return [...lines.slice(0, 1), rule, ...lines.slice(1)].join("\n");
}

function pad(text: string, missing: number, align: AlignType): string {
  const room = Math.max(missing, 0);
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(room - before);
}
