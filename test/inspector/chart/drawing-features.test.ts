import { describe, expect, it } from "vitest";
import { setup } from "xstate";
import { drawChart } from "../../../src/inspector/chart/draw.ts";
import { readChart } from "../../../src/inspector/chart/read-chart.ts";
import { renderMermaid } from "../../../src/inspector/chart/render-mermaid.ts";
import { renderSvg } from "../../../src/inspector/chart/render-svg.ts";
import { faultsIn } from "./drawing-faults.ts";

/** States of every kind, parts that nothing connects, a name to be escaped, and lines that pass by a title. */
const machine = setup({ guards: { isHot: () => true } }).createMachine({
  id: "features",
  initial: "idle",
  on: { "a<b": ".lost", noted: {} },
  states: {
    idle: {
      on: { go: { target: "both.left.two" }, stay: { target: "idle", reenter: true } },
      always: { guard: "isHot", target: "both" },
    },
    both: {
      type: "parallel",
      on: {
        split: { target: [".left.two", ".right.one"] },
        back: "idle",
        resume: ".right.back",
      },
      states: {
        left: { initial: "one", states: { one: { on: { step: "two" } }, two: {} } },
        right: { initial: "one", states: { one: {}, back: { type: "history" } } },
      },
    },
    lost: { id: "lost-for-ever", type: "final" },
  },
});

const chart = readChart(machine, { guards: { isHot: "it is hot" }, delays: {} });

describe("a drawing", () => {
  it("can be read with parallel states, history, several targets and parts that nothing connects", async () => {
    const { layout } = await drawChart(chart);
    expect(faultsIn(layout)).toEqual([]);
    expect(layout.lines.map(({ id }) => id).toSorted()).toEqual(
      [
        "features.both->features.idle",
        "features.both/any/features.both.left.two->features.both.left.two",
        "features.both/any/features.both.right.back->features.both.right.back",
        "features.both/any/features.both.right.one->features.both.right.one",
        "features.both.left.one->features.both.left.two",
        "features.idle->features.both",
        "features.idle->features.both.left.two",
        "features.idle->features.idle",
        "features/any/lost-for-ever->lost-for-ever",
      ].toSorted(),
    );
    expect(layout.boxes.flatMap(({ texts }) => texts.map(({ text }) => text))).toContain(
      "back (shallow history)",
    );
  });

  it("is the same one each time", async () => {
    expect(await drawChart(chart)).toEqual(await drawChart(chart));
  });

  it("is escaped in SVG, and in Mermaid keeps a label on its line", async () => {
    expect(renderSvg(await drawChart(chart))).toContain(">a&lt;b</text>");
    expect(renderMermaid(chart)).toContain("any_lost_for_ever --> lost_for_ever: a<b");
  });
});
