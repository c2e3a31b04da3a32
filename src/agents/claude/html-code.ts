import type { CodeRange } from "./code-range.ts";

/** A tag, or a block that holds some. */
export interface Html {
  readonly start: number;
  readonly source: string;
}

interface Tag {
  readonly name: string;
  readonly closes: boolean;
  readonly start: number;
  readonly end: number;
  /** Of the HTML that holds it. */
  readonly last: number;
}

const TAG = /<(\/?)(pre|code|samp|kbd|tt|xmp|script|style|textarea)(?=[\s/>])[^<>]*>/gi;

/** What HTML shows as code. A tag that nothing closes means the HTML it stands in, and no text behind it. */
export function htmlCode(html: readonly Html[]): readonly CodeRange[] {
  const tags = html.flatMap(tagsOf);
  const ends = new Map<string, Tag[]>();
  for (const tag of tags.toReversed()) {
    if (!tag.closes) continue;
    const waiting = ends.get(tag.name) ?? [];
    waiting.push(tag);
    ends.set(tag.name, waiting);
  }
  const ranges: CodeRange[] = [];
  let behind = 0;
  for (const { name, closes, start, last } of tags) {
    if (closes || start < behind) continue;
    const waiting = ends.get(name) ?? [];
    while ((waiting.at(-1)?.start ?? Infinity) < start) waiting.pop();
    behind = waiting.at(-1)?.end ?? last;
    ranges.push({ start, end: behind });
  }
  return ranges;
}

function tagsOf({ start, source }: Html): readonly Tag[] {
  return [...source.matchAll(TAG)].map(({ 0: tag, 1: slash = "", 2: name = "", index }) => ({
    name: name.toLowerCase(),
    closes: slash !== "",
    start: start + index,
    end: start + index + tag.length,
    last: start + source.length,
  }));
}
