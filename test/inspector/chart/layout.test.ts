import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import type { Drawing, Layout } from "../../../src/inspector/chart/drawing.ts";
import { statesIn } from "../../../src/inspector/chart/walk-chart.ts";
import { faultsIn } from "./drawing-faults.ts";

const drawingOf = (name: string): Drawing =>
  JSON.parse(
    readFileSync(new URL(`../../../src/inspector/charts/${name}.json`, import.meta.url), "utf8"),
  ) as Drawing;

describe.each(MACHINE_NAMES)("the drawing of the %s machine", (name) => {
  const { chart, layout } = drawingOf(name);

  it("can be read: nothing lies over anything else", () => {
    expect(faultsIn(layout)).toEqual([]);
  });

  it("has a box for every state", () => {
    const drawn = layout.boxes.filter(({ kind }) => kind === "state").map(({ id }) => id);
    const states = chart.root.states.flatMap(statesIn).map(({ id }) => id);
    expect(drawn.toSorted()).toEqual(states.toSorted());
  });

  it("puts each state's box into that of the state around it", () => {
    for (const state of chart.root.states.flatMap(statesIn)) {
      for (const { id } of state.states) {
        expect(layout.boxes.find((box) => box.id === id)?.parent).toBe(state.id);
      }
    }
  });

  it("has a line to each target of every transition, from its source or from any state in it", () => {
    const drawn = layout.lines.flatMap(({ source, target, transitions }) =>
      transitions.map((id) => `${id} from ${source.split("/any/")[0]} to ${target}`),
    );
    const wanted = chart.transitions.flatMap(({ id, source, targets }) =>
      targets.map((target) => `${id} from ${source} to ${target}`),
    );
    expect(drawn.toSorted()).toEqual(wanted.toSorted());
  });

  it("notes every other transition in its state's box, the root's in the caption", () => {
    const noted = layout.boxes.flatMap(({ id, transitions }) =>
      transitions.map((transition) => `${transition} in ${id}`),
    );
    const others = chart.transitions.filter(({ targets }) => targets.length === 0);
    const inStates = others.filter(({ fromAnyState }) => !fromAnyState);
    expect(noted.toSorted()).toEqual(
      inStates.map(({ id, source }) => `${id} in ${source}`).toSorted(),
    );
    const caption = layout.caption.map(({ text }) => text).join(" ");
    for (const { event } of others.filter(({ fromAnyState }) => fromAnyState)) {
      expect(caption).toContain(event.words);
    }
  });

  it("is no wider than a large screen", () => {
    expect(layout.width).toBeLessThan(3000);
  });
});

describe("the drawing of the session machine", () => {
  const { layout } = drawingOf("session");
  const box = (id: string) => {
    const found = layout.boxes.find((one) => one.id === `session.${id}`);
    if (found === undefined) throw new Error(`No box ${id}`);
    return found;
  };

  it("is in landscape", () => {
    expect(layout.width / layout.height).toBeGreaterThan(1.2);
    expect(layout.width / layout.height).toBeLessThan(2);
  });

  it("begins at the top with the state that is entered first", () => {
    const others = layout.boxes.filter(({ parent, kind }) => parent === null && kind === "state");
    expect(Math.min(...others.map(({ y }) => y))).toBe(box("normalizing").y);
    expect(box("normalizing").texts.at(0)?.text).toBe("● normalizing");
  });

  it("draws what the root takes as a line from any state", () => {
    const lines = layout.lines.filter(({ source }) => source.startsWith("session/any/"));
    expect(lines.map(({ target }) => target)).toEqual([
      "session.restarting",
      "session.stopping",
      "session.stopping.ending",
    ]);
  });
});

/** A drawing with one thing moved. */
function spoilt(layout: Layout, what: "box" | "label" | "line" | "title", by: number): Layout {
  const { boxes, lines } = layout;
  const moved = <Place extends { readonly x: number }>(place: Place): Place => ({
    ...place,
    x: place.x + by,
  });
  return {
    ...layout,
    boxes: boxes.map((box) => {
      if (box.id !== "session.running.working") return box;
      if (what === "title") return { ...box, texts: box.texts.map(moved) };
      return what === "box" ? moved(box) : box;
    }),
    lines: lines.map((line) => {
      if (line.target !== "session.running.working") return line;
      if (what === "label") return { ...line, label: moved(line.label) };
      return what === "line" ? { ...line, points: line.points.map(moved) } : line;
    }),
  };
}

describe("a drawing that cannot be read", () => {
  const { layout } = drawingOf("session");

  it.each([
    ["box", 1000, /^box session.running.working leaves session.running$/],
    ["box", 40, /^line .* ends off its box$/],
    ["label", 200, /^label of .* lies beside its line$/],
    ["label", 90, /^label of .* lies over/],
    ["line", 60, /^line .* passes over/],
    ["title", 40, /^text "working" leaves its place$/],
  ] as const)("is told when a %s is %i pixels off", (what, by, fault) => {
    expect(faultsIn(spoilt(layout, what, by))).toContainEqual(expect.stringMatching(fault));
  });

  it("is told when a box comes over another one, or under a line, wherever it goes to", () => {
    const shifts = Array.from({ length: 9 }, (_, nth) => 100 * (nth + 1));
    const told = shifts.flatMap((by) => faultsIn(spoilt(layout, "box", by)));
    expect(told).toContainEqual(
      expect.stringMatching(/^box .* lies over|^line .* passes over box/),
    );
  });

  it("is told when a line is slanted, doubles back or leaves the drawing", () => {
    const [first, ...others] = layout.lines;
    if (first === undefined) throw new Error("No line");
    const [start] = first.points;
    if (start === undefined) throw new Error("No point");
    const bent = (x: number, y: number) =>
      faultsIn({
        ...layout,
        lines: [
          { ...first, points: [start, { x: start.x + x, y: start.y + y }, ...first.points] },
          ...others,
        ],
      });
    expect(bent(7, 9)).toContainEqual(expect.stringMatching(/is slanted$/));
    expect(bent(0, 9)).toContainEqual(expect.stringMatching(/has a point it needs not$/));
    expect(bent(0, 9000)).toContain("something leaves the drawing");
  });
});
