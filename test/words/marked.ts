import type { Words } from "../../src/words/words.ts";

/** Another language, made of a known one: whatever it says stands in brackets. */
export function marked(words: Words): Words {
  return inBrackets(words, "") as Words;
}

/** What is the same in every language. */
const UNMARKED: ReadonlySet<string> = new Set(["command", "fileName"]);

function inBrackets(value: unknown, name: string): unknown {
  if (typeof value === "string") return UNMARKED.has(name) ? value : `⟦${value}⟧`;
  if (typeof value === "function") {
    return (...args: unknown[]) => inBrackets(Reflect.apply(value, undefined, args), name);
  }
  if (Array.isArray(value)) return value.map((one) => inBrackets(one, name));
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) => [key, inBrackets(inner, key)]),
  );
}

/** What is left of a text without all that the other language has said. */
export function outside(text: string): string {
  let left = text;
  for (let before = ""; before !== left;) {
    before = left;
    left = left.replaceAll(/⟦[^⟦⟧]*⟧/g, "");
  }
  return left;
}
