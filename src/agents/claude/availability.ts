import { execa } from "execa";
import { tmpdir } from "node:os";
import type { AgentEvent, AgentOffers } from "../../../machines/vocabulary.ts";
import type { AgentProcess, Availability, Clock, LaunchRequest } from "../../ports.ts";
import { killTree, readProcess } from "../process.ts";
import { within } from "./child.ts";
import { definedOnly } from "./launch.ts";
import type { LiveOptions } from "./live.ts";
import { lastLines, spawnVerdict } from "./verdict.ts";

type Launch = (request: LaunchRequest, emit: (event: AgentEvent) => void) => AgentProcess;

/**
 * Whether the agent can be started and is logged in: asks for its version,
 * then starts it without a session until it answers. Within `startMs`; leaves
 * no process and no transcript behind.
 */
export async function checkAvailability(
  options: LiveOptions,
  launch: Launch,
  signal: AbortSignal = new AbortController().signal,
): Promise<Availability> {
  const since = options.clock.now();
  const version = await askVersion(options, signal);
  if (!version.usable) return version;
  const left = options.limits.startMs - (options.clock.now() - since);
  return tryStart(options, launch, version.version, Math.max(left, 1), signal);
}

async function askVersion(options: LiveOptions, signal: AbortSignal): Promise<Availability> {
  const [file, ...leading] = options.command;
  const cwd = tmpdir();
  const asked = execa(file, [...leading, "--version"], {
    cwd,
    env: definedOnly(options.env),
    extendEnv: false,
    reject: false,
    stdin: "ignore",
  });
  const { pid } = asked;
  // The program may be a script: what it waits for would hold its output, and this service, open.
  if (!(await inTime(asked, options.limits.startMs, options.clock, signal)) && pid !== undefined) {
    const root = { pid, startedAt: readProcess(pid)?.startedAt ?? "unknown" };
    const onStuck = () => options.log.error({ pid }, "agent.processStuck");
    await killTree({ root, group: false, owns: () => false }, options.clock, onStuck);
    return tooSlow(options);
  }
  const result = await asked;
  if (result.exitCode === undefined && result.signal === undefined) {
    const message = result.originalMessage ?? "";
    const { reason, detail } = spawnVerdict({ code: result.code ?? null, message }, file, cwd);
    return { usable: false, reason, detail };
  }
  if (result.failed) {
    const said = lastLines(result.stderr) || (result.originalMessage ?? "it said nothing");
    return { usable: false, reason: "start-failed", detail: `${file} --version failed: ${said}` };
  }
  return { usable: true, version: result.stdout.trim().split(/\s/)[0] ?? "", offers: null };
}

async function tryStart(
  options: LiveOptions,
  launch: Launch,
  version: string,
  ms: number,
  signal: AbortSignal,
): Promise<Availability> {
  let answer: Availability = tooSlow(options);
  let late = false;
  let offers: AgentOffers | null = null;
  let settled = (): void => undefined;
  const told = new Promise<void>((resolve) => {
    settled = resolve;
  });
  const request: LaunchRequest = {
    plan: { mode: "fresh", agentSessionId: options.newId() },
    cwd: tmpdir(),
    model: null,
    // Belongs to no state directory, and is unlike that of a check at the same time.
    marker: { stateDir: "", sessionKey: `check/${options.newId()}`, epoch: 0 },
  };
  const process = launch(request, (event) => {
    if (event.type === "agent.offers") {
      ({ offers } = event);
      return;
    }
    if (event.type === "agent.ready") answer = { usable: true, version, offers };
    else if (event.type === "agent.unavailable" && !late) {
      answer = { usable: false, reason: event.reason, detail: event.detail };
    } else if (event.type !== "agent.exited") return;
    settled();
  });
  late = !(await inTime(told, ms, options.clock, signal));
  await process.end(late ? "now" : "graceful");
  return answer;
}

/** False as well where nobody waits any more. */
async function inTime(
  done: Promise<unknown>,
  ms: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  let abort = (): void => undefined;
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  const came = await within(Promise.race([done, aborted]), ms, clock);
  signal.removeEventListener("abort", abort);
  return came && !signal.aborted;
}

function tooSlow(options: LiveOptions): Availability {
  const detail = `${options.command[0]} did not answer within ${options.limits.startMs} ms`;
  return { usable: false, reason: "start-timeout", detail };
}
