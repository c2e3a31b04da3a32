import { isIPv6 } from "node:net";

/**
 * A strict judge of messages with entities, independent of what holdfast does to make them. It goes
 * by TDLib, which the Bot API's server is built on (MessageEntity.cpp, LinkManager.cpp, HttpUrl.cpp),
 * and counts as a fault what the server refuses as well as what it drops or changes without a word.
 */

type Entity = Readonly<Record<string, unknown>>;
type Span = { readonly type: string; readonly from: number; readonly to: number };

const MAX_UNITS = 4_096;
const MAX_ENTITIES = 100;

const STYLES = ["bold", "italic", "underline", "strikethrough", "spoiler"];
const QUOTES = ["blockquote", "expandable_blockquote"];
const CODES = ["code", "pre"];
const LINKS = ["text_link", "text_mention", "custom_emoji"];
const KNOWN = new Set([...STYLES, ...QUOTES, ...CODES, ...LINKS]);

/** Why the Bot API would refuse or change this message; null when it would keep it as it is. */
export function checkMessage(text: string, entities: readonly Entity[]): string | null {
  const wrong = checkText(text, entities);
  if (wrong !== null) return wrong;
  if (entities.length > MAX_ENTITIES) return `${entities.length} entities, at most 100 are kept`;
  const spans: Span[] = [];
  for (const entity of entities) {
    const span = readSpan(text, entity);
    if (typeof span === "string") return span;
    for (const other of spans) {
      const clash = checkPair(other, span);
      if (clash !== null) return clash;
    }
    spans.push(span);
  }
  return null;
}

function checkText(text: string, entities: readonly Entity[]): string | null {
  if (/\p{Surrogate}/u.test(text)) return "half a character stands alone";
  if (showsNothing(text)) return "the text is empty";
  const atStart = entities.some(({ offset }) => offset === 0);
  // Space at the start is cut off as far as the first entity only.
  if (text !== text.trimEnd() || (text !== text.trimStart() && !atStart)) {
    return "white space at an end is cut off, and entities move";
  }
  if (text.length > MAX_UNITS) return `${text.length} UTF-16 units, at most 4096 are taken`;
  if (/[^\P{Cc}\n\u007f-\u009f]/u.test(text)) return "a control character becomes a space";
  const gone = /[\u202a-\u202e]|\u2028|\u2029|\u030a|\u0333|\u033f/.exec(text);
  return gone === null ? null : `U+${gone[0].charCodeAt(0).toString(16)} is taken out`;
}

/** `is_empty_string`: beside white space there are characters that nobody sees. */
function showsNothing(text: string): boolean {
  const unseen =
    /[\s\u180e\u200b-\u200f\u202a-\u202e\u2800\ufffc]|[\u{e0000}-\u{e007f}]|[^\P{Cc}]/gu;
  return text.replaceAll(unseen, "") === "";
}

function readSpan(text: string, entity: Entity): Span | string {
  const { type, offset, length, url, language } = entity;
  if (typeof type !== "string" || !KNOWN.has(type)) return `unknown entity ${String(type)}`;
  if (!Number.isInteger(offset) || !Number.isInteger(length)) return `${type} has no span`;
  const from = offset as number;
  const to = from + (length as number);
  if (from < 0 || to <= from || to > text.length) return `${type} is outside the text`;
  if (cutsPair(text, from) || cutsPair(text, to)) return `${type} cuts a character`;
  if (showsNothing(text.slice(from, to))) return `${type} covers white space only`;
  if (type === "text_link" ? !isKeptUrl(url) : url !== undefined) {
    return `${type} to ${String(url)}`;
  }
  if (language !== undefined && (type !== "pre" || typeof language !== "string")) {
    return `${type} in a language that is none`;
  }
  return { type, from, to };
}

function cutsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text[at - 1] ?? "") && /[\uDC00-\uDFFF]/.test(text[at] ?? "");
}

function checkPair(a: Span, b: Span): string | null {
  if (a.to <= b.from || b.to <= a.from) return null;
  const aHoldsB = a.from <= b.from && b.to <= a.to;
  const bHoldsA = b.from <= a.from && a.to <= b.to;
  if (!aHoldsB && !bHoldsA) return `${b.type} crosses ${a.type}`;
  // Over the same text either may be the outer one.
  const orders = [...(aHoldsB ? [[a, b] as const] : []), ...(bHoldsA ? [[b, a] as const] : [])];
  if (orders.some(([outer, inner]) => mayHold(outer.type, inner.type))) return null;
  const [outer, inner] = orders[0] ?? [a, b];
  return `${inner.type} inside ${outer.type === inner.type ? "itself" : outer.type}`;
}

function mayHold(outer: string, inner: string): boolean {
  if (outer === inner || CODES.includes(outer)) return false;
  if (CODES.includes(inner)) return QUOTES.includes(outer);
  if (QUOTES.includes(inner)) return STYLES.includes(outer);
  return !(LINKS.includes(outer) && LINKS.includes(inner));
}

/** `check_link`: http and https with a dot in the host, and tg. `tel:` is refused, `mailto:` becomes another address. */
function isKeptUrl(url: unknown): boolean {
  if (typeof url !== "string" || /\p{Surrogate}/u.test(url)) return false;
  if (/^tg:/i.test(url)) return /^tg:(?:\/\/)?[a-z\d_-]+(?:[/?#].*)?$/is.test(url);
  const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  const [, port] = /:(\d*)$/.exec(authority) ?? [];
  if (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)) return false;
  const host = authority.replace(/:\d*$/, "").replace(/^.*@/s, "");
  if (host.startsWith("[")) return isIPv6(host.slice(1, -1));
  return host.includes(".") && host !== "." && !/[^\w.!$,~*'();&+=%\u0080-\u{10ffff}-]/u.test(host);
}
