const segmenter = new Intl.Segmenter();

/** The beginning of a text, at most `max` characters as people see them, with an ellipsis where it was cut. */
export function excerpt(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept: string[] = [];
  for (const { segment } of segmenter.segment(text.slice(0, max * 16))) {
    if (kept.length === max) return `${kept.slice(0, max - 1).join("")}…`;
    kept.push(segment);
  }
  return kept.join("");
}

/** The end of a text, from the beginning of a line or a word: half a word or half of a mark reads badly. */
export function endOf(text: string, max: number): string {
  const trimmed = text.trim();
  if (trimmed.length <= max) return trimmed;
  const end = trimmed.slice(-max);
  const line = end.indexOf("\n");
  return `…${end.slice(line === -1 ? end.indexOf(" ") : line)}`;
}
