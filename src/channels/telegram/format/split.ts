import { clip, trimRich, type Entity, type Rich } from "./entities.ts";

/** The Bot API's own bounds on one message. */
export interface SplitLimits {
  /** UTF-16 units. */
  readonly maxUnits: number;
  readonly maxEntities: number;
}

export const TELEGRAM_LIMITS: SplitLimits = { maxUnits: 4096, maxEntities: 100 };

const segmenter = new Intl.Segmenter();

/** Parts within the limits; nothing but white space at the cuts is lost, and no part is empty. */
export function splitRich(rich: Rich, limits: SplitLimits = TELEGRAM_LIMITS): readonly Rich[] {
  const parts: Rich[] = [];
  const entities = rich.entities.toSorted((a, b) => a.offset - b.offset);
  let from = 0;
  let first = 0;
  while (from < rich.text.length) {
    // Entities that end before the part are never looked at again.
    while (first < entities.length && endOf(entities[first]) <= from) first += 1;
    const to = cutAfter(rich.text, entities, from, first, limits);
    const held: Entity[] = [];
    for (let at = first; at < entities.length; at += 1) {
      const entity = entities[at];
      if (entity === undefined || entity.offset >= to) break;
      held.push(...clip(entity, from, to));
    }
    const part = trimRich({ text: rich.text.slice(from, to), entities: held });
    if (part.text !== "") parts.push(part);
    from = to;
  }
  return parts;
}

const endOf = (entity: Entity | undefined) =>
  entity === undefined ? 0 : entity.offset + entity.length;

/** Where the part that begins at `from` ends: at a blank line outside code, a line's end, a space, a character's end. */
function cutAfter(
  text: string,
  entities: readonly Entity[],
  from: number,
  first: number,
  { maxUnits, maxEntities }: SplitLimits,
): number {
  let limit = Math.min(text.length, from + maxUnits);
  let count = 0;
  for (let at = first; at < entities.length; at += 1) {
    const entity = entities[at];
    if (entity === undefined || entity.offset >= limit) break;
    if (endOf(entity) > from) count += 1;
    if (count > maxEntities) {
      limit = Math.max(from + 1, entity.offset);
      break;
    }
  }
  if (limit >= text.length) return text.length;
  const inCode = (at: number) =>
    entities.some((entity) => entity.type === "pre" && entity.offset < at && at < endOf(entity));
  // A part that is less than half full makes a worse picture than a cut at a line.
  const least = from + Math.floor((limit - from) / 2);
  for (
    let at = text.lastIndexOf("\n\n", limit - 1);
    at > least;
    at = text.lastIndexOf("\n\n", at - 1)
  ) {
    if (!inCode(at)) return at + 2 <= limit ? at + 2 : at;
  }
  for (const mark of ["\n", " "]) {
    const at = text.lastIndexOf(mark, limit - 1);
    if (at > least) return at + 1;
  }
  return characterEnd(text, from, limit);
}

/** How far back the beginning of a character may lie: a family emoji has some 11 units, a stack of accents more. */
const CHARACTER_MAX = 64;

/** The last end of a whole character (as people see it) not after `limit`. */
function characterEnd(text: string, from: number, limit: number): number {
  const begin = Math.max(from, limit - CHARACTER_MAX);
  const safe = isLow(text, begin) ? begin + 1 : begin;
  let end = from;
  for (const { index, segment } of segmenter.segment(text.slice(safe, limit + CHARACTER_MAX))) {
    const at = safe + index + segment.length;
    if (at > limit) break;
    end = at;
  }
  if (end > from) return end;
  // One character longer than a message: cut it, only not inside a pair.
  return isLow(text, limit) ? limit - 1 : limit;
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
