import { createCodeReader } from "./code-reader.ts";
import { cutBlocks } from "./markdown-blocks.ts";
import { outsideCode } from "./outside-code.ts";
import { reportInTicks, reportsWritten } from "./report-forms.ts";
import type { Report } from "./report-forms.ts";
import { takeOut } from "./take-out.ts";

export interface SelfReport {
  /** The text without its reports. */
  readonly text: string;
  /** Whole percent, 0 to 100, by the last report; null where there is none. */
  readonly percent: number | null;
}

/**
 * Takes the agent's own estimates of its context out of a text, wherever they
 * stand outside code. Everything else is kept, save white space around them.
 */
export function parseSelfReport(text: string): SelfReport {
  const reports = reportsIn(text);
  const last = reports.at(-1);
  if (last === undefined) return { text, percent: null };
  return { text: takeOut(text, reports), percent: last.percent };
}

function reportsIn(text: string): readonly Report[] {
  const written = reportsWritten(text);
  const inTicks = reportInTicks(text);
  if (written.length === 0 && inTicks === null) return [];
  // For the parser a lone carriage return ends a line.
  const source = text.replaceAll(/\r(?!\n)/g, "\n");
  const reader = createCodeReader();
  const blocks = cutBlocks(source);
  const found: Report[][] = [];
  let left = written.length;
  let isAnyOutside = false;
  // From the last one on: should the time not do for all, the end of a text is where reports are.
  for (const { kind, start, end } of blocks.toReversed()) {
    const behind = left;
    while ((written[left - 1]?.start ?? -1) >= start) left -= 1;
    if (kind === "fence" || left === behind) continue;
    const inside = written.slice(left, behind).map((one) => moved(one, -start));
    const { outside, harmless } = outsideCode(source.slice(start, end), inside, reader);
    isAnyOutside ||= outside.length > 0;
    found.push(harmless.map((one) => moved(one, start)));
  }
  if (isAnyOutside || inTicks === null) return found.toReversed().flat();
  // One that is shown in backticks beside a real one is an example.
  const { start = 0, end = 0 } = blocks.at(-1) ?? {};
  const { ranges } = reader.read(source.slice(start, end));
  const { span } = inTicks;
  const isSpan = ranges.some(
    (one) => one.start + start === span.start && one.end + start === span.end,
  );
  return isSpan ? [inTicks.report] : [];
}

const moved = ({ start, end, percent }: Report, by: number): Report => ({
  start: start + by,
  end: end + by,
  percent,
});
