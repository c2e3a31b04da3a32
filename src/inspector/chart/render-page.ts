import type { Chart, ChartTransition } from "./chart.ts";
import { renderMermaid } from "./render-mermaid.ts";
import { nameOf, stateNamed } from "./walk-chart.ts";

/** docs/machines/<machine>.md. */
export function renderPage(chart: Chart): string {
  return `# The ${chart.id} machine

<!-- Written by \`npm run charts\` from machines/${chart.id}.ts. Edit that. -->

[![Statechart of the ${chart.id} machine](${chart.id}.svg)](${chart.id}.svg)

${LEGEND}
## Transitions

For each state in the order in which they are tried: the first whose condition holds is taken.

${table(
  ["From", "Event", "If", "To"],
  chart.transitions.map((one) => transitionRow(one, chart)),
)}

## As Mermaid

\`\`\`mermaid
${renderMermaid(chart)}
\`\`\`
`;
}

const LEGEND = `A dot marks the state that is entered first, a thick border one that ends the machine. A dashed box
is any state within the box around it. What an event is taken under stands in brackets; that an
event of a process must be of the current launch goes without saying there, but not in the table.
Small print in a state is what it takes without being left. The pointer on a line shows all of it.
`;

function transitionRow(transition: ChartTransition, chart: Chart): readonly string[] {
  const { source, event, condition, fromAnyState } = transition;
  return [
    fromAnyState ? "any state" : `\`${nameOf(stateNamed(chart, source))}\``,
    event.words,
    condition ?? "",
    targetOf(transition, chart),
  ];
}

function targetOf({ source, targets, reenter, actions }: ChartTransition, chart: Chart): string {
  if (targets.length === 0) return actions.length === 0 ? "stays, ignored" : "stays";
  const names = targets.map((target) => `\`${nameOf(stateNamed(chart, target))}\``).join(", ");
  return reenter && targets.includes(source) ? `${names}, entered anew` : names;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
