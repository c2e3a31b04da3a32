import { describe, expect, it } from "vitest";
import { chartOf, MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import { renderPage } from "../../../src/inspector/chart/render-page.ts";

const rowsOf = (page: string): readonly string[] =>
  page.split("\n").filter((row) => row.startsWith("| ") && !/^\| (?:From|---) \|/.test(row));

describe("a machine's page", () => {
  it.each(MACHINE_NAMES)("has a row for every transition of the %s machine", (name) => {
    const rows = rowsOf(renderPage(chartOf(name)));
    expect(rows).toHaveLength(chartOf(name).transitions.length);
    expect(rows.filter((row) => row.split("|").length !== 6)).toEqual([]);
  });

  it.each([
    "| any state | shutdown |  | `stopping` |",
    "| any state | agent.exited | it is of another launch | stays |",
    "| `normalizing.deciding` | at once | otherwise | `starting` |",
    "| `running` | turn.ended | the resumed session is too large | `restarting` |",
    "| `idle` | after idleLimit (idleReapMs) | otherwise | `idle`, entered anew |",
    "| `stopping` | shutdown |  | stays, ignored |",
  ])("of the session says %s", (row) => {
    expect(rowsOf(renderPage(chartOf("session")))).toContain(row);
  });
});
