import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

export interface Child {
  readonly pid: number;
  /** Its next line of output; rejects when it ends before that. */
  line(): Promise<string>;
  /** Ends it the hard way, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Runs a script of this folder in a process of its own; it goes with the test. */
export function runChild(script: string, ...args: string[]): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", path, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => {
    if (isGone(child)) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(kill);
  return {
    pid: child.pid ?? 0,
    async line() {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${script} ended without another line`);
      return next.value;
    },
    kill,
  };
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
