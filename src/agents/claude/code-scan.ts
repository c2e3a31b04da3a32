import { mergeRanges } from "./code-range.ts";
import type { CodeRange } from "./code-range.ts";
import { htmlCode } from "./html-code.ts";

interface Fence {
  readonly mark: string;
  /** Characters before it: a line that is far further in is code, and closes nothing. */
  readonly indent: number;
  readonly start: number;
}

/** Without one of these nothing is code. */
const MARKS = /[`~<\t]| {4}/;
/** Behind quotes and list marks at any depth: in doubt a text is code, and is left alone. */
const OPENING = /^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})/;
const CLOSING = /^([ \t>]*)(`{3,}|~{3,})[ \t\r]*$/;
const INDENT_MAX = 3;
const INDENTED = /^(?: {4}| {0,3}\t)/;
/** Between paragraphs, where no inline code goes on. */
const EMPTY = /^[ \t\r>]*$/;
/** A list item, a heading or a table's row ends the paragraph before it. */
const BLOCK_START = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s|$)|\|)/;

/**
 * Code of a Markdown text that is too long or too tangled for the parser, in
 * order and in linear time. In doubt a text is code: a fence that nothing closes
 * goes on to the end, and so does HTML.
 */
export function scanCode(text: string): readonly CodeRange[] {
  if (!MARKS.test(text)) return [];
  const ranges: CodeRange[] = [];
  let fence: Fence | null = null;
  let paragraph = 0;
  const endParagraph = (end: number, next: number): void => {
    for (const range of inlineRanges(text, paragraph, end)) ranges.push(range);
    paragraph = next;
  };
  let start = 0;
  for (const line of text.split("\n")) {
    const end = start + line.length;
    if (fence !== null) {
      if (closes(line, fence)) {
        ranges.push({ start: fence.start, end });
        fence = null;
        paragraph = end;
      }
    } else {
      fence = openedBy(line, start);
      if (INDENTED.test(line)) ranges.push({ start, end });
      if (fence !== null || EMPTY.test(line)) endParagraph(start, end);
      else if (BLOCK_START.test(line)) endParagraph(start, start);
    }
    start = end + 1;
  }
  if (fence === null) endParagraph(text.length, text.length);
  else ranges.push({ start: fence.start, end: text.length });
  return mergeRanges([...ranges, ...htmlCode([{ start: 0, source: text }])]);
}

function openedBy(line: string, start: number): Fence | null {
  const [whole = "", indent = "", mark] = OPENING.exec(line) ?? [];
  if (mark === undefined) return null;
  // With another backtick behind it, it is inline code.
  if (mark.startsWith("`") && line.includes("`", whole.length)) return null;
  return { mark, indent: indent.length, start };
}

function closes(line: string, fence: Fence): boolean {
  const [, indent = "", mark = ""] = CLOSING.exec(line) ?? [];
  return mark.startsWith(fence.mark) && indent.length <= fence.indent + INDENT_MAX;
}

/** A run of backticks opens inline code where a run of the same length follows in its paragraph. */
function inlineRanges(text: string, start: number, end: number): readonly CodeRange[] {
  const part = text.slice(start, end);
  const closing = createClosers(part);
  const ranges: CodeRange[] = [];
  // A backslash takes a backtick's meaning outside code only.
  const tokens = /\\[\\`]|`+/g;
  for (let token = tokens.exec(part); token !== null; token = tokens.exec(part)) {
    if (token[0].startsWith("\\")) continue;
    const close = closing(token[0].length, tokens.lastIndex);
    if (close === null) continue;
    tokens.lastIndex = close + token[0].length;
    ranges.push({ start: start + token.index, end: start + tokens.lastIndex });
  }
  return ranges;
}

/** Finds the next run of a length; asked with positions that only grow, so each run is passed once. */
function createClosers(part: string): (length: number, from: number) => number | null {
  const runs = new Map<number, { readonly starts: number[]; next: number }>();
  for (const { 0: run, index } of part.matchAll(/`+/g)) {
    const known = runs.get(run.length);
    if (known === undefined) runs.set(run.length, { starts: [index], next: 0 });
    else known.starts.push(index);
  }
  return (length, from) => {
    const known = runs.get(length);
    if (known === undefined) return null;
    while ((known.starts[known.next] ?? from) < from) known.next += 1;
    return known.starts[known.next] ?? null;
  };
}
