import { fromCallback } from "xstate";
import type { Launch, SessionFacts } from "../../machines/facts.ts";
import type {
  AgentProcessCommand,
  AgentProcessInput,
  EpochEvent,
} from "../../machines/session-types.ts";
import type { AgentEvent, ApprovalDecision } from "../../machines/vocabulary.ts";
import type { Logger } from "../log.ts";
import type {
  Agent,
  AgentProcess,
  Clock,
  LaunchPlan,
  SessionKey,
  Store,
  StoredMessage,
} from "../ports.ts";
import type { Diagnostics } from "./diagnostics.ts";
import type { SavedFiles } from "./save-files.ts";
import { createLaunchDiary, modelOf } from "./launch-diary.ts";
import type { Wording } from "../words/wording.ts";

export interface AgentActorOptions {
  readonly agent: Agent;
  readonly store: Store;
  readonly stateDir: string;
  readonly model: string | null;
  readonly clock: Clock;
  readonly log: Logger;
  /** By which the agent of a session is known when it runs a command of its own. Default: it has none. */
  commandEnv?(key: SessionKey, epoch: number): Readonly<Record<string, string>>;
  readonly diagnostics: Pick<Diagnostics, "launchBuilt">;
  /** Fetches and saves what came with a message. Never throws. */
  saveFiles(message: StoredMessage, workspace: string): Promise<SavedFiles>;
  /** Tells a user something about a message. */
  tell(message: StoredMessage, text: Wording): void;
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

const DENIED_BY_USER =
  "The user denied this. Do not try it again in another way; go on without it, or ask what they want.";

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
        ...withCommands(options, key, launch.epoch),
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
    const giving = createGiving(options, live, facts.workspace ?? "", (event) => emit(event));
    receive((command) => {
      if (command.type === "prompt" && options.isFaulted()) return;
      giving.perform(command);
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

function withCommands({ commandEnv }: AgentActorOptions, key: SessionKey, epoch: number) {
  return commandEnv === undefined ? {} : { commandEnv: commandEnv(key, epoch) };
}

function chosen({ choices: { mode, effort } }: SessionFacts) {
  return {
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...(effort === undefined ? {} : { effort }),
  };
}

/** Hands a machine's commands to a process; a message with files when those are saved. */
function createGiving(
  options: AgentActorOptions,
  process: AgentProcess,
  workspace: string,
  emit: (event: AgentEvent) => void,
) {
  let preparing: { readonly uuid: string; isStopped: boolean } | null = null;

  async function give(uuid: string, message: StoredMessage): Promise<void> {
    const one = { uuid, isStopped: false };
    preparing = one;
    const { text, images, problems } = await options.saveFiles(message, workspace);
    preparing = null;
    for (const problem of problems) options.tell(message, problem);
    // The agent never had it: nothing but this can end its turn.
    if (one.isStopped) emit(stoppedEarly(uuid));
    else if (!options.isFaulted()) process.prompt({ uuid, text, images });
  }

  return {
    perform(command: AgentProcessCommand): void {
      switch (command.type) {
        case "prompt": {
          const { uuid, messageId } = command;
          const message = options.store.message(messageId);
          if (message === null || message.files.length === 0) {
            return process.prompt({ uuid, text: message?.text ?? "" });
          }
          void give(uuid, message);
          return;
        }
        case "interrupt":
          if (preparing === null) return process.interrupt();
          preparing.isStopped = true;
          return;
        case "decide":
          return process.decide(command.requestId, inWords(command.decision));
        case "configure":
          return process.configure(command.settings);
        case "end":
          void process.end(command.now ? "now" : "graceful");
      }
    },
  };
}

function stoppedEarly(uuid: string): AgentEvent {
  return {
    type: "turn.ended",
    uuids: [uuid],
    outcome: "interrupted",
    text: "",
    context: null,
    usage: null,
    selfReportedPercent: null,
  };
}

/** The machine's reasons are keys; what a person wrote goes on as it is. */
function inWords(decision: ApprovalDecision): ApprovalDecision {
  return decision.allow
    ? decision
    : { ...decision, reason: DENIED[decision.reason] ?? (decision.reason || DENIED_BY_USER) };
}
