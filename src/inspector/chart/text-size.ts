/**
 * Widths without a browser: those of Arial, in thousandths of the font size,
 * for the characters from space to tilde. A drawing gives each text its width,
 * so that another font keeps to it.
 */
const WIDTHS = [
  278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
  556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
  611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
  222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
const WIDEST = 1015;
const BEYOND: Readonly<Record<string, number>> = { "●": 604 };
/** Bold letters are wider by about this much. */
const BOLD = 1.07;

export function textWidth(text: string, fontSize: number, bold = false): number {
  let thousandths = 0;
  for (const character of text) {
    const listed = WIDTHS[(character.codePointAt(0) ?? 0) - 32];
    thousandths += listed ?? BEYOND[character] ?? WIDEST;
  }
  return Math.ceil((thousandths * fontSize * (bold ? BOLD : 1)) / 1000);
}

/** Words in rows of at most `width`, save for a word that is wider itself. */
export function wrapText(text: string, width: number, fontSize: number): readonly string[] {
  const rows: string[] = [];
  let row = "";
  for (const word of text.split(" ")) {
    const longer = row === "" ? word : `${row} ${word}`;
    if (row !== "" && textWidth(longer, fontSize) > width) {
      rows.push(row);
      row = word;
    } else {
      row = longer;
    }
  }
  return [...rows, row];
}
