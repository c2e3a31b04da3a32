/** Why the Bot API would not keep this message as it is; null when it would. */
export function checkMessage(
  text: string,
  entities: readonly Readonly<Record<string, unknown>>[],
): string | null {
  if (entities.length > 100) return `${entities.length} entities, at most 100 are kept`;
  const spans: { readonly from: number; readonly to: number }[] = [];
  for (const { type, offset, length } of entities) {
    if (typeof type !== "string") return "an entity has no type";
    if (typeof offset !== "number" || typeof length !== "number") return `${type} has no span`;
    const to = offset + length;
    if (offset < 0 || length < 1 || to > text.length) return `${type} is outside the text`;
    if (splitsPair(text, offset) || splitsPair(text, to)) return `${type} cuts a character`;
    const crossed = spans.find((span) => span.from < offset && span.to > offset && span.to < to);
    if (crossed !== undefined) return `${type} crosses another entity`;
    spans.push({ from: offset, to });
  }
  return null;
}

function splitsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}
