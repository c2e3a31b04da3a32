import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Limits } from "../../../machines/limits.ts";
import type { AgentMarker, Clock, RunningAgent } from "../../ports.ts";
import {
  hasProc,
  isAlive,
  killTree,
  listProcesses,
  pause,
  readEnvironment,
  sendSignal,
} from "../process.ts";
import type { ProcessIdentity, ProcessInfo, Tree } from "../process.ts";
import { readMarker, sameMarker } from "./launch.ts";

interface Marked {
  readonly info: ProcessInfo;
  readonly marker: AgentMarker;
}

/**
 * Processes that carry this state directory's marker. Tools inherit it: only
 * the topmost of each launch is reported, be it the agent or, where the agent
 * has died, what it left behind. Finds nothing on a system without /proc.
 */
export function findRunning(stateDir: string, sessionKey?: string): readonly RunningAgent[] {
  const marked = listMarked().filter(
    ({ marker }) =>
      marker.stateDir === stateDir &&
      (sessionKey === undefined || marker.sessionKey === sessionKey),
  );
  const byPid = new Map(marked.map((one) => [one.info.pid, one]));
  return marked
    .filter((one) => {
      const parent = byPid.get(one.info.ppid);
      return parent === undefined || !sameMarker(parent.marker, one.marker);
    })
    .map(({ info, marker }) => ({ pid: info.pid, startedAt: info.startedAt, marker }));
}

function listMarked(): readonly Marked[] {
  return listProcesses().flatMap((info) => {
    if (info.pid === process.pid) return [];
    const marker = readMarker(readEnvironment(info.pid) ?? new Map<string, string>());
    return marker === null ? [] : [{ info, marker }];
  });
}

/** The tree of one launch: its root, its group while the root is known to live, and whatever carries the marker. */
export function treeOf(root: ProcessIdentity, marker: AgentMarker, group: boolean): Tree {
  return {
    root,
    group,
    owns: ({ pid }) => {
      const env = readEnvironment(pid);
      const carried = env === null ? null : readMarker(env);
      return carried !== null && sameMarker(carried, marker);
    },
  };
}

const POLL_MS = 20;

/** SIGTERM lets the agent end its tools itself; after `termGraceMs` everything is killed. */
export async function endRunning(
  running: RunningAgent,
  options: {
    readonly clock: Clock;
    readonly limits: Pick<Limits, "termGraceMs">;
    readonly onStuck: () => void;
  },
): Promise<void> {
  const { clock, limits } = options;
  const tree = treeOf(running, running.marker, isAlive(running));
  if (tree.group) sendSignal(running.pid, "SIGTERM");
  const since = clock.now();
  while (isAlive(running) && clock.now() - since < limits.termGraceMs) await pause(clock, POLL_MS);
  await killTree(tree, clock, options.onStuck);
}

const sessionFileSchema = z.object({
  pid: z.number().int().positive(),
  sessionId: z.string(),
  procStart: z.union([z.string(), z.number().transform(String)]).optional(),
});

/**
 * A live process on this agent session that is not one of this state
 * directory's, by the file the agent keeps for each of its processes.
 */
export async function findForeign(
  configDir: string,
  agentSessionId: string,
  stateDir: string,
): Promise<{ readonly pid: number } | null> {
  const folder = join(configDir, "sessions");
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.endsWith(".json"))) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "");
    const file = parseSessionFile(text);
    if (file?.sessionId !== agentSessionId) continue;
    // A file may outlive its process, and the pid be another's.
    const { pid, procStart } = file;
    const startedAt = procStart ?? listProcesses().find((info) => info.pid === pid)?.startedAt;
    const known = !hasProc() || startedAt !== undefined;
    if (!known || !isAlive({ pid, startedAt: startedAt ?? "" })) continue;
    const env = readEnvironment(pid);
    if (env !== null && readMarker(env)?.stateDir === stateDir) continue;
    return { pid };
  }
  return null;
}

function parseSessionFile(text: string): z.infer<typeof sessionFileSchema> | null {
  try {
    return sessionFileSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
