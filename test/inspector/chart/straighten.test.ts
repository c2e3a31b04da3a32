import { describe, expect, it } from "vitest";
import type { Point } from "../../../src/inspector/chart/drawing.ts";
import { straighten } from "../../../src/inspector/chart/straighten.ts";

const way = (...points: readonly (readonly [number, number])[]): readonly Point[] =>
  points.map(([x, y]) => ({ x, y }));

describe("the way of a line", () => {
  it("stays as it is where it has corners only", () => {
    const corners = way([0, 0], [0, 50], [80, 50], [80, 100]);
    expect(straighten(corners)).toEqual(corners);
  });

  it("loses points between which it goes on straight", () => {
    expect(straighten(way([0, 0], [0, 20], [0, 20], [0, 50], [80, 50]))).toEqual(
      way([0, 0], [0, 50], [80, 50]),
    );
  });

  it("does not run past its corner and back", () => {
    // As ELK's compaction left it: 23 pixels too far down, back beside itself, then to the left.
    expect(
      straighten(
        way([82, 0], [82, 43], [1, 43], [1, 171], [0, 171], [0, 148], [-233, 148], [-233, 160]),
      ),
    ).toEqual(way([82, 0], [82, 43], [1, 43], [1, 148], [-233, 148], [-233, 160]));
  });

  it.each([
    [
      "upright",
      way([90, 0], [0, 0], [0, 50], [3, 50], [3, 99], [90, 99]),
      way([90, 0], [0, 0], [0, 99], [90, 99]),
    ],
    [
      "level",
      way([0, 90], [0, 0], [50, 0], [50, 3], [99, 3], [99, 90]),
      way([0, 90], [0, 0], [99, 0], [99, 90]),
    ],
  ])("loses a small step in an %s part", (_which, points, straight) => {
    expect(straighten(points)).toEqual(straight);
  });

  it("keeps its ends where they are, also beside a small step", () => {
    expect(straighten(way([90, 0], [3, 0], [3, 50], [0, 50], [0, 99]))).toEqual(
      way([90, 0], [0, 0], [0, 99]),
    );
    expect(straighten(way([3, 0], [3, 50], [0, 50], [0, 99], [90, 99]))).toEqual(
      way([3, 0], [3, 99], [90, 99]),
    );
    const both = way([3, 0], [3, 50], [0, 50], [0, 99]);
    expect(straighten(both)).toEqual(both);
  });
});
