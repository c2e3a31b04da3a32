/** Expected texts: what differs from run to run stands in braces. */

const DURATION = String.raw`\d+ (?:s|min|h)(?: \d+ (?:s|min))?`;
const VARIABLE: Readonly<Record<string, string>> = {
  time: DURATION,
  ctx: String.raw`\[ctx: \d+%\]`,
  footer: String.raw`scripted · ${DURATION}(?: · <\$0\.01)? · \[ctx: \d+%\]`,
  id: "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  "short id": "[0-9a-f]{8}",
  size: String.raw`\d+ k?B`,
  number: String.raw`\d+`,
};

/** Whole texts only. `known` has what is the same within a run, such as paths. */
export function matches(
  expected: string,
  actual: string,
  known: Readonly<Record<string, string>>,
): boolean {
  return new RegExp(`^${source(expected, known)}$`, "u").test(actual);
}

function source(expected: string, known: Readonly<Record<string, string>>): string {
  return expected
    .split(/(\{[a-z ]+\})/)
    .map((piece) => {
      const name = /^\{([a-z ]+)\}$/.exec(piece)?.[1] ?? "";
      return VARIABLE[name] ?? escaped(known[name] ?? piece);
    })
    .join("");
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** What stands in braces, put in. */
export function filledIn(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{([a-z ]+)\}/g, (braced, name: string) => known[name] ?? braced);
}
