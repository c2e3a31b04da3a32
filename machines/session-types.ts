import type { SessionCommand } from "./commands.ts";
import type { SessionFacts } from "./facts.ts";
import type { Probe } from "./launch.ts";
import type { Limits } from "./limits.ts";
import type { AgentCommand, AgentEvent } from "./vocabulary.ts";

export interface SessionPolicy {
  /** `--continue` where nothing was ever bound; a legacy setting. */
  readonly legacyContinue: boolean;
  /** `deny`: a request that needs a person is denied and the user told; `ask`: put to the user. */
  readonly approvals: "deny" | "ask";
}

/** The turn in flight. */
export interface Turn {
  readonly origin: "user" | "agent";
  readonly messageId: number | null;
  readonly uuid: string | null;
  readonly openTools: readonly string[];
  /** Who ends it early; `user`: its message is cancelled already. */
  readonly ending: "user" | "quiet" | null;
  /** What started an unsolicited turn. */
  readonly cause: string;
  /** A typed `/clear` has put another agent session in the old one's place. */
  readonly cleared: boolean;
  /** How the last compaction in it ended that the user asked for, or that failed. */
  readonly compaction: { readonly ok: boolean; readonly detail: string } | null;
}

export interface SessionContext {
  readonly key: string;
  readonly limits: Limits;
  readonly policy: SessionPolicy;
  readonly facts: SessionFacts;
  readonly probe: Probe | null;
  readonly turn: Turn | null;
  /** A turn was completed since this launch: a later overflow is not the resume's fault. */
  readonly provedByTurn: boolean;
  readonly background: number;
  /** Epoch of the launch whose process may live; null when it is certainly gone. */
  readonly process: number | null;
  /** The last process was ended because it did not heed an interrupt; not yet told. */
  readonly wedged: boolean;
}

export interface SessionInput {
  readonly key: string;
  readonly facts: SessionFacts;
  readonly limits: Limits;
  readonly policy: SessionPolicy;
}

/** By a command of its own, the agent asks for a cleared context once its turn is over. */
export interface ContextAsked {
  readonly type: "context.asked";
  /** Of the launch whose agent asks. */
  readonly epoch: number;
}

/** An agent's event with the launch it belongs to. */
export type EpochEvent = (AgentEvent & { readonly epoch: number }) | ContextAsked;

export type SessionEvent =
  | SessionCommand
  | EpochEvent
  /** Stored already; the actor is told. */
  | {
      readonly type: "message.received";
      readonly id: number;
      readonly uuid: string;
      /** It ends the running turn and goes before what waits. Default false. */
      readonly urgent?: boolean;
    }
  /** The supervisor wants the slot of an idle session. */
  | { readonly type: "reap" }
  | { readonly type: "shutdown" }
  /** A fact could not be written: nothing it would have allowed may happen. */
  | { readonly type: "fault"; readonly detail: string };

export interface PrepareInput {
  readonly key: string;
  readonly facts: SessionFacts;
}

export interface AgentProcessInput {
  readonly key: string;
  readonly facts: SessionFacts;
}

export type AgentProcessCommand = AgentCommand;

/** For the supervisor: who could be reaped; for the channel: who is typing. */
export type SessionPhase = "moving" | "busy" | "waiting" | "background" | "idle" | "ending";

export interface SessionOutput {
  readonly key: string;
}
