import type { Chart } from "./chart.ts";
import type { Drawing, Layout } from "./drawing.ts";
import { crossingsIn, frameWidth, lengthOf } from "./geometry.ts";
import { layOut } from "./lay-out.ts";
import { movedLayout, packParts, partsOf } from "./pack.ts";
import { placeTitles } from "./place-titles.ts";
import { sketchChart, type Sketch } from "./sketch.ts";
import { eventsOf, takenInPlace } from "./walk-chart.ts";
import { blockOf, movedTexts, wrapRows } from "./text-block.ts";

const MARGIN = 24;
const CAPTION_MIN = 480;
/** ELK finds layouts that differ much in size, by chance: the best of as many is taken. */
const SEEDS = 6;

/** The drawing of a chart; the same chart always gets the same one. */
export async function drawChart(chart: Chart): Promise<Drawing> {
  const parts: Layout[] = [];
  for (const part of partsOf(sketchChart(chart))) parts.push(await bestLayout(part));
  return { chart, layout: withCaption(placeTitles(packParts(parts)), chart) };
}

async function bestLayout(sketch: Sketch): Promise<Layout> {
  let best = await layOut(sketch, 1);
  for (let seed = 2; seed <= SEEDS; seed += 1) {
    const other = await layOut(sketch, seed);
    if (costOf(other) < costOf(best)) best = other;
  }
  return best;
}

/** What makes a drawing hard to read: size, long ways, lines that cross. */
function costOf(layout: Layout): number {
  return frameWidth(layout) * lengthOf(layout) * (1 + crossingsIn(layout) / 100);
}

/** The root's transitions without a target are told above the drawing. */
function withCaption(layout: Layout, chart: Chart): Layout {
  const events = eventsOf(takenInPlace(chart.root, chart));
  const text = `In any state, without leaving it, unless it takes them itself: ${events.join(", ")}`;
  const rows = wrapRows(
    events.length === 0 ? [] : [{ text, role: "note" }],
    Math.max(layout.width, CAPTION_MIN),
  );
  const caption = blockOf(rows, { x: 0, y: 0 });
  const moved = movedLayout(layout, {
    x: MARGIN,
    y: MARGIN + caption.height + (rows.length > 0 ? MARGIN : 0),
  });
  return {
    ...moved,
    width: Math.max(moved.width, caption.width + MARGIN) + MARGIN,
    height: moved.height + MARGIN,
    caption: movedTexts(caption.texts, { x: MARGIN, y: MARGIN }),
  };
}
