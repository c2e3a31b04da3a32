import { checkScenario, SCENARIOS } from "./check.ts";

/** `npm run model:check`: every scenario, its figures, and the shortest way to a broken rule. */
let broken = 0;
for (const name of Object.keys(SCENARIOS)) {
  const found = checkScenario(name);
  const figures = `${found.states} states, ${found.transitions} transitions, depth ${found.depth}, ${(found.milliseconds / 1000).toFixed(1)} s`;
  const verdict = found.truncated ? "NOT EXHAUSTED" : found.violation === null ? "holds" : "BROKEN";
  process.stdout.write(`${name}: ${figures}: ${verdict}\n`);
  if (found.violation !== null) {
    for (const rule of found.violation.rules) process.stdout.write(`  rule ${rule}\n`);
    for (const [nth, move] of found.violation.trace.entries()) {
      process.stdout.write(`  ${String(nth + 1).padStart(3)}. ${move}\n`);
    }
  }
  if (found.truncated || found.violation !== null) broken += 1;
}
process.exitCode = broken === 0 ? 0 : 1;
