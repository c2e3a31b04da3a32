import { isCode } from "./entities.ts";
import type { Entity } from "./entities.ts";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The code in a text, found by place. */
export interface CodeIndex {
  /** The code that covers the character at a place. */
  at(place: number): Entity | null;
}

/** Code never overlaps code, so its places can be searched by halves. */
export function indexCode(sorted: readonly Entity[]): CodeIndex {
  const codes = sorted.filter(isCode);
  return {
    at(place) {
      let low = 0;
      let high = codes.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((codes[middle]?.offset ?? 0) <= place) low = middle + 1;
        else high = middle;
      }
      const code = codes[low - 1];
      return code !== undefined && place < code.offset + code.length ? code : null;
    },
  };
}

/**
 * Where a part from `start` ends, `limit` at most and before the end of the text: at the last blank
 * line outside code, else the last line break, else the last space, else between two characters.
 */
export function findCut(text: string, start: number, limit: number, code: CodeIndex): number {
  const room = limit - start;
  // The white space to cut at may stand just behind the last character that fits.
  const window = text.slice(start, limit + 2);
  const holds = (length: number) => length > 0 && window.slice(0, length).trim() !== "";
  let blank = window.lastIndexOf("\n\n", room);
  while (blank > 0) {
    const inside = code.at(start + blank);
    if (inside === null) break;
    const before = Math.min(blank, inside.offset - start) - 1;
    blank = before < 0 ? -1 : window.lastIndexOf("\n\n", before);
  }
  if (holds(blank)) return start + blank;
  const line = window.lastIndexOf("\n", room);
  if (holds(line)) return start + line;
  const space = lastSpace(window, room);
  if (holds(space)) return start + space;
  return start + lastBoundary(window, room);
}

/** Not one that carries a combining mark. */
function lastSpace(window: string, room: number): number {
  let space = window.lastIndexOf(" ", room);
  while (space > 0 && /^[\p{M}\u200d]/u.test(window.slice(space + 1))) {
    space = window.lastIndexOf(" ", space - 1);
  }
  return space;
}

/** At least one unit, two where the first is half of a pair. */
function lastBoundary(window: string, room: number): number {
  const boundary = graphemes.segment(window).containing(room)?.index ?? room;
  if (boundary > 0) return boundary;
  // One character longer than a whole message: only its halves are kept together.
  return isLow(window, room) ? Math.max(room - 1, 2) : room;
}

function isLow(text: string, place: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(place));
}
