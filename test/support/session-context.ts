import type { SessionFact, SessionFacts } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import type { SessionContext, Turn } from "../../machines/session-types.ts";
import { RETURNING, WORKSPACE } from "./facts.ts";

/** A session's context as values, for the pure parts of its machine. */

export const PROBE: Probe = {
  workspace: { ok: true, path: WORKSPACE },
  fresh: { agentSessionId: "s9", transcript: "/t/s9.jsonl" },
  bound: "present",
  last: "present",
  boundIncomplete: false,
  trace: null,
  foreignPid: null,
};

export const TURN: Turn = {
  origin: "user",
  messageId: 2,
  uuid: "uuid-2",
  openTools: [],
  ending: null,
  cause: "",
  cleared: false,
  compaction: null,
};

export function contextOf(facts: SessionFacts, more: Partial<SessionContext> = {}): SessionContext {
  return {
    key: "k",
    limits: DEFAULT_LIMITS,
    policy: { legacyContinue: false, approvals: "deny" },
    facts,
    probe: PROBE,
    turn: TURN,
    provedByTurn: false,
    background: 0,
    process: facts.epoch,
    wedged: false,
    ...more,
  };
}

/** The service died while message 2 was with the launch 2 on the session `s1`. */
export const CRASHED: readonly SessionFact[] = [
  ...RETURNING,
  {
    type: "launch.intended",
    epoch: 2,
    mode: "resume",
    agentSessionId: "s1",
    transcript: "/t/s1.jsonl",
  },
  { type: "message.given", id: 2, epoch: 2, transcript: "/t/s1.jsonl" },
];
