import { join } from "node:path";
import { systemClock } from "../clock.ts";
import type { Config } from "../config.ts";
import { openStore } from "../store/sqlite-store.ts";
import { measureDrift } from "./context-drift.ts";
import { renderDrift } from "./drift-table.ts";

export interface ContextReportOptions {
  readonly config: Config;
  /** One JSON object instead of the table. */
  readonly json: boolean;
  readonly write: (text: string) => void;
}

/**
 * Says how far the agent's own estimates are from its usage, over every stored
 * turn. Reads only, so that the service may run meanwhile.
 * @throws StoreError where there is no store, or one that cannot be read
 */
export function contextReport({ config, json, write }: ContextReportOptions): void {
  using store = openStore({
    file: join(config.stateDir, "holdfast.db"),
    clock: systemClock,
    agentKind: config.agent.kind,
    readOnly: true,
  });
  const report = measureDrift(store.measuredTurns());
  write(json ? `${JSON.stringify(report)}\n` : renderDrift(report));
}
