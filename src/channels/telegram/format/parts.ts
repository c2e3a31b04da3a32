import { cleanText, isBlank } from "./clean.ts";
import type { Rich } from "./entities.ts";
import { renderMarkdown } from "./render.ts";
import { MESSAGE_MAX_UNITS, splitRich } from "./split.ts";
import type { SplitOptions } from "./split.ts";

export interface PartOptions extends SplitOptions {
  /** In the place of a text in which nothing can be seen. Default: there is no message then. */
  readonly placeholder?: string;
}

/**
 * Markdown as messages. The footer stands under every one on a line of its own. Deterministic: the
 * same text gives the same messages.
 */
export function renderParts(
  markdown: string,
  footer: string | null,
  options: PartOptions = {},
): Rich[] {
  return splitWithFooter(renderMarkdown(markdown), footer, options);
}

/** Splits so that the footer fits under each part. */
export function splitWithFooter(
  rich: Rich,
  footer: string | null,
  options: PartOptions = {},
): Rich[] {
  const { maxUnits = MESSAGE_MAX_UNITS, placeholder } = options;
  const below = footerBelow(footer, maxUnits);
  const split = splitRich(rich, { ...options, maxUnits: maxUnits - below.length });
  const isEmpty = split.length === 0 && placeholder !== undefined;
  const parts = isEmpty ? [{ text: placeholder, entities: [] }] : split;
  return parts.map((part) => withBelow(part, below));
}

const NOTHING: Rich = { text: "", entities: [] };

export interface Opening {
  /** The first message, with a line under it that says where the rest is. */
  readonly head: Rich;
  /** What the line stands for, as messages of their own. */
  readonly rest: readonly Rich[];
}

/** Cuts a text where the splitter cuts it, so that the line and the footer fit under the beginning. */
export function cutOpening(rich: Rich, line: string, footer: string | null): Opening {
  const below = footerBelow(footer, MESSAGE_MAX_UNITS);
  const belowHead = `\n\n${line}${below}`;
  const maxUnits = MESSAGE_MAX_UNITS - belowHead.length;
  const [head = NOTHING, ...rest] = splitRich(rich, { maxUnits });
  return { head: withBelow(head, belowHead), rest: rest.map((part) => withBelow(part, below)) };
}

function withBelow({ text, entities }: Rich, below: string): Rich {
  return { text: text + below, entities };
}

function footerBelow(footer: string | null, maxUnits: number): string {
  const line = footerLine(footer, maxUnits);
  return line === null ? "" : `\n\n${line}`;
}

/**
 * One line, a quarter of a message at most: it leaves room for the text, and is no longer than the
 * caption of a file may be (1,024 units). Null where there is nothing to show.
 */
export function footerLine(footer: string | null, maxUnits = MESSAGE_MAX_UNITS): string | null {
  if (footer === null || isBlank(footer)) return null;
  const line = cleanText(footer).replaceAll(/\s+/g, " ").trim();
  const [first] = splitRich(
    { text: line, entities: [] },
    { maxUnits: Math.max(2, Math.floor(maxUnits / 4)) },
  );
  return first?.text ?? null;
}
