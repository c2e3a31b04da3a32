import { accessSync, constants, statSync } from "node:fs";
import type { AgentEvent, UnavailableReason } from "../../../machines/vocabulary.ts";
import type { LaunchPlan } from "../../ports.ts";
import type { ChildExit, SpawnFailure } from "./child.ts";

type Unavailable = Extract<AgentEvent, { type: "agent.unavailable" }>;
type Refused = Extract<AgentEvent, { type: "agent.refused" }>;
type Gone = Extract<AgentEvent, { type: "agent.refused" | "agent.unavailable" | "agent.exited" }>;

/**
 * What the agent says about a session it cannot resume (texts of 2.1.332). A
 * file that could not be read for want of rights, space or handles says
 * nothing about the session, like everything else.
 */
const ABOUT_THE_SESSION = [
  /No conversation found/,
  /requires a valid session ID/,
  /Failed to resume session(?!: E(?:ACCES|PERM|MFILE|NFILE|NOSPC|NOMEM|IO)\b)/,
  /is already in use/,
];

const DETAIL_LINES = 5;
const DETAIL_MAX = 1_000;

/** The last lines of stderr that say something. */
export function lastLines(stderr: string): string {
  return stderr
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-DETAIL_LINES)
    .join("\n")
    .slice(-DETAIL_MAX);
}

export interface GoneProcess {
  readonly plan: LaunchPlan;
  readonly ready: boolean;
  /** Ended by us. */
  readonly ended: boolean;
  /** Why the adapter gave the start up; null otherwise. */
  readonly failure: { readonly reason: UnavailableReason; readonly detail: string } | null;
  /** Error texts the agent wrote to stdout before it was ready. */
  readonly startErrors: readonly string[];
  readonly exit: ChildExit;
  readonly stderr: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The last event of a process. */
export function verdictOf(gone: GoneProcess): Gone {
  const { exit, stderr, failure } = gone;
  if (gone.ready) return { type: "agent.exited", at: gone.at, ...exit, stderr };
  if (failure !== null) return { type: "agent.unavailable", ...failure, stderr };
  const said = [...gone.startErrors, lastLines(stderr)].find((text) => text !== "") ?? "";
  const everything = [...gone.startErrors, stderr].join("\n");
  const refused =
    gone.plan.mode !== "fresh" &&
    !gone.ended &&
    ABOUT_THE_SESSION.some((text) => text.test(everything));
  if (refused) return { type: "agent.refused", detail: said, stderr };
  const how =
    exit.signal === null ? `exit code ${exit.code ?? "unknown"}` : `signal ${exit.signal}`;
  const detail = gone.ended
    ? "it was ended before it was ready"
    : said === ""
      ? `it ended before it was ready (${how}) and said nothing`
      : `it ended before it was ready (${how}): ${said}`;
  return { type: "agent.unavailable", reason: "start-failed", detail, stderr };
}

/** Words that the agent (2.1.332) has for a conversation that it may not read, too. */
export function callsUnknown(refused: Refused): boolean {
  return /No conversation found/.test(refused.detail);
}

/** Of a conversation that stands where the agent looks for it: it cannot get there, nothing is lost. */
export function contradicted(refused: Refused): Unavailable {
  const detail = `${refused.detail} – but its transcript is there: may the agent read it, with which user and configuration directory does it run?`;
  return { type: "agent.unavailable", reason: "start-failed", detail, stderr: refused.stderr };
}

/** Whose fault a failed spawn is: the system blames program and directory with the same codes. */
export function spawnVerdict(failure: SpawnFailure, file: string, cwd: string): Unavailable {
  const workspace = workspaceProblem(cwd);
  const [reason, detail] = workspace ?? programProblem(failure, file);
  return { type: "agent.unavailable", reason, detail, stderr: "" };
}

type Problem = readonly [UnavailableReason, string];

function workspaceProblem(cwd: string): Problem | null {
  try {
    if (!statSync(cwd).isDirectory()) {
      return ["workspace-not-a-directory", `the workspace ${cwd} is not a directory`];
    }
  } catch {
    return ["workspace-missing", `the workspace ${cwd} does not exist`];
  }
  try {
    accessSync(cwd, constants.X_OK);
    return null;
  } catch {
    return ["workspace-unreadable", `the workspace ${cwd} may not be entered`];
  }
}

function programProblem(failure: SpawnFailure, file: string): Problem {
  switch (failure.code) {
    case "ENOENT":
      return ["binary-missing", `${file} was not found: install it or correct its path`];
    case "EACCES":
      return ["not-executable", `${file} may not be executed: correct its permissions or its path`];
    default:
      return ["spawn-failed", `${file} could not be started: ${failure.message}`];
  }
}
