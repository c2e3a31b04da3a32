/** Deeper nesting is no formatting that a reader could follow; the parser takes seconds for it. */
const NESTED_MAX = 32;
const OPEN_MAX = 64;

/** Whether Markdown nests too deeply to be parsed: an estimate on the safe side. */
export function isTangled(source: string): boolean {
  return source.split("\n").some(isDeepLine) || source.split(/\n[ \t]*\n/).some(isDeepText);
}

/** Quotes and lists that begin in one line. */
function isDeepLine(line: string): boolean {
  const [containers = ""] =
    /^(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*/.exec(line) ?? [];
  return containers.replaceAll(/[\d \t]/g, "").length > NESTED_MAX && !/^[-* \t]+$/.test(line);
}

/** Emphasis and brackets that are open at the same time. Intraword underscores open nothing. */
function isDeepText(text: string): boolean {
  let emphasis = 0;
  let brackets = 0;
  for (const match of text.matchAll(/`[^`\n]*`|\[|\]|[*~]+|_+/g)) {
    const [mark] = match;
    if (mark.startsWith("`")) continue;
    if (mark === "[") brackets += 1;
    else if (mark === "]") brackets = Math.max(0, brackets - 1);
    else emphasis = Math.max(0, emphasis + openedBy(mark, text, match.index));
    if (emphasis > OPEN_MAX || brackets > OPEN_MAX) return true;
  }
  return false;
}

/** Levels that a run of marks may open (negative: close), by what stands beside it. */
function openedBy(mark: string, text: string, index: number): number {
  const before = /\S/.test(text.charAt(index - 1));
  const after = /\S/.test(text.charAt(index + mark.length));
  const levels = Math.ceil(mark.length / 2);
  if (before && after) return mark.startsWith("_") ? 0 : mark.length > OPEN_MAX ? levels : 0;
  return after ? levels : before ? -levels : 0;
}
