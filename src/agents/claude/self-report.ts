/** `[ctx: ~62%]` at the very end of an answer, as the agent was asked to write it. */
const REPORT = /\[ctx: {0,3}~? {0,3}(\d{1,3})(?:\.\d{1,3})? {0,3}% {0,3}\]$/i;

export interface SelfReport {
  /** The answer without the report. */
  readonly text: string;
  /** Whole percent, 0 to 100; null when the answer holds no report that makes sense. */
  readonly percent: number | null;
}

/** Takes the agent's own estimate of its context out of an answer. */
export function parseSelfReport(answer: string): SelfReport {
  const end = answer.trimEnd();
  const match = REPORT.exec(end);
  if (match === null) return { text: answer, percent: null };
  const percent = Number(match[1]);
  return { text: end.slice(0, match.index).trimEnd(), percent: percent <= 100 ? percent : null };
}
