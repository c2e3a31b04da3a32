import { trimRich, type Rich } from "./entities.ts";
import { renderMarkdown } from "./render.ts";
import { splitRich, TELEGRAM_LIMITS, type SplitLimits } from "./split.ts";

const PLACEHOLDER: Rich = { text: "(empty answer)", entities: [] };

/** Markdown as messages within Telegram's limits, the footer at the end of every one. */
export function renderParts(
  markdown: string,
  footer: string | null,
  limits: Partial<SplitLimits> = {},
): readonly Rich[] {
  return withFooter(footer, { ...TELEGRAM_LIMITS, ...limits }, (within) =>
    splitRich(trimRich(renderMarkdown(markdown)), within),
  );
}

/** Leaves room for the footer in each part, and puts it there. */
export function withFooter(
  footer: string | null,
  limits: SplitLimits,
  split: (within: SplitLimits) => readonly Rich[],
): readonly Rich[] {
  const tail = footer === null ? "" : `\n\n${footer}`;
  const parts = split({ ...limits, maxUnits: limits.maxUnits - tail.length });
  return (parts.length === 0 ? [PLACEHOLDER] : parts).map(({ text, entities }) => ({
    text: text + tail,
    entities,
  }));
}
