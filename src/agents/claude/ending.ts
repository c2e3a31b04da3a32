import type { Limits } from "../../../machines/limits.ts";
import type { AgentMarker, Clock } from "../../ports.ts";
import { killTree, sendSignal } from "../process.ts";
import { within } from "./child.ts";
import type { AgentChild, ChildExit } from "./child.ts";
import { treeOf } from "./running.ts";

export interface Ending {
  /** The ladder: the agent's own end, SIGTERM, SIGKILL to the whole tree. `now` starts at SIGTERM. */
  begin(how: "graceful" | "now"): void;
  readonly begun: boolean;
  /** Resolves when the process and everything it started are gone and its output is read. */
  gone(): Promise<ChildExit>;
}

/** Output still in the pipes when the whole tree is gone is read within this time. */
const DRAIN_MS = 1_000;

export function createEnding(options: {
  readonly child: AgentChild;
  readonly marker: AgentMarker;
  readonly clock: Clock;
  readonly limits: Pick<Limits, "endGraceMs" | "termGraceMs">;
  /** Asks the agent itself to end. */
  readonly ask: () => void;
  readonly onStuck: () => void;
  readonly onCut: () => void;
}): Ending {
  const { child, clock, limits } = options;
  let begun = false;
  let terminated = false;
  let sweeping: Promise<void> | null = null;

  /** Tools run in sessions of their own, so a signal to the group would leave them. */
  function sweep(): Promise<void> {
    sweeping ??= killTree(treeOf(child, options.marker, true), clock, options.onStuck);
    return sweeping;
  }

  function terminate(): void {
    if (terminated) return;
    terminated = true;
    sendSignal(child.pid, "SIGTERM");
    void within(child.exited, limits.termGraceMs, clock).then((inTime) => {
      if (!inTime) void sweep();
    });
  }

  return {
    begin(how) {
      const first = !begun;
      begun = true;
      if (how === "now") return terminate();
      if (!first) return;
      options.ask();
      void within(child.exited, limits.endGraceMs, clock).then((inTime) => {
        if (!inTime) terminate();
      });
    },
    get begun() {
      return begun;
    },
    async gone() {
      const exit = await child.exited;
      await sweep();
      if (!(await within(child.drained, DRAIN_MS, clock))) options.onCut();
      return exit;
    },
  };
}
