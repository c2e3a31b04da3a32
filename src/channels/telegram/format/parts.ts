import { cleanText, isBlank } from "./clean.ts";
import type { Rich } from "./entities.ts";
import { renderMarkdown } from "./render.ts";
import { MESSAGE_MAX_UNITS, splitRich } from "./split.ts";
import type { SplitOptions } from "./split.ts";

const PLACEHOLDER: Rich = { text: "(empty answer)", entities: [] };

/**
 * Markdown as messages. The footer stands under every one on a line of its own. Deterministic: the
 * same text gives the same messages. Without visible text there is one that says so.
 */
export function renderParts(
  markdown: string,
  footer: string | null,
  options: SplitOptions = {},
): Rich[] {
  return splitWithFooter(renderMarkdown(markdown), footer, options);
}

/** Splits so that the footer fits under each part. */
export function splitWithFooter(
  rich: Rich,
  footer: string | null,
  options: SplitOptions = {},
): Rich[] {
  const { maxUnits = MESSAGE_MAX_UNITS } = options;
  const below = footerBelow(footer, maxUnits);
  const split = splitRich(rich, { ...options, maxUnits: maxUnits - below.length });
  const parts = split.length === 0 ? [PLACEHOLDER] : split;
  return parts.map(({ text, entities }) => ({ text: text + below, entities }));
}

/** One line, and never so long that it leaves no room for the text. */
function footerBelow(footer: string | null, maxUnits: number): string {
  if (footer === null || isBlank(footer)) return "";
  const line = cleanText(footer).replaceAll(/\s+/g, " ").trim();
  const [first] = splitRich(
    { text: line, entities: [] },
    { maxUnits: Math.max(2, Math.floor(maxUnits / 4)) },
  );
  return first === undefined ? "" : `\n\n${first.text}`;
}
