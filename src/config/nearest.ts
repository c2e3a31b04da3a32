/** How many letters must be changed, added or removed to get from one word to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[index] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * The candidate a person most likely meant, or null when none is near: at most
 * a third of its letters may differ. `forms` gives what to compare of a name,
 * for instance its last part.
 */
export function nearest(
  name: string,
  candidates: readonly string[],
  forms: (name: string) => readonly string[] = (one) => [one],
): string | null {
  const written = forms(name.toLowerCase());
  let best: { readonly candidate: string; readonly score: number } | null = null;
  for (const candidate of candidates) {
    const known = forms(candidate.toLowerCase());
    for (const [index, form] of known.entries()) {
      const own = written[index] ?? name;
      // The first form is the whole name: it wins over an equal part of one.
      const score = distance(own, form) + index / 2;
      if (distance(own, form) > Math.max(1, form.length / 3)) continue;
      if (best === null || score < best.score) best = { candidate, score };
    }
  }
  return best?.candidate ?? null;
}
