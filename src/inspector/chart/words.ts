import type { LimitName } from "../../../machines/limits.ts";
import type { ChartedGuard, ChartedDelay, MachineName } from "./machines.ts";

/** What a machine's definition leaves unsaid: the meaning of its guards, and what its delays are read from. */
export interface ChartWords {
  readonly guards: Readonly<Record<string, string>>;
  readonly delays: Readonly<Record<string, readonly LimitName[]>>;
}

/**
 * Every guard as a clause that can follow "if". "It" is the event; one of a process is of the
 * session's current launch wherever nothing else is said.
 */
export const GUARD_WORDS: {
  readonly [Name in MachineName]: Readonly<Record<ChartedGuard<Name>, string>>;
} = {
  session: {
    isCurrent: "it is of this launch",
    isStale: "it is of another launch",
    isWorkspaceRefused: "the workspace is refused",
    hasNothingToDo: "no message waits",
    isUnavailable: "the bound session cannot be used now",
    needsFallback: "the bound session is lost",
    isPendingFallback: "a fallback is still to be launched",
    owesClearing: "the agent has asked for a cleared context",
    mayResume: "there is a session to go on with",
    stopsAnother: "it means another message",
    commandEndsLaunch: "it changes workspace or session",
    hasNext: "a message waits",
    hasTurn: "a turn is running",
    readyWithNext: "a message waits",
    isDone: "the process is gone",
    isDoneWithNext: "the process is gone and a message waits",
    isDoneAndFailed: "the process is gone and the session has failed",
    isDoneAndDiesTooOften: "the process is gone and died too often",
    endsUsersTurn: "it ends the user's turn",
    endsAgentsTurn: "it ends the agent's own turn",
    isUnsolicited: "no message asked for that turn",
    overflowsResume: "the resumed session is too large",
    isAccepted: "it is the message that was given",
    needsPerson: "somebody can be asked and no turn is being ended",
    hasUndecided: "an approval is open",
    hasNoUndecided: "no approval is open",
    overtakes: "it is urgent and the turn is not being ended",
    decides: "that approval is open",
    decidesLast: "only that approval is open",
    withdrawsLast: "only that approval is open",
    startsCompacting: "compacting begins",
    endsCompacting: "compacting ends",
    canReap: "no message waits and nothing runs in the background",
  },
  supervisor: {
    isLive: "the session has an actor",
    holdsProcess: "a process of the session may live",
    isWaiting: "the session waits for a slot already",
    hasSlot: "a slot is free",
    hasIdle: "a session is idle",
    givesWay: "it became idle while others wait for a slot",
    isEmpty: "no session has an actor",
    faultsTooOften: "the session had too many faults",
  },
  poller: {
    isReceived: "what came is stored",
    isConflict: "somebody else takes the updates",
    isFatal: "the credentials are refused",
  },
  delivery: {
    isSent: "a part was sent or set aside",
    isEmpty: "nothing is left to send",
    isGated: "the platform asks for silence",
    isAmbiguous: "the part may have arrived",
    isDisabled: "the chat takes no messages",
    hasMore: "a new row came in",
  },
};

/** The limits that every delay of every machine is read from; none where the platform says how long. */
export const DELAY_LIMITS: {
  readonly [Name in MachineName]: Readonly<Record<ChartedDelay<Name>, readonly LimitName[]>>;
} = {
  session: {
    startLimit: ["startMs"],
    quietLimit: ["turnQuietMs", "toolQuietMs", "backgroundQuietMs"],
    approvalLimit: ["approvalMs"],
    interruptLimit: ["interruptMs"],
    idleLimit: ["idleReapMs"],
    drainLimit: ["drainMs"],
  },
  supervisor: { faultWindow: ["faultWindowMs"] },
  poller: { backoff: ["pollBackoffMinMs", "pollBackoffMaxMs"] },
  delivery: { gate: [], backoff: ["sendBackoffMinMs", "sendBackoffMaxMs"] },
};
