import { fromCallback } from "xstate";
import type { Launch, SessionFacts } from "../../machines/facts.ts";
import { contextPercent } from "../../machines/context-usage.ts";
import type {
  AgentProcessCommand,
  AgentProcessInput,
  EpochEvent,
} from "../../machines/session-types.ts";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import type { Logger } from "../log.ts";
import type { Agent, AgentProcess, Clock, LaunchPlan, SessionKey, Store } from "../ports.ts";

export interface AgentActorOptions {
  readonly agent: Agent;
  readonly store: Store;
  readonly stateDir: string;
  readonly model: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** Live processes by session, so that one is found although its actor is gone. */
  readonly processes: Map<SessionKey, AgentProcess>;
  /** A fact could not be written: what it would have allowed must not happen. */
  isFaulted(): boolean;
}

const DENIED: Readonly<Record<string, string>> = {
  "no-person":
    "Denied: this needs a person's permission, and nobody can be asked here. Go on without it, or say what you would need.",
  "time-out": "Denied: nobody answered in time. Go on without it, or say what you would need.",
};

/** The actor of one agent process: launched from the facts, it forwards events with their epoch and takes commands. */
export function createAgentActor(options: AgentActorOptions) {
  return fromCallback<AgentProcessCommand, AgentProcessInput>(({ input, sendBack, receive }) => {
    const { key, facts } = input;
    const { launch } = facts;
    if (launch === null) return;
    const forward = (event: EpochEvent) => sendBack(event);
    const began = options.clock.now();
    if (options.isFaulted()) {
      const detail = "the state could not be written";
      const { epoch } = launch;
      queueMicrotask(() =>
        forward({ type: "agent.unavailable", epoch, reason: "store-failed", detail, stderr: "" }),
      );
      return;
    }
    logLaunch(options.log, key, facts, launch);
    let asked = false;
    const emit = (event: AgentEvent) => {
      // What a record says has happened is stored by the time it is written.
      forward({ ...event, epoch: launch.epoch });
      logEvent(options, key, facts, launch, event, options.clock.now() - began, asked);
    };
    const process = options.agent.launch(
      {
        plan: planOf(launch, facts),
        cwd: facts.workspace ?? "",
        // A resume may otherwise lose the size of the window it ran with.
        model: (launch.mode === "fresh" ? null : facts.bound?.model) ?? options.model,
        marker: { stateDir: options.stateDir, sessionKey: key, epoch: launch.epoch },
      },
      emit,
    );
    options.processes.set(key, process);
    receive((command) => {
      asked ||= command.type === "end";
      if (command.type === "prompt" && options.isFaulted()) return;
      perform(options.store, process, command);
    });
    return () => {
      // Its machine lets go of a process only when it is gone; this is for a machine that failed.
      void process.end("now").finally(() => {
        if (options.processes.get(key) === process) options.processes.delete(key);
      });
    };
  });
}

/** What the launch was decided from. */
function logLaunch(log: Logger, key: SessionKey, facts: SessionFacts, launch: Launch): void {
  log.info(
    {
      session_key: key,
      epoch: launch.epoch,
      mode: launch.mode,
      force_fresh: facts.fresh !== null,
      prior_transcript: facts.everBound,
      fresh_intent_pending: facts.fresh !== null,
      resume_path: launch.mode === "resume" ? launch.transcript : null,
    },
    "launch.built",
  );
}

function planOf(launch: Launch, { bound }: SessionFacts): LaunchPlan {
  const { mode, agentSessionId, transcript } = launch;
  if (mode === "continue" || agentSessionId === null) return { mode: "continue" };
  if (mode === "fork") return { mode, agentSessionId, from: bound?.agentSessionId ?? "" };
  return mode === "resume"
    ? { mode, agentSessionId, transcript: transcript ?? "" }
    : { mode, agentSessionId };
}

function perform(store: Store, process: AgentProcess, command: AgentProcessCommand): void {
  switch (command.type) {
    case "prompt":
      process.prompt({
        uuid: command.uuid,
        text: store.message(command.messageId)?.text ?? "",
      });
      return;
    case "interrupt":
      process.interrupt();
      return;
    case "decide":
      process.decide(command.requestId, command.allow, DENIED[command.reason] ?? command.reason);
      return;
    case "end":
      void process.end(command.now ? "now" : "graceful");
      return;
  }
}

/** The diagnostic events of a session's life, with elapsed times in milliseconds. */
function logEvent(
  { log, model }: AgentActorOptions,
  key: SessionKey,
  facts: SessionFacts,
  launch: Launch,
  event: AgentEvent,
  elapsed_ms: number,
  /** It was asked to end: how it does is no failure. */
  asked: boolean,
): void {
  const base = { session_key: key, epoch: launch.epoch, elapsed_ms };
  const cwd = facts.workspace;
  const agent_session_id = launch.mode === "fresh" ? "new" : (launch.agentSessionId ?? "unknown");
  switch (event.type) {
    case "agent.spawned":
      return log.info(
        { ...base, cwd, agent_session_id, model, agent_pid: event.pid },
        "session.spawn",
      );
    case "agent.ready":
      return launch.mode === "resume"
        ? log.info({ ...base, agent_session_id, transcript: launch.transcript }, "session.resumed")
        : log.info({ ...base, agent_session_id: launch.agentSessionId }, "session.ready");
    case "agent.refused": {
      const { detail: error, stderr } = event;
      return log.error({ ...base, agent_session_id, error, stderr, cwd }, "session.resumeFailed");
    }
    case "agent.unavailable": {
      const { reason, detail: error, stderr } = event;
      const fields = { ...base, agent_session_id, reason, error, stderr, cwd };
      return log.error(fields, "agent.unavailable");
    }
    case "agent.exited": {
      const { code, signal, stderr } = event;
      const fields = { ...base, code, signal, cwd, agent_session_id: launch.agentSessionId };
      return asked || code === 0
        ? log.info(fields, "agent.exited")
        : log.error({ ...fields, error: `exit ${code ?? signal}`, stderr }, "agent.exited");
    }
    case "turn.ended":
      return log.info(
        {
          ...base,
          outcome: event.outcome,
          sdk_pct: contextPercent(event.context),
          self_reported_pct: event.selfReportedPercent,
          input_tokens: event.usage?.inputTokens ?? null,
          output_tokens: event.usage?.outputTokens ?? null,
        },
        "context_usage",
      );
    case "agent.active":
      return;
    default:
      return log.debug({ ...base, event: event.type }, event.type);
  }
}
