import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Long enough for a start of the real CLI while the machine does other things. */
export const PATIENCE_MS = 45_000;

/** Pids of the processes that carry the agents' marker of this state directory. */
export function findMarked(stateDir: string): readonly number[] {
  return findWithVariable(`HOLDFAST_AGENT_STATE_DIR=${stateDir}`);
}

/** Pids of the processes that have this variable, given as `NAME=value`, in their environment. */
export function findWithVariable(variable: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(variable);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export function killQuietly(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** Polls until it holds; for what nothing announces. */
export async function until(
  what: string,
  holds: () => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`"${what}" did not come true in ${timeoutMs} ms`);
    await sleep(50);
  }
}
