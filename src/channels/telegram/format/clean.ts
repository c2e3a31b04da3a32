const TAB_STOP = 4;

/**
 * The text as Telegram will keep it, so that offsets agree with what is shown. The server refuses
 * lone surrogates, turns control characters into spaces, and silently removes U+202A–U+202E and
 * the combining marks U+030A, U+0333 and U+033F (TDLib, `clean_input_string`). Tabs stay: Markdown
 * needs them; `expandTabs` takes them out later.
 */
export function cleanText(text: string): string {
  return (
    text
      .replaceAll(/\p{Surrogate}/gu, "\ufffd")
      .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
      .replaceAll(/[^\P{Cc}\n\t]/gu, " ")
      // An å of two characters, as macOS writes file names, would lose its ring.
      .replaceAll(/\p{L}\u030a/gu, (letter) => letter.normalize("NFC"))
      .replaceAll(/[\u202a-\u202e]|\u030a|\u0333|\u033f/g, "")
  );
}

/** Telegram shows a tab as one space, which would flatten indented code. */
export function expandTabs(text: string): string {
  if (!text.includes("\t")) return text;
  return text.split("\n").map(expandLine).join("\n");
}

function expandLine(line: string): string {
  const [first = "", ...rest] = line.split("\t");
  let expanded = first;
  let column = first.length;
  for (const piece of rest) {
    const gap = TAB_STOP - (column % TAB_STOP);
    expanded += " ".repeat(gap) + piece;
    column += gap + piece.length;
  }
  return expanded;
}

/** What the server counts as an empty message: besides white space, characters that show nothing (TDLib, `is_empty_string`). */
export function isBlank(text: string): boolean {
  return /^[\s\u180e\u200b-\u200f\u202a-\u202e\u2800\ufffc\u{e0000}-\u{e007f}]*$/u.test(text);
}
