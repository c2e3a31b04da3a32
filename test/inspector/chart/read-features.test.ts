import { describe, expect, it } from "vitest";
import { and, assign, fromPromise, not, or, setup } from "xstate";
import { readChart } from "../../../src/inspector/chart/read-chart.ts";
import { statesIn } from "../../../src/inspector/chart/walk-chart.ts";
import type { ChartWords } from "../../../src/inspector/chart/words.ts";

/** What holdfast's machines do not use, or not in every form. */
const machine = setup({
  actors: { load: fromPromise(async () => {}) },
  actions: { log: () => {}, count: (_, _params: { by: number }) => {} },
  guards: { isRed: () => true, isBig: () => true, isOld: () => true },
  delays: { pause: 10 },
}).createMachine({
  id: "features",
  initial: "loading",
  on: { "*": { actions: "log" } },
  states: {
    loading: {
      description: "Reads the file.",
      meta: { colour: "red" },
      tags: ["busy"],
      entry: ["log", { type: "count", params: { by: 1 } }, assign({})],
      exit: "log",
      invoke: {
        id: "loader",
        src: "load",
        onDone: { target: "both" },
        onError: { target: "end", guard: and(["isRed", or(["isBig", not("isOld")])]) },
      },
      after: { 1500: { target: "end" }, pause: { actions: "log" } },
    },
    both: {
      type: "parallel",
      states: {
        left: {
          initial: "one",
          states: { one: { on: { "step.*": "two" } }, two: { type: "final" } },
        },
        right: { initial: "one", states: { one: {}, back: { history: "deep" } } },
      },
      on: {
        again: { target: "both", reenter: true },
        split: { target: [".left.two", ".right.one"] },
      },
      onDone: "end",
    },
    end: { id: "the-end", type: "final" },
  },
});

const WORDS: ChartWords = {
  guards: { isRed: "it is red", isBig: "it is big", isOld: "it is old" },
  delays: { pause: [] },
};

describe("the chart of a machine that uses all of xstate", () => {
  const chart = readChart(machine, WORDS);
  const state = (id: string) => statesIn(chart.root).find((one) => one.id === id);
  const taken = (source: string, type: string) =>
    chart.transitions.find((one) => one.source === source && one.event.type === type);

  it("has what a state says of itself", () => {
    expect(state("features.loading")).toEqual({
      id: "features.loading",
      path: ["loading"],
      kind: "atomic",
      history: null,
      description: "Reads the file.",
      meta: { colour: "red" },
      tags: ["busy"],
      initial: null,
      entry: ["log", "count", "xstate.assign"],
      exit: ["log"],
      invokes: [{ id: "loader", src: "load" }],
      states: [],
    });
  });

  it("tells the kinds of states apart", () => {
    expect(statesIn(chart.root).map(({ id, kind, history }) => [id, kind, history])).toEqual([
      ["features", "compound", null],
      ["features.loading", "atomic", null],
      ["features.both", "parallel", null],
      ["features.both.left", "compound", null],
      ["features.both.left.one", "atomic", null],
      ["features.both.left.two", "final", null],
      ["features.both.right", "compound", null],
      ["features.both.right.one", "atomic", null],
      ["features.both.right.back", "history", "deep"],
      ["the-end", "final", null],
    ]);
    expect(state("features.both")?.initial).toBeNull();
    expect(state("features.both.left")?.initial).toBe("features.both.left.one");
  });

  it.each([
    ["features", "*", "wildcard", "any other event"],
    ["features.loading", "xstate.done.actor.loader", "done", "loader is done"],
    ["features.loading", "xstate.error.actor.loader", "error", "loader failed"],
    ["features.loading", "xstate.after.1500.features.loading", "after", "after 1500 ms"],
    ["features.loading", "xstate.after.pause.features.loading", "after", "after pause"],
    ["features.both", "xstate.done.state.features.both", "done", "features.both is done"],
    ["features.both.left.one", "step.*", "wildcard", "any step event"],
    ["features.both", "again", "event", "again"],
  ])("says of %s on %s: %s, %s", (source, type, kind, words) => {
    expect(taken(source, type)?.event).toMatchObject({ kind, words });
  });

  it("takes guards apart that are made of others", () => {
    const named = (name: string, words: string) => ({ kind: "named", name, words });
    const { guard, condition } = taken("features.loading", "xstate.error.actor.loader") ?? {};
    expect(guard).toEqual({
      kind: "and",
      of: [
        named("isRed", "it is red"),
        {
          kind: "or",
          of: [named("isBig", "it is big"), { kind: "not", of: named("isOld", "it is old") }],
        },
      ],
    });
    expect(condition).toBe("it is red and (it is big or not (it is old))");
  });

  it("has all targets of a transition, and whether it enters its source anew", () => {
    expect(taken("features.both", "split")).toMatchObject({
      targets: ["features.both.left.two", "features.both.right.one"],
      reenter: false,
    });
    expect(taken("features.both", "again")).toMatchObject({
      targets: ["features.both"],
      reenter: true,
    });
  });

  it("is refused where a guard or a delay has no words", () => {
    const { isOld: _, ...others } = WORDS.guards;
    expect(() => readChart(machine, { ...WORDS, guards: others })).toThrow('"isOld" has no words');
    expect(() => readChart(machine, { ...WORDS, delays: {} })).toThrow('"pause" has no limits');
  });

  it("is refused where a guard has no name", () => {
    const unnamed = setup({}).createMachine({
      id: "unnamed",
      initial: "one",
      states: { one: { on: { go: { guard: () => true, target: "two" } } }, two: {} },
    });
    expect(() => readChart(unnamed, WORDS)).toThrow("A guard without a name");
  });
});
