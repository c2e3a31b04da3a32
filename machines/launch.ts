import type { LaunchMode, SessionFacts, FreshReason } from "./facts.ts";
import type { PromptTrace, TranscriptState, UnavailableReason } from "./vocabulary.ts";

/** What the world looks like right before a launch; read by the `prepareLaunch` actor. */
export interface Probe {
  readonly workspace:
    | { readonly ok: true; readonly path: string }
    | { readonly ok: false; readonly reason: UnavailableReason; readonly detail: string };
  /** An agent session id of our own, for a fresh launch, and where its transcript will be. */
  readonly fresh: { readonly agentSessionId: string; readonly transcript: string };
  /** The bound session's transcript; null where nothing is bound. */
  readonly bound: TranscriptState | null;
  /** It is there, and a prompt that was answered in the bound session is not in it any more. */
  readonly boundIncomplete: boolean;
  /** The last launch's own transcript; null where there was none. */
  readonly last: TranscriptState | null;
  /** What the transcript says about the message in flight; null where there is none. */
  readonly trace: PromptTrace | null;
  /** A process that is not ours and has the bound session open. */
  readonly foreignPid: number | null;
}

export type LaunchDecision =
  | { readonly kind: "launch"; readonly mode: LaunchMode }
  /** The bound session is lost: archive it, tell the user, launch fresh. */
  | { readonly kind: "fallback"; readonly reason: FallbackReason }
  | { readonly kind: "unavailable"; readonly reason: UnavailableReason };

export type FallbackReason = Extract<
  FreshReason,
  "resume-refused" | "too-large" | "transcript-missing"
>;

export interface LaunchInputs {
  readonly freshIntended: boolean;
  readonly bound: TranscriptState | null;
  /** Turns ever completed on the bound session. */
  readonly completedTurns: number;
  readonly everBound: boolean;
  readonly legacyContinue: boolean;
  /** The bound session is another chat's: it is only copied. */
  readonly borrowed: boolean;
  readonly inUse: boolean;
}

/**
 * How to launch: a total table. The intent comes first, then what is bound;
 * `--continue`, which guesses, only where nothing was ever bound and the
 * legacy setting allows it.
 */
export function decideLaunch(inputs: LaunchInputs): LaunchDecision {
  if (inputs.freshIntended) return { kind: "launch", mode: "fresh" };
  switch (inputs.bound) {
    case "present":
      // Reading it disturbs nobody who writes to it.
      if (inputs.borrowed) return { kind: "launch", mode: "fork" };
      return inputs.inUse
        ? { kind: "unavailable", reason: "session-in-use" }
        : { kind: "launch", mode: "resume" };
    case "unreadable":
      return { kind: "unavailable", reason: "projects-missing" };
    case "missing":
      return inputs.completedTurns > 0
        ? { kind: "fallback", reason: "transcript-missing" }
        : { kind: "launch", mode: "fresh" };
    case null:
      return !inputs.everBound && inputs.legacyContinue
        ? { kind: "launch", mode: "continue" }
        : { kind: "launch", mode: "fresh" };
  }
}

export function launchInputs(
  facts: SessionFacts,
  probe: Probe,
  legacyContinue: boolean,
): LaunchInputs {
  return {
    freshIntended: facts.fresh !== null,
    bound: boundTranscript(facts, probe),
    completedTurns: facts.bound?.completedTurns ?? 0,
    everBound: facts.everBound,
    legacyContinue,
    borrowed: facts.bound?.borrowed ?? false,
    inUse: probe.foreignPid !== null,
  };
}

/** A session that recovery has just bound was the last launch's when the probe looked. */
function boundTranscript(facts: SessionFacts, probe: Probe): TranscriptState | null {
  if (facts.bound === null) return null;
  const isLast = facts.bound.agentSessionId === facts.launch?.agentSessionId;
  return (isLast ? probe.last : probe.bound) ?? "missing";
}

const FALLBACK_REASONS: readonly FreshReason[] = [
  "resume-refused",
  "too-large",
  "transcript-missing",
];

/** Whether the pending intent is a fallback that has not been launched yet. */
export function isUnlaunchedFallback(facts: SessionFacts): boolean {
  return (
    facts.fresh !== null &&
    facts.fresh.epoch === facts.epoch + 1 &&
    FALLBACK_REASONS.includes(facts.fresh.reason)
  );
}
