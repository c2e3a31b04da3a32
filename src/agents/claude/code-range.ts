/** From the first character of code, its marks included, to the one after it. */
export interface CodeRange {
  readonly start: number;
  readonly end: number;
}

/** In order, and none in another. */
export function mergeRanges(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const before = merged.at(-1);
    if (before === undefined || before.end <= start) merged.push({ start, end });
    else before.end = Math.max(before.end, end);
  }
  return merged;
}
