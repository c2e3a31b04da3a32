import { describe, expect, it } from "vitest";
import { chartOf, MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import { renderMermaid } from "../../../src/inspector/chart/render-mermaid.ts";
import { sketchChart } from "../../../src/inspector/chart/sketch.ts";
import { statesIn } from "../../../src/inspector/chart/walk-chart.ts";
import { readMermaid } from "./mermaid-reader.ts";

/** `running.awaiting-approval`, `running/any/…` → `running_awaiting_approval`, `running_any_…` */
const idOf = (id: string, machine: string): string =>
  id.replace(`${machine}.`, "").replaceAll(/[^a-zA-Z0-9]+/g, "_");

describe.each(MACHINE_NAMES)("the Mermaid text of the %s machine", (name) => {
  const chart = chartOf(name);
  const { states, lines } = readMermaid(renderMermaid(chart));
  const inner = chart.root.states.flatMap(statesIn);

  it("has every state under its name, in the state around it", () => {
    for (const state of inner) {
      const parent = inner.find((one) => one.states.includes(state));
      expect(states.get(idOf(state.id, name))).toEqual({
        name: state.path.at(-1),
        around: parent === undefined ? null : idOf(parent.id, name),
      });
    }
    const others = [...states.values()].filter((one) => one.name === "any state");
    expect(states.size).toBe(inner.length + others.length);
  });

  it("has every line of the drawing, with its label on one row", () => {
    const wanted = sketchChart(chart).lines.map(({ source, target, texts }) => ({
      from: idOf(source, name),
      to: idOf(target, name),
      label: texts.map(({ text }) => text).join("<br/>"),
    }));
    const found = lines
      .filter(({ from, to }) => from !== "[*]" && to !== "[*]")
      .map(({ from, to, label }) => ({ from, to, label }));
    expect(found.toSorted(byEnds)).toEqual(wanted.toSorted(byEnds));
  });

  it("marks what is entered first and what ends it", () => {
    const starts = lines.filter(({ from }) => from === "[*]").map(({ to }) => to);
    const initial = [chart.root, ...inner].flatMap((state) => state.initial ?? []);
    expect(starts.toSorted()).toEqual(initial.map((id) => idOf(id, name)).toSorted());
    const ends = lines.filter(({ to }) => to === "[*]").map(({ from }) => from);
    const final = chart.root.states.filter(({ kind }) => kind === "final");
    expect(ends).toEqual(final.map(({ id }) => idOf(id, name)));
  });

  it("draws a line between two states in the innermost state around both", () => {
    for (const { from, to, around } of lines) {
      if (from === "[*]" || to === "[*]") continue;
      const common = aroundOf(from).filter((id) => aroundOf(to).includes(id));
      expect(around).toBe(common.at(0) ?? null);
    }
  });

  /** The states around one, the innermost first. */
  function aroundOf(id: string): readonly string[] {
    const parent = states.get(id)?.around ?? null;
    return parent === null ? [] : [parent, ...aroundOf(parent)];
  }
});

const byEnds = (one: { from: string; to: string }, other: { from: string; to: string }): number =>
  `${one.from} ${one.to}`.localeCompare(`${other.from} ${other.to}`);

describe("a Mermaid text", () => {
  it.each([
    ["a label with a colon", "stateDiagram-v2\n  a --> b: c: d"],
    ["a state with a hyphen", "stateDiagram-v2\n  a-b --> c"],
    ["a brace that is not closed", "stateDiagram-v2\n  state a {"],
    ["another diagram", "graph TD"],
  ])("is refused with %s", (_what, text) => {
    expect(() => readMermaid(text)).toThrow();
  });
});
