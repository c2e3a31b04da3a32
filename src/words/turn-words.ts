import type { ApprovalOutcome } from "../../machines/facts.ts";
import type { Allowance } from "../../machines/vocabulary.ts";
import type { Wording } from "./wording.ts";

/** What stands on the buttons. */
export interface ButtonWords {
  readonly retry: Wording;
  readonly skip: Wording;
  readonly clear: Wording;
  readonly stop: Wording;
  readonly tool: Readonly<Record<"allow" | "deny", Wording>>;
  readonly plan: Readonly<Record<"allow" | "deny", Wording>>;
  always(what: string): Wording;
  readonly more: Wording;
  readonly submit: Wording;
  readonly here: Wording;
  readonly newFolder: Wording;
  readonly up: Wording;
}

/** Shown for a moment to whoever pressed a button that does nothing. */
export interface PressWords {
  readonly stale: Wording;
  readonly notYours: Wording;
  readonly unanswered: Wording;
}

/** What the agent asks a person, and what became of it. */
export interface ApprovalWords {
  needed(tool: string): Wording;
  readonly planHead: Wording;
  /** What the plan is called once it is settled. */
  readonly plan: Wording;
  readonly replyToTool: Wording;
  readonly replyToPlan: Wording;
  readonly replyToQuestion: Wording;
  /** Behind a question with several answers. */
  readonly several: Wording;
  sent(decision: string): Wording;
  readonly allowed: Wording;
  alwaysAllowed(what: string): Wording;
  /** What "always" would allow, in few words. */
  allowances(all: readonly Allowance[]): Wording;
  readonly answered: Wording;
  denied(reason: string): Wording;
  readonly outcomes: Readonly<
    Record<Exclude<ApprovalOutcome, "allowed" | "answered" | "denied">, Wording>
  >;
}

/** The message that shows a running turn. */
export interface ProgressWords {
  readonly waiting: Wording;
  readonly compacting: Wording;
  readonly thinking: Wording;
  readonly writing: Wording;
  over(isDone: boolean, duration: string, tools: number): Wording;
  /** Of a turn whose service went away. */
  readonly left: Wording;
}

export interface UnitWords {
  /** `8 s`, `2 min 5 s`, `1 h 3 min`. */
  duration(ms: number): Wording;
  /** `3 d`, `2 h`, `5 min`; under a minute `1 min`. */
  age(ms: number): Wording;
  /** `950 B`, `12 kB`, `3.4 MB`. */
  size(bytes: number): Wording;
  /** `$0.03`; what is less than a cent is said to be that. */
  cost(usd: number): Wording;
  /** `“hello”` */
  quoted(text: string): Wording;
}
