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
