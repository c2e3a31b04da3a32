import type { SerializedError } from "vitest";
import type { Reporter, TestModule } from "vitest/node";

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * Tests by result. A file that could not be loaded, and an error outside every
 * test, count as a failure each: a run that fails never says "0 failed".
 */
function countTests(modules: readonly TestModule[], unhandled: readonly SerializedError[]): Counts {
  let [passed, failed, skipped] = [0, unhandled.length, 0];
  for (const module of modules) {
    const failedBefore = failed;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === "passed") passed += 1;
      else if (state === "failed") failed += 1;
      else skipped += 1;
    }
    if (module.state() === "failed" && failed === failedBefore) failed += 1;
  }
  return { passed, failed, skipped };
}

function summaryLine({ passed, failed, skipped }: Counts): string {
  const rest = skipped === 0 ? "" : `, ${skipped} skipped`;
  return `${passed} passed, ${failed} failed${rest}`;
}

/** The run's last line, for people and programs that look only at the end. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const line = summaryLine(countTests(modules, unhandled));
    // vitest's own summary and its "close timed out" warnings come before the process ends.
    process.once("exit", () => process.stdout.write(`${line}\n`));
  }
}
