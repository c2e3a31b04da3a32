import { chartOf } from "./chart-of.ts";
import { drawChart } from "./draw.ts";
import type { MachineName } from "./machines.ts";
import { renderJson } from "./render-json.ts";
import { renderPage } from "./render-page.ts";
import { renderSvg } from "./render-svg.ts";

/** The files about a machine as they must be, by their paths from the repository's top. */
export async function chartFiles(name: MachineName): Promise<ReadonlyMap<string, string>> {
  const drawing = await drawChart(chartOf(name));
  return new Map([
    [`docs/machines/${name}.md`, renderPage(drawing.chart)],
    [`docs/machines/${name}.svg`, renderSvg(drawing)],
    [`src/inspector/charts/${name}.json`, renderJson(drawing)],
  ]);
}
