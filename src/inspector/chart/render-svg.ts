import type { ChartTransition } from "./chart.ts";
import type { Box, Drawing, Line, Text } from "./drawing.ts";
import { SVG_STYLE } from "./svg-style.ts";
import { FONT_SIZES } from "./text-block.ts";
import { statesIn, takenInPlace, takenOn } from "./walk-chart.ts";

/**
 * A drawing as SVG, light or dark as its surroundings ask. A state's group has
 * the state's id, a line's the line's; `data-transitions` has the ids of the
 * transitions that a line stands for, or that a state takes without being left.
 */
export function renderSvg(drawing: Drawing): string {
  const { chart, layout } = drawing;
  const { width, height, boxes, lines, caption } = layout;
  const head = `${chart.id}-head`;
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" class="statechart" ${size} role="img" aria-label="Statechart of ${escaped(chart.id)}">
<style>${SVG_STYLE}</style>
<defs><marker id="${head}" class="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>
<rect class="ground" width="${width}" height="${height}"/>
<g class="caption"${transitionsAttribute(takenInPlace(chart.root, chart).map(({ id }) => id))}>${caption.map(textSvg).join("")}</g>
${boxes.map((box) => boxSvg(box, drawing)).join("\n")}
${lines.map((line) => lineSvg(line, drawing, head)).join("\n")}
</svg>
`;
}

function boxSvg(box: Box, { chart, layout }: Drawing): string {
  const state = statesIn(chart.root).find(({ id }) => id === box.id);
  const isAround = layout.boxes.some(({ parent }) => parent === box.id);
  const names = [box.kind, state?.kind ?? "", isAround ? "around" : ""].filter(Boolean).join(" ");
  const radius = box.kind === "any" ? box.height / 2 : 8;
  return `<g class="${names}" id="${escaped(box.id)}"${transitionsAttribute(box.transitions)}>${tip(box, chart.transitions)}<rect ${place(box)} rx="${radius}"/>${box.texts.map(textSvg).join("")}</g>`;
}

function lineSvg(line: Line, { chart }: Drawing, head: string): string {
  const points = line.points.map(({ x, y }) => `${x},${y}`).join(" ");
  const way = `<polyline points="${points}" marker-end="url(#${head})"/>`;
  const label = `<rect ${place(line.label)}/>${line.label.texts.map(textSvg).join("")}`;
  return `<g class="line" id="${escaped(line.id)}"${transitionsAttribute(line.transitions)}>${tip(line, chart.transitions)}${way}${label}</g>`;
}

const place = ({ x, y, width, height }: Box | Line["label"]): string =>
  `x="${x}" y="${y}" width="${width}" height="${height}"`;

function transitionsAttribute(ids: readonly string[]): string {
  return ids.length === 0 ? "" : ` data-transitions="${escaped(ids.join(" "))}"`;
}

/** What is shown while the pointer rests on it: every event, with its condition in full. */
function tip(part: Box | Line, transitions: readonly ChartTransition[]): string {
  const rows = transitions.filter(({ id }) => part.transitions.includes(id)).map(takenOn);
  return rows.length === 0 ? "" : `<title>${escaped(rows.join("\n"))}</title>`;
}

/** Its measured width is kept to whatever the font is. */
function textSvg({ text, role, x, y, width }: Text): string {
  return `<text class="${role}" x="${x}" y="${y}" textLength="${width}" lengthAdjust="spacingAndGlyphs" font-size="${FONT_SIZES[role]}">${escaped(text)}</text>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
