const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Wide and fullwidth characters (Unicode Standard Annex 11), the emoji apart. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]/u;
const EMOJI = /^\p{Emoji_Presentation}|\ufe0f/u;
const INVISIBLE = /^[\p{M}\p{Cf}]+$/u;

/** Columns that a text takes in a monospaced font. */
export function displayWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    if (INVISIBLE.test(segment)) continue;
    width += WIDE.test(segment) || EMOJI.test(segment) ? 2 : 1;
  }
  return width;
}
