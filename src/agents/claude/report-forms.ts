import type { Span } from "./take-out.ts";

export interface Report extends Span {
  readonly percent: number;
}

const BLANKS = String.raw`[ \t\u00a0\u2007\u2009\u200a\u202f]{0,3}`;
const SIGN = "[~≈∼≃≅∽˜～<>≤≥±]";
const WORD = String.raw`(?:about|approx(?:\.|imately)?|around|roughly|circa|ca\.?|est(?:\.|imated)?|nearly|almost)`;
/** Up to 100 only. */
const NUMBER = String.raw`(100(?:[.,]0{1,3})?|\d{1,2}(?:[.,]\d{1,3})?)`;
/** `[ctx: ~62%]`, as the agent was asked to write it, and as models write it instead. */
const BODY = String.raw`\[ctx:${BLANKS}(?:(?:${SIGN}|${WORD})${BLANKS}){0,2}${NUMBER}${BLANKS}(?:[%％]|per ?cent)${BLANKS}(?:(?:used|full)${BLANKS})?\]`;
const EMPHASIS = String.raw`\*{1,3}|_{1,3}|`;

const REPORT = new RegExp(`(${EMPHASIS})${BODY}\\1`, "gi");
const IN_TICKS = new RegExp(`(${EMPHASIS})(\`{1,2}) ?${BODY} ?\\2\\1$`, "i");
/** Longer than any report. */
const REPORT_MAX = 80;
/** What would become a report when the one behind it is taken out. */
const BEGUN = /\[(?:c(?:t(?:x(?::[^\][\n]*)?)?)?)?$/i;
/** What would become a fence, or the end of one, at the beginning of its line, in a list too. */
const FENCE_FOLLOWS = /[ \t>*+\-\d.)]*(?:`{3}|~{3})/y;
/** Behind a sentence, its quotes and emphasis included. */
const SENTENCE_END = /[.!?…。！？\p{Extended_Pictographic}]\ufe0f?[*_)"'”’»]*[ \t]+$/u;

/** Every report in a text that could be taken out, be it in code or not. */
export function reportsWritten(text: string): readonly Report[] {
  return [...text.matchAll(REPORT)].flatMap((match) => {
    const [start, end] = [match.index, match.index + match[0].length];
    return standsFree(text, start, end) ? [{ start, end, percent: percentOf(match[2]) }] : [];
  });
}

/**
 * The last thing of a text in backticks, by itself on its line or behind a
 * sentence: some models write their report like that. Anywhere else a span of
 * code is one that the reader is to see.
 */
export function reportInTicks(text: string): { report: Report; span: Span } | null {
  const end = text.trimEnd().length;
  const from = Math.max(0, end - REPORT_MAX);
  const match = IN_TICKS.exec(text.slice(from, end));
  if (match === null) return null;
  const start = from + match.index;
  const line = text.slice(
    Math.max(text.lastIndexOf("\n", start - 1) + 1, start - REPORT_MAX),
    start,
  );
  if (line.trim() !== "" && !SENTENCE_END.test(line)) return null;
  const marks = match[1]?.length ?? 0;
  return {
    report: { start, end, percent: percentOf(match[3]) },
    span: { start: start + marks, end: end - marks },
  };
}

function percentOf(number: string | undefined): number {
  return Math.floor(Number(number?.replace(",", ".")));
}

/** Whether what is left and right of it means the same once it is gone: it makes no code, and no report. */
function standsFree(text: string, start: number, end: number): boolean {
  if (/[`~\\]/.test(text.charAt(start - 1)) || /[`~]/.test(text.charAt(end))) return false;
  FENCE_FOLLOWS.lastIndex = end;
  if (FENCE_FOLLOWS.test(text)) return false;
  let before = start;
  while (/^[ \t\r]$/.test(text.charAt(before - 1))) before -= 1;
  return !BEGUN.test(text.slice(Math.max(0, before - REPORT_MAX), before));
}
