import { fromCallback } from "xstate";
import type { Launch, SessionFacts } from "../../machines/facts.ts";
import type {
  AgentProcessCommand,
  AgentProcessInput,
  EpochEvent,
} from "../../machines/session-types.ts";
import type { AgentEvent, ApprovalDecision } from "../../machines/vocabulary.ts";
import type { Logger } from "../log.ts";
import type { Agent, AgentProcess, Clock, LaunchPlan, SessionKey, Store } from "../ports.ts";
import type { Diagnostics } from "./diagnostics.ts";
import { createLaunchDiary, modelOf } from "./launch-diary.ts";

export interface AgentActorOptions {
  readonly agent: Agent;
  readonly store: Store;
  readonly stateDir: string;
  readonly model: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly diagnostics: Pick<Diagnostics, "launchBuilt">;
  /** Live processes by session, so that one is found although its actor is gone. */
  readonly processes: Map<SessionKey, AgentProcess>;
  /** Hears everything that agents say, as it is said. */
  observe?(key: SessionKey, event: AgentEvent): void;
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
    if (options.isFaulted()) {
      const detail = "the state could not be written";
      const { epoch } = launch;
      queueMicrotask(() =>
        forward({ type: "agent.unavailable", epoch, reason: "store-failed", detail, stderr: "" }),
      );
      return;
    }
    options.diagnostics.launchBuilt(key, facts, launch);
    const diary = createLaunchDiary(options, key, facts, launch);
    const emit = (event: AgentEvent) => {
      const write = diary.note(event);
      options.observe?.(key, event);
      // What a record says has happened is stored by the time it is written.
      forward({ ...event, epoch: launch.epoch });
      write();
    };
    const process = options.agent.launch(
      {
        plan: planOf(launch, facts),
        cwd: facts.workspace ?? "",
        model: modelOf(options.model, facts, launch),
        ...chosen(facts),
        marker: { stateDir: options.stateDir, sessionKey: key, epoch: launch.epoch },
      },
      emit,
    );
    /** However its end is asked for, by its machine or around it, the diary hears of it. */
    const end: AgentProcess["end"] = (how) => {
      diary.endAsked();
      return process.end(how);
    };
    const live: AgentProcess = { ...process, end };
    options.processes.set(key, live);
    receive((command) => {
      if (command.type === "prompt" && options.isFaulted()) return;
      perform(options.store, live, command);
    });
    return () => {
      // Its machine lets go of a process only when it is gone; this is for a machine that failed.
      void live.end("now").finally(() => {
        if (options.processes.get(key) === live) options.processes.delete(key);
      });
    };
  });
}

function planOf(launch: Launch, { bound }: SessionFacts): LaunchPlan {
  const { mode, agentSessionId, transcript } = launch;
  if (mode === "continue" || agentSessionId === null) return { mode: "continue" };
  if (mode === "fork") return { mode, agentSessionId, from: bound?.agentSessionId ?? "" };
  return mode === "resume"
    ? { mode, agentSessionId, transcript: transcript ?? "" }
    : { mode, agentSessionId };
}

function chosen({ choices: { mode, effort } }: SessionFacts) {
  return {
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(effort === undefined ? {} : { effort }),
  };
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
      process.decide(command.requestId, inWords(command.decision));
      return;
    case "configure":
      process.configure(command.settings);
      return;
    case "end":
      void process.end(command.now ? "now" : "graceful");
      return;
  }
}

/** The machine's reasons are keys; what a person wrote goes on as it is. */
function inWords(decision: ApprovalDecision): ApprovalDecision {
  return decision.allow
    ? decision
    : { ...decision, reason: DENIED[decision.reason] ?? decision.reason };
}
