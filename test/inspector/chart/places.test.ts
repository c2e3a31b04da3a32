import { describe, expect, it } from "vitest";
import type { Box, Layout, Line } from "../../../src/inspector/chart/drawing.ts";
import { packParts } from "../../../src/inspector/chart/pack.ts";
import { placeTitles } from "../../../src/inspector/chart/place-titles.ts";
import { textWidth, wrapText } from "../../../src/inspector/chart/text-size.ts";
import { faultsIn } from "./drawing-faults.ts";

function box(
  id: string,
  place: readonly [number, number, number, number],
  parent: string | null,
): Box {
  const [x, y, width, height] = place;
  const text = { text: id, role: "title", x: x + 10, y: y + 24, width: 30 } as const;
  return { id, kind: "state", parent, x, y, width, height, transitions: [], texts: [text] };
}

function line(
  source: string,
  target: string,
  points: readonly (readonly [number, number])[],
): Line {
  const [, , [x, y] = [0, 0]] = points;
  return {
    id: `${source}->${target}`,
    source,
    target,
    transitions: [],
    points: points.map(([left, top]) => ({ x: left, y: top })),
    label: { x: x - 10, y: y - 10, width: 20, height: 6, texts: [] },
  };
}

const layout = (
  width: number,
  height: number,
  boxes: readonly Box[],
  lines: readonly Line[] = [],
): Layout => ({
  width,
  height,
  boxes,
  lines,
  caption: [],
});

describe("a name", () => {
  const boxes = [
    box("far", [0, 0, 60, 40], null),
    box("around", [100, 60, 300, 200], null),
    box("in", [140, 180, 60, 40], "around"),
  ];
  const into = (x: number): Layout =>
    layout(400, 260, boxes, [
      line("far", "in", [
        [60, 20],
        [x, 20],
        [x, 140],
        [150, 140],
        [150, 180],
      ]),
    ]);

  it("makes way for a line that goes into its state", () => {
    expect(faultsIn(into(120))).toEqual(['text "around" is crossed by a line']);
    const placed = placeTitles(into(120));
    expect(faultsIn(placed)).toEqual([]);
    expect(placed.boxes[1]?.texts[0]?.x).toBeLessThan(130);
  });

  it("stays where no line passes", () => {
    expect(placeTitles(into(240))).toEqual(into(240));
  });
});

describe("parts that no line connects", () => {
  const main = layout(600, 400, [
    box("wide", [0, 0, 600, 40], null),
    box("low", [0, 360, 60, 40], null),
  ]);
  const small = layout(80, 60, [box("small", [0, 0, 80, 60], null)]);

  it("go where the others leave room", () => {
    const packed = packParts([main, small]);
    expect(packed).toMatchObject({ width: 600, height: 400 });
    expect(faultsIn(packed)).toEqual([]);
  });

  it("stand beside the others where there is no room", () => {
    const packed = packParts([layout(600, 40, [box("wide", [0, 0, 600, 40], null)]), small]);
    expect(faultsIn(packed)).toEqual([]);
    expect(packed.width * packed.height).toBeGreaterThan(600 * 40);
  });
});

describe("a text's width", () => {
  it("is the sum of its letters', wider where bold", () => {
    expect(textWidth("iiii", 10)).toBe(9);
    expect(textWidth("mmmm", 10)).toBe(34);
    expect(textWidth("mmmm", 10, true)).toBe(36);
  });

  it("decides where a row ends, between words", () => {
    expect(wrapText("it is urgent and waits", 60, 11)).toEqual(["it is urgent", "and waits"]);
    expect(wrapText("command.bindWorkspace", 60, 11)).toEqual(["command.bindWorkspace"]);
  });
});
