import type {
  ApprovalOutcome,
  Choice,
  FailureReason,
  OpenApproval,
  ParkReason,
  SessionFact,
} from "./facts.ts";
import type { FallbackReason } from "./launch.ts";
import type { AgentKind, TurnUsage } from "./vocabulary.ts";

/** What became of the message that a command took away: its turn was running, or had been cut short before. */
export type Cancelled = "running" | "cut-short";

/** What the user must be told; the words stand in src/words/. */
export type Notice =
  /** A fresh intent that no completed turn has settled gives up what was said since. */
  | { readonly code: "cleared-again"; readonly agentSessionId: string }
  /** The resumed conversation has lost turns. */
  | { readonly code: "partly-kept" }
  /** `waiting`: messages that go to the new conversation. */
  | {
      readonly code: "context-cleared-by-agent";
      readonly agentSessionId: string;
      readonly waiting: number;
    }
  | { readonly code: "context-lost"; readonly reason: FallbackReason; readonly parked: boolean }
  | {
      readonly code: "launch-failed";
      readonly reason: FailureReason;
      readonly detail: string;
      /** The message that the agent had was put to the user. */
      readonly parked: boolean;
    }
  | { readonly code: "turn-failed"; readonly detail: string }
  | { readonly code: "turn-interrupted" }
  | { readonly code: "parked"; readonly reason: ParkReason }
  | { readonly code: "not-kept" }
  /** `manual`: asked for by the user. `requeued`: messages that have room again. */
  | { readonly code: "compacted"; readonly manual: boolean; readonly requeued: number }
  | { readonly code: "compact-failed"; readonly detail: string }
  /** The agent had to be ended, with no message of the user's in its hands. */
  | { readonly code: "wedged" }
  | { readonly code: "approval-denied"; readonly tool: string }
  | { readonly code: "approval-timed-out"; readonly tool: string }
  /** It was settled, withdrawn or lost its process before. */
  | { readonly code: "approval-gone" }
  /** A message that was typed while the agent waits for a decision. */
  | { readonly code: "queued-behind-approval" }
  | { readonly code: "chosen"; readonly choice: Choice; readonly value: string }
  | { readonly code: "named"; readonly name: string }
  /** There is no conversation yet that could be named. */
  | { readonly code: "nothing-to-name" }
  | { readonly code: "stopped" }
  /** `/stop all`: what ran and what waited. */
  | { readonly code: "stopped-all"; readonly running: boolean; readonly waiting: number }
  /** By an urgent message. */
  | { readonly code: "overtaken" }
  | { readonly code: "nothing-to-stop" }
  /** A message that waited is taken out; `waiting`: how many are left. */
  | { readonly code: "unqueued"; readonly waiting: number }
  /** `waiting`: how many are left. */
  | { readonly code: "dropped"; readonly waiting: number }
  | {
      readonly code: "new-context";
      readonly cancelled: Cancelled | null;
      readonly waiting: number;
    }
  | {
      readonly code: "workspace-bound";
      readonly path: string;
      readonly cancelled: Cancelled | null;
      /** Messages that were sent before and run in the new workspace. */
      readonly waiting: number;
    }
  | { readonly code: "agent-changed"; readonly agentKind: AgentKind }
  | {
      readonly code: "resumed";
      readonly agentSessionId: string;
      readonly cancelled: Cancelled | null;
    }
  | {
      readonly code: "forked";
      readonly agentSessionId: string;
      readonly cancelled: Cancelled | null;
    }
  | { readonly code: "resume-unknown"; readonly agentSessionId: string }
  /** No place is free: `ahead` others wait before it. */
  | { readonly code: "waiting-for-place"; readonly ahead: number }
  | { readonly code: "retrying" }
  | { readonly code: "skipped" }
  | { readonly code: "nothing-parked" };

export type Say =
  | {
      readonly kind: "answer";
      readonly messageId: number;
      readonly text: string;
      /** Percent for the indicator; null while it is unknown. */
      readonly percent: number | null;
      readonly agentKind: AgentKind;
      /** What its turn took; null where nobody knows, as after a crash, or nothing was asked of a model. */
      readonly usage: TurnUsage | null;
    }
  /** Text of a turn nobody asked for. */
  | {
      readonly kind: "relay";
      readonly text: string;
      /** What woke the agent, in its words; empty where it does not say, null where nothing did. */
      readonly cause: string | null;
      readonly percent: number | null;
      readonly agentKind: AgentKind;
      readonly usage: TurnUsage | null;
    }
  /** What there is of an answer that will not be finished. */
  | {
      readonly kind: "partial";
      readonly messageId: number;
      readonly text: string;
      readonly percent: number | null;
    }
  /** A question to the user, or what became of it: the same message changes. */
  | {
      readonly kind: "approval";
      readonly approval: OpenApproval;
      readonly shown:
        | { readonly stage: "open" | "sent" }
        | { readonly stage: "closed"; readonly outcome: ApprovalOutcome };
    }
  | { readonly kind: "notice"; readonly notice: Notice; readonly messageId: number | null };

/** What is written together, before the effects it allows. */
export interface Plan {
  readonly facts: readonly SessionFact[];
  readonly say: readonly Say[];
  /** Commands that are handled with it. */
  readonly commandsDone: readonly number[];
}

export const NOTHING: Plan = { facts: [], say: [], commandsDone: [] };

export function plan(
  facts: readonly SessionFact[],
  say: readonly Say[] = [],
  commandsDone: readonly number[] = [],
): Plan {
  return { facts, say, commandsDone };
}

export function joinPlans(...plans: readonly Plan[]): Plan {
  return {
    facts: plans.flatMap((one) => one.facts),
    say: plans.flatMap((one) => one.say),
    commandsDone: plans.flatMap((one) => one.commandsDone),
  };
}

export function notice(notice: Notice, messageId: number | null = null): Say {
  return { kind: "notice", notice, messageId };
}
