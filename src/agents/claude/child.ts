import type { ChildProcess } from "node:child_process";
import { execa } from "execa";
import type { Clock } from "../../ports.ts";
import { readProcess } from "../process.ts";
import type { LaunchSpec } from "./launch.ts";
import { createLineSplitter, createTailBuffer } from "./lines.ts";

export interface ChildExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A child that could not be started; `code` is the system's (`ENOENT`, `EACCES`, …). */
export interface SpawnFailure {
  readonly code: string | null;
  readonly message: string;
}

export interface AgentChild {
  readonly pid: number;
  /** Kernel start time; `unknown` on a system without /proc. */
  readonly startedAt: string;
  /** Writes one line. A child that no longer reads is not an error: its exit tells. */
  send(line: object): void;
  closeInput(): void;
  /** The last bytes of stderr. */
  stderr(): string;
  /** Resolves when the process has ended, before its output is drained. */
  readonly exited: Promise<ChildExit>;
  /** Resolves when stdout and stderr have ended, after every line of them was handed over. */
  readonly drained: Promise<void>;
}

export interface ChildHandlers {
  readonly lineBytes: number;
  readonly stderrBytes: number;
  readonly onLine: (line: string) => void;
  readonly onSkipped: (bytes: number) => void;
}

export type Spawned =
  | { readonly ok: true; readonly child: AgentChild }
  | { readonly ok: false; readonly failure: Promise<SpawnFailure> };

/** Starts the program in a process group of its own, so that a signal to the service leaves it alone. */
export function spawnChild(spec: LaunchSpec, handlers: ChildHandlers): Spawned {
  const subprocess = execa(spec.file, spec.args, {
    cwd: spec.cwd,
    env: spec.env,
    extendEnv: false,
    detached: true,
    // After a crash of the service a busy agent finishes its turn, and is found at the next boot.
    cleanup: false,
    buffer: false,
    reject: false,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const { pid } = subprocess;
  if (pid === undefined) {
    return { ok: false, failure: subprocess.then((result) => spawnFailure(result)) };
  }
  return { ok: true, child: wrap(subprocess, pid, handlers) };
}

function spawnFailure(result: {
  code?: string | undefined;
  originalMessage?: string | undefined;
}): SpawnFailure {
  return {
    code: result.code ?? null,
    message: result.originalMessage ?? "it could not be started",
  };
}

function wrap(subprocess: ChildProcess, pid: number, handlers: ChildHandlers): AgentChild {
  const stderr = createTailBuffer(handlers.stderrBytes);
  const lines = createLineSplitter(handlers.lineBytes, handlers.onLine, handlers.onSkipped);
  const { stdin, stdout, stderr: errors } = subprocess;
  stdout?.on("data", (chunk: Buffer) => lines.push(chunk));
  errors?.on("data", (chunk: Buffer) => stderr.push(chunk));
  // EPIPE and the like: the process has ended, which is told by its exit.
  for (const stream of [stdin, stdout, errors]) stream?.on("error", () => undefined);
  return {
    pid,
    startedAt: readProcess(pid)?.startedAt ?? "unknown",
    send(line) {
      if (stdin?.writable === true) stdin.write(`${JSON.stringify(line)}\n`);
    },
    closeInput: () => stdin?.end(),
    stderr: () => stderr.text(),
    exited: new Promise((resolve) => {
      subprocess.once("exit", (code, signal) => resolve({ code, signal }));
    }),
    drained: new Promise((resolve) => {
      subprocess.once("close", () => {
        lines.end();
        resolve();
      });
    }),
  };
}

/** Waits for `promise`, `ms` at most. True when it came in time. */
export function within(promise: Promise<unknown>, ms: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.setTimeout(() => resolve(false), ms);
    void promise.finally(() => {
      clock.clearTimeout(timer);
      resolve(true);
    });
  });
}
