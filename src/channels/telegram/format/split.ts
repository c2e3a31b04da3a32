import { isBlank } from "./clean.ts";
import { findCut, indexCode } from "./cut.ts";
import type { CodeIndex } from "./cut.ts";
import { byPosition } from "./entities.ts";
import type { Entity, Rich } from "./entities.ts";

export interface SplitOptions {
  /** UTF-16 units of one message, at least 2. Default: 4,096, the Bot API's bound. */
  readonly maxUnits?: number;
  /** Entities of one message. Default: 100; the server drops what is over it without a word. */
  readonly maxEntities?: number;
}

export const MESSAGE_MAX_UNITS = 4_096;
const MESSAGE_MAX_ENTITIES = 100;

/**
 * Cuts a text into messages. Only white space at the cuts is lost; entities go on in the next
 * message; a message that would show nothing is left out. Throws a RangeError for bounds that no
 * message fits.
 */
export function splitRich(rich: Rich, options: SplitOptions = {}): Rich[] {
  const { maxUnits = MESSAGE_MAX_UNITS, maxEntities = MESSAGE_MAX_ENTITIES } = options;
  if (!(maxUnits >= 2) || !(maxEntities >= 0)) {
    throw new RangeError(`maxUnits ${maxUnits} and maxEntities ${maxEntities}: at least 2 and 0`);
  }
  const { text } = rich;
  const entities = rich.entities.toSorted(byPosition);
  const code = indexCode(entities);
  const parts: Rich[] = [];
  let live: Entity[] = [];
  let next = 0;
  let start = skipSpace(text, 0, code);
  while (start < text.length) {
    for (; (entities[next]?.offset ?? Infinity) <= start; next += 1)
      live.push(...at(entities, next));
    live = live.filter((entity) => end(entity) > start);
    const tooMany = entities[next + Math.max(0, maxEntities - live.length)]?.offset ?? Infinity;
    const limit = Math.min(start + maxUnits, tooMany);
    const cut = limit >= text.length ? text.length : findCut(text, start, limit, code);
    const inside = [...live];
    for (; (entities[next]?.offset ?? Infinity) < cut; next += 1)
      inside.push(...at(entities, next));
    const part = cutPart(text, start, cut, inside, maxEntities);
    if (part !== null) parts.push(part);
    live = inside;
    start = skipSpace(text, isSpace(text.charAt(cut)) ? cut + 1 : cut, code);
  }
  return parts;
}

function at(entities: readonly Entity[], index: number): Entity[] {
  return entities.slice(index, index + 1);
}

function end(entity: Entity): number {
  return entity.offset + entity.length;
}

function isSpace(character: string): boolean {
  return /^\s$/.test(character);
}

/** A part may begin with indented code, not with an empty line of it. */
function skipSpace(text: string, from: number, code: CodeIndex): number {
  let place = from;
  while (place < text.length && isSpace(text.charAt(place))) {
    if (text.charAt(place) !== "\n" && code.at(place) !== null) break;
    place += 1;
  }
  return place;
}

function cutPart(
  text: string,
  from: number,
  to: number,
  inside: readonly Entity[],
  maxEntities: number,
): Rich | null {
  const shown = text.slice(from, to).trimEnd();
  if (isBlank(shown)) return null;
  const clipped = inside.flatMap((entity) => clip(shown, from, entity)).toSorted(byPosition);
  const entities = clipped.slice(0, maxEntities);
  // Only an entity keeps the server from cutting the indentation of code off.
  return { text: entities.length === 0 ? shown.trimStart() : shown, entities };
}

/** What a part shows of an entity; none over nothing visible, which the server would drop. */
function clip(shown: string, from: number, entity: Entity): Entity[] {
  const begin = Math.max(entity.offset - from, 0);
  const stop = Math.min(end(entity) - from, shown.length);
  if (stop <= begin || isBlank(shown.slice(begin, stop))) return [];
  return [{ ...entity, offset: begin, length: stop - begin }];
}
