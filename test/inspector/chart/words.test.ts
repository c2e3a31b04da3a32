import { describe, expect, it } from "vitest";
import type { AnyStateMachine } from "xstate";
import { chartOf, MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import { MACHINES } from "../../../src/inspector/chart/machines.ts";
import { guardNames } from "../../../src/inspector/chart/read-guard.ts";
import { DELAY_LIMITS, GUARD_WORDS } from "../../../src/inspector/chart/words.ts";

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].toSorted();

/** What a delay reads of a context whose other fields are these. */
function limitsRead(delay: unknown, fields: object): readonly string[] {
  if (typeof delay !== "function") throw new Error("Not a delay of a context");
  const read: string[] = [];
  const limits = new Proxy({}, { get: (_, name) => (read.push(String(name)), 1) });
  delay({ context: { ...fields, limits } });
  return read;
}

/** Contexts that take a delay through each of its branches. */
const CONTEXTS = [
  { turn: { openTools: ["tool"] }, background: 0, failures: 1, retryAfterMs: null },
  { turn: { openTools: [] }, background: 1, failures: 1, retryAfterMs: 1 },
  { turn: null, background: 0, failures: 2, retryAfterMs: null },
];

describe.each(MACHINE_NAMES)("the words for the %s machine", (name) => {
  const machine: AnyStateMachine = MACHINES[name];
  const { implementations } = machine;

  it("say every guard, and none that does not exist", () => {
    expect(sorted(Object.keys(GUARD_WORDS[name]))).toEqual(
      sorted(Object.keys(implementations.guards)),
    );
  });

  it("say no guard that no transition has", () => {
    const used = chartOf(name).transitions.flatMap(({ guard }) =>
      guard === null ? [] : guardNames(guard),
    );
    expect(sorted(Object.keys(GUARD_WORDS[name]))).toEqual(sorted(used));
  });

  it("are clauses", () => {
    const wrong = Object.values<string>(GUARD_WORDS[name]).filter(
      (words) => !/^[a-z][\w', ]+\w$/.test(words) || words.length > 60,
    );
    expect(wrong).toEqual([]);
  });

  it("name the limits that each delay reads, and no others", () => {
    const read = Object.entries(implementations.delays).map(([delay, implementation]) => [
      delay,
      sorted(CONTEXTS.flatMap((fields) => limitsRead(implementation, fields))),
    ]);
    const named = Object.entries<readonly string[]>(DELAY_LIMITS[name]).map(([delay, limits]) => [
      delay,
      sorted(limits),
    ]);
    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(read));
  });
});
