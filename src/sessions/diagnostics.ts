import type { Launch, SessionFacts } from "../../machines/facts.ts";
import {
  decideLaunch,
  launchInputs,
  type FallbackReason,
  type Probe,
} from "../../machines/launch.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import type { Logger } from "../log.ts";
import type { Clock, SessionKey } from "../ports.ts";

/** Why an idle session is reaped: its own limit, or another one that waits for its place. */
export type ReapCause = "limit" | "slot";

/** What the log says of a session between two processes. It keeps times, and decides nothing. */
export interface Diagnostics {
  /** The session begins to look at what it can launch from. */
  looking(key: SessionKey): void;
  /** What it found: a bound session's missing transcript is worth a warning. */
  looked(key: SessionKey, facts: SessionFacts, probe: Probe): void;
  /** A launch is written and about to be made; `facts` are those with it. */
  launchBuilt(key: SessionKey, facts: SessionFacts, launch: Launch): void;
  phaseChanged(key: SessionKey, phase: SessionPhase): void;
  reaped(key: SessionKey, facts: SessionFacts, cause: ReapCause): void;
  /** Its actor is gone: nothing of it is measured any more. */
  ended(key: SessionKey): void;
}

/** The fresh intents that are fallbacks; a record, so that a new one is not forgotten here. */
const FALLBACKS: Readonly<Record<FallbackReason, true>> = {
  "resume-refused": true,
  "too-large": true,
  "transcript-missing": true,
};

export function createDiagnostics(clock: Clock, log: Logger): Diagnostics {
  const lookedAt = new Map<SessionKey, number>();
  const idleSince = new Map<SessionKey, number>();
  const since = (times: ReadonlyMap<SessionKey, number>, key: SessionKey) =>
    clock.now() - (times.get(key) ?? clock.now());

  return {
    looking: (key) => void lookedAt.set(key, clock.now()),
    looked(key, facts, probe) {
      if (facts.bound === null || probe.bound !== "missing") return;
      const { agentSessionId: agent_session_id, transcript } = facts.bound;
      const cwd = facts.workspace;
      const launch = launchAfter(facts, probe);
      log.warn(
        { session_key: key, agent_session_id, transcript, cwd, launch },
        "session.transcriptMissing",
      );
    },
    launchBuilt(key, facts, launch) {
      log.info({ session_key: key, ...launchFields(facts, launch) }, "launch.built");
      const original = fallbackFrom(facts, launch);
      if (original === null) return;
      log.warn(
        {
          session_key: key,
          epoch: launch.epoch,
          original_id: original.agentSessionId,
          new_id: launch.agentSessionId,
          cwd: facts.workspace,
          reason: original.reason,
          elapsed_ms: since(lookedAt, key),
        },
        "session.freshFallback",
      );
    },
    phaseChanged(key, phase) {
      if (phase !== "idle") idleSince.delete(key);
      else if (!idleSince.has(key)) idleSince.set(key, clock.now());
    },
    reaped(key, facts, cause) {
      log.info(
        {
          session_key: key,
          cwd: facts.workspace,
          idle_ms: since(idleSince, key),
          context_tokens: facts.context?.used ?? null,
          cause,
        },
        "session.idleReap",
      );
    },
    ended(key) {
      lookedAt.delete(key);
      idleSince.delete(key);
    },
  };
}

/** What the next launch does about a transcript that is not there. */
function launchAfter(facts: SessionFacts, probe: Probe): "none" | "fresh" | "fresh-fallback" {
  if (!probe.workspace.ok) return "none";
  // `--continue` needs a session that never was bound: the setting does not matter here.
  const decided = decideLaunch(launchInputs(facts, probe, false));
  return decided.kind === "fallback" ? "fresh-fallback" : "fresh";
}

/** What the launch was decided from. */
function launchFields(facts: SessionFacts, launch: Launch) {
  const pending = facts.fresh !== null;
  return {
    epoch: launch.epoch,
    mode: launch.mode,
    // Fresh although there was a session to go back to, or by the user's word.
    force_fresh: launch.mode === "fresh" && (pending || facts.everBound),
    prior_transcript: facts.everBound,
    fresh_intent_pending: pending,
    resume_path: launch.mode === "resume" ? launch.transcript : null,
  };
}

/** The session that this launch is a fallback from; null where it is none, or a later one under the same intent. */
function fallbackFrom(facts: SessionFacts, launch: Launch) {
  const { fresh } = facts;
  if (fresh === null || fresh.epoch !== launch.epoch || !(fresh.reason in FALLBACKS)) return null;
  return facts.archived.findLast((one) => one.reason === fresh.reason) ?? null;
}
