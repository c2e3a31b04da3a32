import { languageOf } from "./blocks.ts";
import { isTangled } from "../../../markdown/tangled.ts";

/** A piece of a document that is rendered by itself. */
export type Segment =
  | { readonly kind: "markdown" | "literal"; readonly source: string; readonly gap: string }
  | {
      readonly kind: "fence";
      readonly source: string;
      readonly language: string;
      readonly gap: string;
    };

/**
 * The parser's time grows with the square of a list's or a table's length: 20,000 short items took
 * 13 s. A longer document is therefore parsed in pieces; references between them are shown as their
 * source.
 */
const SEGMENT_UNITS = 16_000;

/** A line costs the parser more than its characters do. */
const LINE_UNITS = 24;

/** A piece ends at the first good place after this. */
const SEGMENT_SOFT_UNITS = 6_000;

/** What is parsed of one document; the rest, twenty messages further down, is shown as its source. */
const PARSED_UNITS = 128_000;

/** Cuts at fences, which need no parser, and elsewhere between blocks where it can. */
export function cutSegments(source: string): Segment[] {
  const lines = source.split("\n");
  if (costOf(lines) <= SEGMENT_UNITS) return [markdownSegment(source, "")];
  const segments: Segment[] = [];
  let parsed = 0;
  let gap = "";
  let held: string[] = [];
  let heldUnits = 0;

  const flush = () => {
    const text = held.join("\n");
    if (text.trim() !== "") {
      const cost = costOf(held);
      parsed += cost;
      const literal = parsed > PARSED_UNITS || cost > SEGMENT_UNITS;
      segments.push(literal ? literalSegment(text, gap) : markdownSegment(text, gap));
    }
    held = [];
    heldUnits = 0;
  };

  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    const previous = lines[index - 1] ?? "";
    const fence = openFence(line);
    if (fence !== null) {
      flush();
      const end = closingLine(lines, index + 1, fence);
      const code = lines.slice(index + 1, end).join("\n");
      const fenceGap = segments.length === 0 ? "" : gapAfter(previous);
      segments.push({ kind: "fence", source: code, language: fence.language, gap: fenceGap });
      index = end;
      gap = gapAfter(lines[end + 1] ?? "");
      continue;
    }
    if (held.length > 0 && mayCut(line, previous, heldUnits)) {
      flush();
      gap = gapAfter(previous);
    }
    held.push(line);
    heldUnits += line.length + LINE_UNITS;
  }
  flush();
  return segments;
}

function costOf(lines: readonly string[]): number {
  return lines.reduce((cost, line) => cost + line.length + LINE_UNITS, 0);
}

function markdownSegment(source: string, gap: string): Segment {
  return isTangled(source) ? literalSegment(source, gap) : { kind: "markdown", source, gap };
}

function literalSegment(source: string, gap: string): Segment {
  return { kind: "literal", source: source.replace(/^\n+/, "").trimEnd(), gap };
}

function gapAfter(line: string): string {
  return line.trim() === "" ? "\n\n" : "\n";
}

/** Between blocks once the piece is long enough, then before any line of the margin, at last anywhere. */
function mayCut(line: string, previous: string, held: number): boolean {
  if (held + line.length + LINE_UNITS > SEGMENT_UNITS) return true;
  if (held < SEGMENT_SOFT_UNITS || /^\s|^$/.test(line)) return false;
  if (held > (SEGMENT_SOFT_UNITS + SEGMENT_UNITS) / 2) return true;
  const listed = /^(?:[-+*>|]|\d{1,9}[.)]\s)/.test(line);
  return previous.trim() === "" && !listed;
}

interface Fence {
  readonly mark: string;
  readonly language: string;
}

/** A fence at the margin opens code wherever it stands: it ends every list, quote and paragraph. */
function openFence(line: string): Fence | null {
  const [, mark, info = ""] = /^(`{3,}(?=[^`]*$)|~{3,})(.*)$/.exec(line) ?? [];
  return mark === undefined ? null : { mark, language: languageOf(info) };
}

/** The number of lines where it is never closed, as CommonMark has it. */
function closingLine(lines: readonly string[], from: number, { mark }: Fence): number {
  const close = new RegExp(`^ {0,3}\\${mark.charAt(0)}{${mark.length},}[ \\t]*$`);
  let index = from;
  while (index < lines.length && !close.test(lines[index] ?? "")) index += 1;
  return index;
}
