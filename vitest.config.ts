import { defineConfig } from "vitest/config";
import { SummaryReporter } from "./test/support/summary-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/build.ts"],
    // Real processes start in 0.4–1 s, up to 15 s on a busy two-core machine.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    pool: "forks",
    // No test changes what another one sees; loading every module anew for each file costs a quarter of the time.
    isolate: false,
    // Two more than the cores of a small machine: most of the time they wait for processes.
    maxWorkers: 4,
    reporters: ["default", new SummaryReporter()],
  },
});
