import type {
  AgentKind,
  ApprovalDecision,
  ApprovalRequest,
  ContextSize,
  UnavailableReason,
} from "./vocabulary.ts";

/** Why the next launch must be fresh. `fallback` reasons are ours, the others are the user's word. */
export type FreshReason =
  | "new"
  | "context-restart"
  | "clear"
  | "workspace-changed"
  | "agent-changed"
  | "resume-refused"
  | "too-large"
  | "transcript-missing";

export type LaunchMode = "fresh" | "resume" | "continue" | "fork";

export type FailureReason = UnavailableReason | "crash-limit" | "actor-fault";

/**
 * Why a message is put to the user.
 * - cut-short: its agent or the service died
 * - quiet: the agent fell silent and heeded the interrupt
 * - wedged: it did not heed it and was ended
 * - swallowed: the agent says it is done with it, and there is no answer
 * - too-large: the context has no room for it
 * - too-long: nor has one that holds nothing else
 * - tool-ran: the context had no room for it, and a tool had run for it
 */
export type ParkReason =
  | "cut-short"
  | "quiet"
  | "wedged"
  | "swallowed"
  | "too-large"
  | "too-long"
  | "tool-ran";

/**
 * Everything durable about a session, in the order it happened. A fact is
 * written before the effect it allows; the state of a session is their fold.
 * `v` is the shape's version; src/store upcasts older ones.
 */
export type SessionFact =
  | { readonly type: "workspace.bound"; readonly path: string; readonly agentKind: AgentKind }
  | { readonly type: "fresh.intended"; readonly epoch: number; readonly reason: FreshReason }
  | { readonly type: "fresh.settled"; readonly epoch: number }
  | { readonly type: "fresh.withdrawn"; readonly agentSessionId: string }
  | {
      readonly type: "launch.intended";
      readonly epoch: number;
      readonly mode: LaunchMode;
      /** Null only for `continue`: the CLI chooses. */
      readonly agentSessionId: string | null;
      readonly transcript: string | null;
    }
  | {
      readonly type: "launch.started";
      readonly epoch: number;
      readonly pid: number;
      /** The kernel's start time of the pid, so that a reused pid is not mistaken for it. */
      readonly startedAt: string;
    }
  /** A typed `/clear`: the same process goes on with a fresh agent session. */
  | {
      readonly type: "launch.reset";
      readonly epoch: number;
      readonly agentSessionId: string;
      readonly transcript: string;
    }
  | { readonly type: "launch.exited"; readonly epoch: number; readonly crashedAt: number | null }
  | {
      readonly type: "agentSession.bound";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly agentKind: AgentKind;
      readonly model: string | null;
    }
  /** Taken over from another chat, by the user's word: to go on with, or only to copy. */
  | {
      readonly type: "agentSession.taken";
      readonly how: "resume" | "fork";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly agentKind: AgentKind;
      readonly model: string | null;
      readonly completedTurns: number;
    }
  | {
      readonly type: "agentSession.archived";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly reason: FreshReason | "superseded";
    }
  /** Its transcript does not hold all of its turns any more; said once, and what is left is gone on with. */
  | { readonly type: "agentSession.incomplete"; readonly agentSessionId: string }
  | { readonly type: "message.received"; readonly id: number; readonly uuid: string }
  | {
      readonly type: "message.given";
      readonly id: number;
      readonly epoch: number;
      /** Where its trace will be found after a crash. */
      readonly transcript: string | null;
    }
  /** The user wants it before what waits: written together with `message.received`. */
  | { readonly type: "message.hurried"; readonly id: number }
  | { readonly type: "message.accepted"; readonly id: number }
  | { readonly type: "message.answered"; readonly id: number }
  | { readonly type: "message.failed"; readonly id: number; readonly reason: string }
  | { readonly type: "message.cancelled"; readonly id: number }
  | { readonly type: "message.parked"; readonly id: number; readonly reason: ParkReason }
  /** Back to waiting: with a new uuid on the user's `/retry`, with the old one where the agent never had it. */
  | { readonly type: "message.requeued"; readonly id: number; readonly uuid: string }
  /** A tool began for this message: running it again would repeat what the tool did. */
  | { readonly type: "turn.toolRan"; readonly messageId: number }
  | {
      readonly type: "turn.completed";
      readonly epoch: number;
      /** The uuid of the prompt it answered; absent where its message had ended before. */
      readonly prompt?: string;
    }
  /** What one turn used and how full the context was after it; kept to compare the two tracks, folds to nothing. */
  | {
      readonly type: "turn.measured";
      readonly epoch: number;
      readonly model: string | null;
      /** By the agent's usage; whole percent, null while unknown. */
      readonly sdkPercent: number | null;
      /** By the agent's own estimate; null when it gave none. */
      readonly selfReportedPercent: number | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
    }
  | {
      readonly type: "approval.opened";
      /** Of the launch whose process asks. */
      readonly epoch: number;
      /** The message that is worked on; null in a turn nobody asked for. */
      readonly messageId: number | null;
      readonly request: ApprovalRequest;
    }
  /** What is chosen so far: for each question the numbers of its options. */
  | {
      readonly type: "approval.picked";
      readonly requestId: string;
      readonly picks: readonly (readonly number[])[];
    }
  | {
      readonly type: "approval.decided";
      readonly requestId: string;
      readonly decision: ApprovalDecision;
    }
  | {
      readonly type: "approval.closed";
      readonly requestId: string;
      readonly outcome: ApprovalOutcome;
    }
  /** The user's word; it holds for all conversations of the chat. */
  | { readonly type: "choice.made"; readonly choice: Choice; readonly value: string }
  | { readonly type: "agentSession.named"; readonly agentSessionId: string; readonly name: string }
  | { readonly type: "context.measured"; readonly context: ContextSize }
  /** Ends with the next input of the user: a message, `/new`, `/retry`, `/resume` or another workspace. */
  | { readonly type: "session.failed"; readonly reason: FailureReason; readonly detail: string };

/** - verbose: how much of a running turn is shown, `0` to `2` */
export type Choice = "model" | "mode" | "effort" | "verbose";

/**
 * - allowed, denied, answered: the agent went on by the decision
 * - withdrawn: the agent took the question back, an interrupt most of all
 * - expired: the process that asked is gone
 * - timed-out: nobody answered in time, so it was denied
 */
export type ApprovalOutcome =
  | "allowed"
  | "denied"
  | "answered"
  | "withdrawn"
  | "expired"
  | "timed-out";

/** The agent waits for a decision, or for what comes of one. */
export interface OpenApproval {
  readonly request: ApprovalRequest;
  readonly epoch: number;
  readonly messageId: number | null;
  /** For each question the numbers of the chosen options; may be shorter than the questions. */
  readonly picks: readonly (readonly number[])[];
  /** Made and passed on; null while the agent waits for it. */
  readonly decision: ApprovalDecision | null;
}

export interface OpenMessage {
  readonly id: number;
  readonly uuid: string;
  readonly state: "received" | "given" | "accepted" | "parked";
  /** Where it was given; null while the agent never had it. */
  readonly transcript: string | null;
  /** The launch it was given in; 0 while the agent never had it. */
  readonly epoch: number;
  readonly toolsRan: boolean;
  /** Null unless it is parked. */
  readonly parkedFor: ParkReason | null;
  /** Goes before what waits. */
  readonly urgent: boolean;
}

/**
 * The first and the last prompt that are known to be answered in a session:
 * a transcript that lacks one of them was cut or begun anew. Null while none is.
 */
export interface PromptRange {
  readonly first: string;
  readonly last: string;
}

export interface BoundSession {
  readonly agentSessionId: string;
  readonly transcript: string;
  readonly model: string | null;
  /** Turns that were ever completed on it; 0 means that there is nothing to lose. */
  readonly completedTurns: number;
  readonly prompts: PromptRange | null;
  /** It belongs to another chat: the next launch makes a copy of its own, and nothing is written to it. */
  readonly borrowed: boolean;
  /** The user's name for it. */
  readonly name: string | null;
}

export interface ArchivedSession {
  readonly agentSessionId: string;
  readonly transcript: string;
  readonly model: string | null;
  readonly completedTurns: number;
  readonly prompts: PromptRange | null;
  readonly reason: FreshReason | "superseded";
  /** Where it was held, and by which kind of agent: it can only be resumed there and by that kind. */
  readonly workspace: string | null;
  readonly agentKind: AgentKind;
  readonly name: string | null;
}

export interface Launch {
  readonly epoch: number;
  readonly mode: LaunchMode;
  readonly agentSessionId: string | null;
  readonly transcript: string | null;
  readonly pid: number | null;
  readonly startedAt: string | null;
  /** False while a process of this launch may still live. */
  readonly exited: boolean;
}

/** What the facts of one session say, folded. */
export interface SessionFacts {
  readonly workspace: string | null;
  readonly agentKind: AgentKind;
  /** Number of launches so far; the next one is `epoch + 1`. */
  readonly epoch: number;
  /** Pending fresh intent: no launch resumes while it is there. `epoch` is the first launch it governs. */
  readonly fresh: { readonly epoch: number; readonly reason: FreshReason } | null;
  readonly bound: BoundSession | null;
  readonly everBound: boolean;
  /** The last launch. */
  readonly launch: Launch | null;
  readonly archived: readonly ArchivedSession[];
  /** Messages that have not ended, in order of arrival. */
  readonly messages: readonly OpenMessage[];
  /** Times of process deaths, milliseconds since 1970; trimmed by the reader. */
  readonly deaths: readonly number[];
  /** The session has failed and waits for a later input of the user. */
  readonly failure: { readonly reason: FailureReason; readonly detail: string } | null;
  readonly context: ContextSize | null;
  /** In the order they were asked; none without a process. */
  readonly approvals: readonly OpenApproval[];
  /** Absent: as configured. */
  readonly choices: { readonly [One in Choice]?: string };
}

/** The message an agent has or had: its end is not known. There is never more than one. */
export function messageInFlight(facts: SessionFacts): OpenMessage | null {
  return facts.messages.find((one) => one.state === "given" || one.state === "accepted") ?? null;
}

/** The message whose turn it is: the one in flight, else the first urgent one, else the first that waits. */
export function nextMessage(facts: SessionFacts): OpenMessage | null {
  const waiting = facts.messages.filter((one) => one.state === "received");
  return messageInFlight(facts) ?? waiting.find((one) => one.urgent) ?? waiting[0] ?? null;
}

export function firstParked(facts: SessionFacts): OpenMessage | null {
  return facts.messages.find((one) => one.state === "parked") ?? null;
}

/** Whether a process of the last launch may still live. */
export function mayHaveProcess(facts: SessionFacts): boolean {
  return facts.launch !== null && !facts.launch.exited;
}

/**
 * Whether the supervisor must have an actor for this session: at boot, on an
 * input, at every end of one. A failure outranks everything, or what fails at
 * once would be started again without end.
 */
export function wantsActor(facts: SessionFacts): boolean {
  return facts.failure === null && (mayHaveProcess(facts) || nextMessage(facts) !== null);
}

/**
 * The uuid for running a message again after its first one was given: the agent
 * drops a uuid it has seen. Derived, so that the same decision gives the same one.
 */
function followingUuid(uuid: string): string {
  const tail = uuid.slice(-12);
  if (!/^[0-9a-f]{12}$/i.test(tail)) return `${uuid}+`;
  const next = (Number.parseInt(tail, 16) + 1) % 0x1_0000_0000_0000;
  return uuid.slice(0, -12) + next.toString(16).padStart(12, "0");
}

/** Messages that had no room in the context, to be given again where there is room now. */
export function withRoomAgain(facts: SessionFacts): readonly SessionFact[] {
  return facts.messages
    .filter((one) => one.parkedFor === "too-large")
    .map(({ id, uuid }) => ({ type: "message.requeued", id, uuid: followingUuid(uuid) }));
}
