import type { Drift, DriftReport } from "./context-drift.ts";

/** With seven-digit counts in every column the table still fits 80 columns. */
const MODEL_MAX = 26;

const HEAD = ["model", "turns", "both", "no est.", "mean", "abs", "p50", "p95"];
const LEGEND = `
both      turns with an estimate and a usage: mean, abs, p50, p95 are theirs
no est.   turns without an estimate
mean      of the estimate minus the usage, in percentage points
abs       of the absolute difference; p50 and p95 likewise, by nearest rank
`;

/** The report for people: plain text, at most 80 columns wide. */
export function renderDrift({ models, total }: DriftReport): string {
  if (total.turns === 0) return "No turn has been measured yet.\n";
  const rows = [
    HEAD,
    ...models.map((one) => row(one.model ?? "(not known)", one)),
    row("all models", total),
  ];
  const widths = HEAD.map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const lines = rows.map(([model = "", ...figures]) =>
    [
      model.padEnd(widths[0] ?? 0),
      ...figures.map((cell, index) => cell.padStart(widths[index + 1] ?? 0)),
    ].join("  "),
  );
  const unused =
    total.withoutUsage === 0 ? "" : `\nTurns with an estimate only: ${total.withoutUsage}\n`;
  return `${lines.join("\n")}\n${LEGEND}${unused}`;
}

function row(model: string, drift: Drift): readonly string[] {
  const { turns, compared, withoutEstimate, mean, meanAbsolute, p50, p95 } = drift;
  const counts = [turns, compared, withoutEstimate].map(String);
  const distances = [p50, p95].map((value) => (value === null ? "-" : String(value)));
  return [shown(model), ...counts, signed(mean), decimal(meanAbsolute), ...distances];
}

const decimal = (value: number | null): string => (value === null ? "-" : value.toFixed(1));

function signed(value: number | null): string {
  const text = decimal(value);
  if (value === null || Number(text) === 0) return text.replace("-0.0", "0.0");
  return value > 0 ? `+${text}` : text;
}

/** A model's name comes from the agent: what is no plain letter might steer the terminal, or be wider than one. */
function shown(model: string): string {
  const plain = model.replaceAll(/[^ -~]/gu, "?");
  return plain.length <= MODEL_MAX ? plain : `${plain.slice(0, MODEL_MAX - 1)}…`;
}
