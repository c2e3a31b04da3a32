import type { ChartGuard } from "./chart.ts";

/** A guard as a machine's definition has it, and the words for the names in it. */
export function readGuard(guard: unknown, words: Readonly<Record<string, string>>): ChartGuard {
  const combined = readCombined(guard, words);
  if (combined !== null) return combined;
  const name = nameOf(guard);
  if (name === null)
    throw new Error("A guard without a name cannot be drawn: define it in setup()");
  const said = words[name];
  if (said === undefined) throw new Error(`The guard "${name}" has no words in words.ts`);
  return { kind: "named", name, words: said };
}

/** XState's `and`, `or` and `not` are functions that carry what they combine. */
function readCombined(guard: unknown, words: Readonly<Record<string, string>>): ChartGuard | null {
  if (typeof guard !== "function" || !("guards" in guard) || !Array.isArray(guard.guards))
    return null;
  const [first, ...others] = guard.guards.map((one) => readGuard(one, words));
  if (first === undefined) return null;
  if (guard.name === "not") return { kind: "not", of: first };
  if (guard.name === "and" || guard.name === "or") {
    return { kind: guard.name, of: [first, ...others] };
  }
  return null;
}

function nameOf(guard: unknown): string | null {
  if (typeof guard === "string") return guard;
  if (typeof guard !== "object" || guard === null || !("type" in guard)) return null;
  return typeof guard.type === "string" ? guard.type : null;
}

export function guardInWords(guard: ChartGuard): string {
  switch (guard.kind) {
    case "named":
      return guard.words;
    case "not":
      return `not (${guardInWords(guard.of)})`;
    case "and":
    case "or":
      return guard.of.map(asPart).join(` ${guard.kind} `);
  }
}

function asPart(guard: ChartGuard): string {
  const words = guardInWords(guard);
  return guard.kind === "and" || guard.kind === "or" ? `(${words})` : words;
}

/** All names in a guard. */
export function guardNames(guard: ChartGuard): readonly string[] {
  if (guard.kind === "named") return [guard.name];
  return guard.kind === "not" ? guardNames(guard.of) : guard.of.flatMap(guardNames);
}
