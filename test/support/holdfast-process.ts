import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DIST } from "./build.ts";
import { PATIENCE_MS } from "./processes.ts";

/** One process of the service, its records and its end. */

export const ROOT = join(import.meta.dirname, "..", "..");

export interface LogRecord {
  readonly msg: string;
  readonly subsystem: string;
  readonly [field: string]: unknown;
}

export interface Holdfast {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly logs: readonly LogRecord[];
  readonly output: readonly string[];
  waitForLog(predicate: (record: LogRecord) => boolean, timeoutMs?: number): Promise<LogRecord>;
  /** Resolves with the exit code, or the signal's name. */
  exited(): Promise<number | string>;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | string>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export function startHoldfast(env: Record<string, string>, args: readonly string[]): Holdfast {
  const child = spawn(process.execPath, [join(DIST, "src/main.js"), ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const logs: LogRecord[] = [];
  const output: string[] = [];
  const waiting = new Set<() => void>();
  const note = (line: string) => {
    output.push(line);
    try {
      logs.push(JSON.parse(line) as LogRecord);
    } catch {
      // Not a record: a complaint for people.
    }
    for (const look of waiting) look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", note);
  }
  const exit = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    child,
    pid: child.pid ?? 0,
    logs,
    output,
    exited: () => exit,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill("SIGTERM");
      return exit;
    },
    async kill() {
      if (isRunning()) child.kill("SIGKILL");
      await exit;
    },
    waitForLog(predicate, timeoutMs = PATIENCE_MS) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(`no such record within ${timeoutMs} ms:\n${output.slice(-30).join("\n")}`),
          );
        }, timeoutMs);
        function look() {
          const found = logs.find(predicate);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        }
        waiting.add(look);
        look();
      });
    },
  };
}
