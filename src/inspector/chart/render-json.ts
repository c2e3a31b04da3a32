import type { Drawing } from "./drawing.ts";

/** A drawing as JSON, a row for each transition, box and line, so that a change of one is a change of one row. */
export function renderJson({ chart, layout }: Drawing): string {
  const { transitions, ...states } = chart;
  const { boxes, lines, ...size } = layout;
  return `{
"chart": ${open(states)}
"transitions": ${rows(transitions)}},
"layout": ${open(size)}
"boxes": ${rows(boxes)},
"lines": ${rows(lines)}}
}
`;
}

/** An object whose last fields are still to come. */
function open(fields: object): string {
  return `${JSON.stringify(fields).slice(0, -1)},`;
}

function rows(items: readonly object[]): string {
  return `[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n]`;
}
