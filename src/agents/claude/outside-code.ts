import type { CodeRange } from "./code-range.ts";
import type { CodeReader } from "./code-reader.ts";
import { endsWithItself } from "./markdown-blocks.ts";
import type { Report } from "./report-forms.ts";
import { takeOut } from "./take-out.ts";

/** Of the reports in one block those that are no code, and of these the ones that may be taken out. */
export function outsideCode(
  source: string,
  reports: readonly Report[],
  reader: CodeReader,
): { readonly outside: readonly Report[]; readonly harmless: readonly Report[] } {
  const [first] = reports;
  // A paragraph of its own, as the agent is asked for it: no need to parse anything.
  if (first?.start === 0 && source.slice(first.end).trim() === "") {
    return { outside: reports, harmless: reports };
  }
  const { ranges, isExact } = reader.read(source);
  let next = 0;
  const outside = reports.filter(({ start }) => {
    while ((ranges[next]?.end ?? Infinity) <= start) next += 1;
    return (ranges[next]?.start ?? Infinity) > start;
  });
  if (!isExact || outside.length === 0) return { outside, harmless: outside };
  return { outside, harmless: harmlessOf(source, outside, ranges, reader) };
}

/** Where some cannot go, so many are tried one by one. */
const TRIED_MAX = 16;

/** Those without which all code is what it was: what follows a report indented, say, could become some. */
function harmlessOf(
  source: string,
  reports: readonly Report[],
  ranges: readonly CodeRange[],
  reader: CodeReader,
): readonly Report[] {
  const code = shownIn(source, ranges);
  const isClosed = endsWithItself(source);
  const gap = source.slice(source.trimEnd().length);
  const mayGo = (some: readonly Report[]): boolean => {
    const rest = takeOut(source, some);
    if (/^[ \t]+\S/.test(rest) && !/^[ \t]/.test(source)) return false;
    if (isClosed && !endsWithItself(rest.trimEnd() + gap)) return false;
    const left = reader.read(rest);
    return !left.isExact || shownIn(rest, left.ranges) === code;
  };
  if (mayGo(reports)) return reports;
  const taken: Report[] = [];
  for (const one of reports.slice(-TRIED_MAX)) if (mayGo([...taken, one])) taken.push(one);
  return taken;
}

function shownIn(source: string, ranges: readonly CodeRange[]): string {
  return JSON.stringify(ranges.map(({ start, end }) => source.slice(start, end).trimEnd()));
}
