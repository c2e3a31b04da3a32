import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../ports.ts";

/**
 * The kernel's view of processes, read from /proc. Where there is no /proc
 * (macOS) nothing is listed: a process is then only known by its own pid.
 * Everything is read synchronously: /proc never waits for a disk, and one
 * snapshot must not change while it is walked.
 */
export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Start time in clock ticks since boot (proc(5), field 22): tells a reused pid apart. */
  readonly startedAt: string;
}

/** Which process is meant, a reused pid excluded. */
export type ProcessIdentity = Pick<ProcessInfo, "pid" | "startedAt">;

/** Null when there is no such process; a zombie has ended and counts as gone. */
export function readProcess(pid: number): ProcessInfo | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // The command's name stands in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ppid, pgid] = fields;
  const startedAt = fields[19];
  if (state === "Z" || state === "X" || startedAt === undefined) return null;
  return { pid, ppid: Number(ppid), pgid: Number(pgid), startedAt };
}

export function listProcesses(): readonly ProcessInfo[] {
  let names: string[];
  try {
    names = readdirSync("/proc");
  } catch {
    return [];
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readProcess(Number(name)))
    .filter((info) => info !== null);
}

/** The environment a process was started with; null where it may not be read or is gone. */
export function readEnvironment(pid: number): ReadonlyMap<string, string> | null {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return new Map(
      entries
        .filter((entry) => entry.includes("="))
        .map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
    );
  } catch {
    return null;
  }
}

/** Whether exactly this process lives. Without /proc the pid alone must do. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (hasProc()) return readProcess(identity.pid)?.startedAt === identity.startedAt;
  try {
    process.kill(identity.pid, 0);
    return true;
  } catch {
    return false;
  }
}

export function hasProc(): boolean {
  return readProcess(process.pid) !== null;
}

/** All of `roots` that live, and whatever descends from them, in one snapshot. */
export function withDescendants(
  roots: ReadonlySet<number>,
  all: readonly ProcessInfo[],
): readonly ProcessInfo[] {
  const members = new Set(roots);
  // A child may be listed before its parent, hence until nothing is added.
  for (let size = -1; size !== members.size;) {
    size = members.size;
    for (const info of all) if (members.has(info.ppid)) members.add(info.pid);
  }
  return all.filter((info) => members.has(info.pid));
}

/** A process that has ended meanwhile is not an error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: gone already. EPERM: not ours, and nothing can be done about it.
  }
}

export interface Tree {
  readonly root: ProcessIdentity;
  /** Whether the root leads a group of its own. False for a pid out of a record: it may be reused. */
  readonly group: boolean;
  /** Whether a process belongs to it although its parents are gone (it carries the marker). */
  readonly owns: (info: ProcessInfo) => boolean;
}

const SWEEP_MIN_MS = 10;
const SWEEP_MAX_MS = 500;
/** SIGKILL works at once, save for a process that waits inside the kernel. */
const SWEEP_PATIENCE_MS = 5_000;

/**
 * Kills a tree for certain: SIGKILL to the root, its group, every descendant
 * and every process it owns, again until none is left, for a process may fork
 * between the list and the signal. Resolves when none lives.
 */
export async function killTree(tree: Tree, clock: Clock, onStuck: () => void): Promise<void> {
  const known = new Map<number, string>([[tree.root.pid, tree.root.startedAt]]);
  if (!hasProc() && tree.group) sendSignal(-tree.root.pid, "SIGKILL");
  const since = clock.now();
  let told = false;
  for (let wait = SWEEP_MIN_MS; ; wait = Math.min(wait * 2, SWEEP_MAX_MS)) {
    const living = findTree(tree, known);
    if (living.length === 0) return;
    for (const { pid, startedAt } of living) {
      known.set(pid, startedAt);
      sendSignal(pid, "SIGKILL");
    }
    if (!told && clock.now() - since > SWEEP_PATIENCE_MS) {
      told = true;
      onStuck();
    }
    await pause(clock, wait);
  }
}

/** Members of a tree that live now; `known` are those seen before, by pid and start time. */
export function findTree(
  tree: Tree,
  known: ReadonlyMap<number, string>,
): readonly ProcessIdentity[] {
  if (!hasProc()) return isAlive(tree.root) ? [tree.root] : [];
  const all = listProcesses().filter((info) => info.pid !== process.pid);
  const leader = all.find((info) => info.pid === tree.root.pid);
  const group = tree.group && (leader === undefined || leader.startedAt === tree.root.startedAt);
  const roots = all.filter(
    (info) =>
      known.get(info.pid) === info.startedAt ||
      (group && info.pgid === tree.root.pid) ||
      tree.owns(info),
  );
  return withDescendants(new Set(roots.map((info) => info.pid)), all);
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimeout(() => resolve(), ms);
  });
}
