import { messageInFlight, type SessionFacts } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import type { Limits } from "../../machines/limits.ts";
import type { PromptTrace } from "../../machines/vocabulary.ts";
import type { Logger } from "../log.ts";
import type { Agent, Clock, RunningAgent, SessionKey } from "../ports.ts";
import { checkWorkspace, type WorkspaceCheck } from "./workspace.ts";

export interface PrepareOptions {
  readonly agent: Agent;
  readonly stateDir: string;
  /** Null: each chat chooses its own. */
  readonly defaultWorkspace: string | null;
  readonly roots: readonly string[];
  readonly limits: Pick<Limits, "leftoverBusyMs">;
  readonly clock: Clock;
  readonly log: Logger;
  newId(): string;
  /** Ends a process of this service that an actor's fault left behind. */
  endOwn(key: SessionKey): Promise<void>;
}

/** How often a leftover agent is looked at while it finishes its turn. */
const LEFTOVER_LOOK_MS = 250;

/**
 * Makes certain that no process of the session lives, then reads what the
 * launch is decided from.
 */
export async function prepareLaunch(
  options: PrepareOptions,
  key: SessionKey,
  facts: SessionFacts,
  /** Aborted when nobody waits for the answer any more: a later probe has taken over. */
  signal: AbortSignal,
): Promise<Probe> {
  await options.endOwn(key);
  await settleLeftovers(options, key, facts, signal);
  const { agent } = options;
  const path = facts.workspace ?? options.defaultWorkspace;
  const workspace: WorkspaceCheck =
    path === null
      ? { ok: false, reason: "no-workspace", detail: "" }
      : checkWorkspace(path, options.roots, options.log);
  const agentSessionId = options.newId();
  const message = messageInFlight(facts);
  return {
    workspace: workspace.ok ? workspace : { ...workspace },
    fresh: {
      agentSessionId,
      transcript: agent.transcriptPath(
        agentSessionId,
        workspace.ok ? workspace.path : (path ?? ""),
      ),
    },
    bound: await stateOf(agent, facts.bound?.transcript ?? null),
    boundIncomplete: await isIncomplete(agent, facts),
    last: await stateOf(agent, facts.launch?.transcript ?? null),
    trace: message === null ? null : await traceOf(agent, message.transcript, message.uuid),
    foreignPid:
      facts.bound === null
        ? null
        : ((await agent.findForeign(facts.bound.agentSessionId, options.stateDir))?.pid ?? null),
  };
}

async function stateOf(agent: Agent, transcript: string | null) {
  return transcript === null ? null : (await agent.inspectTranscript(transcript)).state;
}

/** Where nothing will be resumed, a transcript is not read for it: it may be long. */
async function isIncomplete(agent: Agent, { bound, fresh }: SessionFacts): Promise<boolean> {
  if (bound === null || bound.prompts === null || fresh !== null) return false;
  const { first, last } = bound.prompts;
  return agent.lacksPrompt(bound.transcript, first === last ? [first] : [first, last]);
}

async function traceOf(
  agent: Agent,
  transcript: string | null,
  uuid: string,
): Promise<PromptTrace | null> {
  return transcript === null ? null : agent.tracePrompt(transcript, uuid);
}

/**
 * Agents that outlived the service: a busy one may finish within a bound, for
 * its answer is then in the transcript; everything else is ended now.
 */
async function settleLeftovers(
  options: PrepareOptions,
  key: SessionKey,
  facts: SessionFacts,
  signal: AbortSignal,
): Promise<void> {
  const { agent, clock, log, limits } = options;
  const deadline = clock.now() + limits.leftoverBusyMs;
  for (;;) {
    const running = await agent.findRunning(options.stateDir, key);
    signal.throwIfAborted();
    if (running.length === 0) return;
    const finishing = clock.now() < deadline && (await mayFinish(agent, facts, running));
    signal.throwIfAborted();
    if (!finishing) {
      log.warn({ session_key: key, pids: running.map((one) => one.pid) }, "leftover.ended");
      await Promise.all(running.map((one) => agent.endRunning(one)));
      return;
    }
    log.debug({ session_key: key, pids: running.map((one) => one.pid) }, "leftover.busy");
    await new Promise<void>((resolve) => {
      clock.setTimeout(() => resolve(), LEFTOVER_LOOK_MS);
    });
  }
}

/** Its main process lives and works on the message in flight. Tools that survived it alone finish nothing. */
async function mayFinish(
  agent: Agent,
  facts: SessionFacts,
  running: readonly RunningAgent[],
): Promise<boolean> {
  const message = messageInFlight(facts);
  if (message === null || message.transcript === null) return false;
  const pid = facts.launch?.pid ?? null;
  if (pid !== null && !running.some((one) => one.pid === pid)) return false;
  const trace = await agent.tracePrompt(message.transcript, message.uuid);
  return trace.found !== "finished";
}
