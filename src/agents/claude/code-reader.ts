import type { Nodes } from "mdast";
import { markdownParser } from "../../markdown/parser.ts";
import { isTangled } from "../../markdown/tangled.ts";
import { mergeRanges } from "./code-range.ts";
import type { CodeRange } from "./code-range.ts";
import { scanCode } from "./code-scan.ts";
import { htmlCode } from "./html-code.ts";
import type { Html } from "./html-code.ts";

/** A line costs the parser more than its characters do. */
const LINE_UNITS = 60;
/** The parser's time grows with the square of a list's length: what is longer is only scanned. */
const PARSED_UNITS = 16_000;
/** What is parsed of one text, some tenths of a second at most; the rest is only scanned. */
const BUDGET_UNITS = 32_000;

/** Reads code out of the parts of one text, in as much time as there is for it. */
export interface CodeReader {
  /** In order. `isExact`: the parser has said so, and none was only taken to be code in doubt. */
  read(source: string): { readonly ranges: readonly CodeRange[]; readonly isExact: boolean };
}

export function createCodeReader(): CodeReader {
  let left = BUDGET_UNITS;
  return {
    read(source) {
      const units = unitsOf(source, Math.min(left, PARSED_UNITS));
      const parsed = units === null || isTangled(source) ? null : parsedCode(source);
      if (units === null || parsed === null) return { ranges: scanCode(source), isExact: false };
      left -= units;
      return { ranges: parsed, isExact: true };
    },
  };
}

/** What a text costs the parser; null where that is too much. */
function unitsOf(source: string, max: number): number | null {
  if (source.length > max) return null;
  const units = source.length + LINE_UNITS * source.split("\n").length;
  return units > max ? null : units;
}

/** What the parser takes for code; null where it nests too deeply for it after all. */
export function parsedCode(source: string): readonly CodeRange[] | null {
  const ranges: CodeRange[] = [];
  const html: Html[] = [];
  try {
    // The parser does not count a byte order mark.
    const pending: Nodes[] = [markdownParser.parse(source.replace(/^\ufeff/, " "))];
    for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
      const start = node.position?.start.offset ?? 0;
      const end = node.position?.end.offset ?? source.length;
      if (node.type === "code" || node.type === "inlineCode") ranges.push({ start, end });
      else if (node.type === "html") html.push({ start, source: source.slice(start, end) });
      if ("children" in node) pending.push(...node.children.toReversed());
    }
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
  return mergeRanges([...ranges, ...htmlCode(html)]);
}
