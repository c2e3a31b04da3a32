import { codeRanges } from "./code-ranges.ts";

/** `[ctx: ~62%]`, as the agent was asked to write it, with the marks of emphasis around it. Up to 100 only. */
const REPORT =
  /(\*{1,3}|_{1,3}|)\[ctx: {0,3}~? {0,3}(100(?:\.0{1,3})?|\d{1,2}(?:\.\d{1,3})?) {0,3}% {0,3}\]\1/gi;
/** What would become a report when the one behind it is taken out. */
const BEGUN = /\[(?:c(?:t(?:x(?::[ \t~\d.%]*)?)?)?)?$/i;
/** Longer than any report. */
const BEGUN_MAX = 40;
/** What would become a fence, or the end of one, at the beginning of its line, in a list too. */
const FENCE_FOLLOWS = /[ \t>*+\-\d.)]*(?:`{3}|~{3})/y;

export interface SelfReport {
  /** The text without its reports. */
  readonly text: string;
  /** Whole percent, 0 to 100, by the last report; null where there is none. */
  readonly percent: number | null;
}

interface Report {
  readonly start: number;
  readonly end: number;
  readonly percent: number;
}

/**
 * Takes the agent's own estimates of its context out of a text, wherever they
 * stand outside code. Everything else is kept, save white space around them.
 */
export function parseSelfReport(text: string): SelfReport {
  const reports = reportsIn(text);
  const last = reports.at(-1);
  if (last === undefined) return { text, percent: null };
  return { text: withoutReports(text, reports), percent: last.percent };
}

function reportsIn(text: string): readonly Report[] {
  const found = [...text.matchAll(REPORT)].flatMap((match) => {
    const [start, end] = [match.index, match.index + match[0].length];
    const percent = Math.floor(Number(match[2]));
    return standsFree(text, start, end) ? [{ start, end, percent }] : [];
  });
  if (found.length === 0) return [];
  const code = codeRanges(text);
  let next = 0;
  return found.filter(({ start }) => {
    while ((code[next]?.end ?? Infinity) <= start) next += 1;
    return (code[next]?.start ?? Infinity) > start;
  });
}

/** Whether what is left and right of it means the same once it is gone: it makes no code, and no report. */
function standsFree(text: string, start: number, end: number): boolean {
  if (/[`~\\]/.test(text.charAt(start - 1)) || /[`~]/.test(text.charAt(end))) return false;
  FENCE_FOLLOWS.lastIndex = end;
  if (FENCE_FOLLOWS.test(text)) return false;
  let before = start;
  while (isBlank(text.charAt(before - 1))) before -= 1;
  return !BEGUN.test(text.slice(Math.max(0, before - BEGUN_MAX), before));
}

function withoutReports(text: string, reports: readonly Report[]): string {
  const kept: string[] = [];
  let [offset, next] = [0, 0];
  // A line that held nothing else is gone: no second empty line may be left where it stood.
  let gap = false;
  let endsInReport = false;
  for (const line of text.split("\n")) {
    const first = next;
    while ((reports[next]?.start ?? Infinity) <= offset + line.length) next += 1;
    const stripped = stripLine(line, offset, reports.slice(first, next));
    offset += line.length + 1;
    const empty = stripped.trim() === "";
    if (next > first && empty) {
      gap = true;
      endsInReport = true;
      while (isEmpty(kept.at(-1)) && isEmpty(kept.at(-2)) && kept.length > 0) kept.pop();
    } else if (!empty) {
      gap = false;
      endsInReport = reports[next - 1]?.end === offset - 1 - trailing(line);
      kept.push(stripped);
    } else if (!gap || !isEmpty(kept.at(-1))) kept.push(stripped);
  }
  const rest = kept.join("\n");
  return endsInReport ? rest.trimEnd() : rest;
}

/** Leaves one blank where there was one on either side, and none at the line's ends. */
function stripLine(line: string, offset: number, reports: readonly Report[]): string {
  if (reports.length === 0) return line;
  const pieces: string[] = [];
  let from = 0;
  let begun = false;
  for (const report of reports) {
    const before = line.slice(from, report.start - offset);
    from = report.end - offset;
    begun ||= before.trim() !== "";
    const blankFollows = isBlank(line.charAt(from)) || from === line.length;
    pieces.push(begun && blankFollows ? before.trimEnd() : before);
    // At the line's beginning its indentation stays.
    while (!begun && isBlank(line.charAt(from))) from += 1;
  }
  const rest = line.slice(from);
  return rest.trim() === "" ? pieces.join("").trimEnd() : pieces.join("") + rest;
}

const isBlank = (character: string): boolean => /^[ \t\r]$/.test(character);
const isEmpty = (line: string | undefined): boolean => (line ?? "").trim() === "";
const trailing = (line: string): number => line.length - line.trimEnd().length;
