const MARK = "[redacted]";

/** A shorter secret would be found inside ordinary words and numbers. */
const SECRET_MIN_LENGTH = 6;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // A bot token, also as part of a URL (`/bot123456:AA…/getMe`), its colon possibly encoded.
  [/\d{5,}(?::|%3A)[\w-]{30,}/gi, MARK],
  [/sk-ant-[\w-]{6,}/g, MARK],
  // The scheme stays, the credentials go; quotes and backslashes come from JSON inside a text.
  [
    /(authorization\\?["']?\s*[:=]\s*\\?["']?(?:(?:bearer|basic|digest|token)\s+)?)[^\s"'\\,;]+/gi,
    `$1${MARK}`,
  ],
];

const SECRET_FIELD = /^(?:(?:proxy-)?authorization|x-api-key)$/i;

export interface Redactor {
  text(text: string): string;
  /** One serialised JSON record; the answer is valid JSON again, with the same line end. */
  line(line: string): string;
}

/**
 * Removes the given secrets, and whatever looks like a bot token, an Anthropic
 * key or an Authorization header. Secrets under 6 characters are ignored.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const exact = [...new Set(secrets)]
    .filter((secret) => secret.length >= SECRET_MIN_LENGTH)
    // The longest first: one secret may contain another.
    .toSorted((a, b) => b.length - a.length);

  const text = (input: string): string => {
    let output = input;
    for (const secret of exact) output = output.replaceAll(secret, MARK);
    for (const [pattern, replacement] of PATTERNS) output = output.replace(pattern, replacement);
    return output;
  };

  // Replacing inside the serialised line could break it (a numeric secret inside
  // a number) or miss an escaped secret, so the record is walked instead.
  const line = (input: string): string => {
    try {
      return `${JSON.stringify(scrub(JSON.parse(input), text))}\n`;
    } catch {
      return `${JSON.stringify({ level: "error", msg: text(input.trimEnd()) })}\n`;
    }
  };

  return { text, line };
}

function scrub(value: unknown, text: (input: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (typeof value === "number") {
    const shown = String(value);
    return text(shown) === shown ? value : MARK;
  }
  if (Array.isArray(value)) return value.map((item) => scrub(item, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      text(name),
      SECRET_FIELD.test(name) && typeof item === "string" ? MARK : scrub(item, text),
    ]),
  );
}
