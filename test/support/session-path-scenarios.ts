import { undecided } from "../../machines/approvals.ts";
import { foldFacts, initialFacts } from "../../machines/fold.ts";
import { nextMessage, type SessionFact } from "../../machines/facts.ts";
import { isUnlaunchedFallback } from "../../machines/launch.ts";
import { DEFAULT_LIMITS, type Limits } from "../../machines/limits.ts";
import type { SessionInput, SessionPolicy } from "../../machines/session-types.ts";
import { WORKSPACE, type SessionSnapshot } from "./session-path-cases.ts";

/** Where a session's paths begin: what its facts say when its actor is started. */

/** No two delays are alike, so that each is seen to fire at its own time. */
const PATH_LIMITS: Limits = { ...DEFAULT_LIMITS, crashMax: 2 };

const agentKind = "scripted";
const session = (epoch: number) => ({ agentSessionId: `s${epoch}`, transcript: `/t/s${epoch}` });

const received: readonly SessionFact[] = [{ type: "message.received", id: 1, uuid: "uuid-1" }];
const launched: readonly SessionFact[] = [
  { type: "workspace.bound", path: WORKSPACE, agentKind },
  { type: "launch.intended", epoch: 1, mode: "fresh", ...session(1) },
  { type: "launch.started", epoch: 1, pid: 4_710, startedAt: "11" },
];
const bound: readonly SessionFact[] = [
  ...launched,
  { type: "agentSession.bound", ...session(1), agentKind, model: null },
  { type: "turn.completed", epoch: 1, prompt: "uuid-0" },
];
const exited: SessionFact = { type: "launch.exited", epoch: 1, crashedAt: null };

function scenario(facts: readonly SessionFact[], policy: SessionPolicy): SessionInput {
  return {
    key: "chat",
    facts: foldFacts(initialFacts(agentKind), facts),
    limits: PATH_LIMITS,
    policy,
  };
}

const ask: SessionPolicy = { approvals: "ask", legacyContinue: false };

export const SCENARIOS = {
  "the first message of a chat": scenario(received, ask),
  "a message to a bound session": scenario([...bound, exited, ...received], ask),
  "an agent that outlived the service with a prompt": scenario(
    [
      ...bound,
      { type: "launch.exited", epoch: 0, crashedAt: 500 },
      ...received,
      { type: "message.given", id: 1, epoch: 1, transcript: "/t/s1" },
    ],
    ask,
  ),
  "a failed session whose process may live": scenario(
    [...bound, ...received, { type: "session.failed", reason: "start-failed", detail: "" }],
    ask,
  ),
  "a fallback that was not launched": scenario(
    [
      ...bound,
      exited,
      { type: "agentSession.archived", ...session(1), reason: "resume-refused" },
      { type: "fresh.intended", epoch: 2, reason: "resume-refused" },
      ...received,
    ],
    ask,
  ),
  "nobody to ask, and the legacy setting": scenario(received, {
    approvals: "deny",
    legacyContinue: true,
  }),
} as const;

export type ScenarioName = keyof typeof SCENARIOS;

/**
 * What the choice of transitions hangs on, and no more: every further bit doubles the paths.
 * States that share a key are walked on from the one that was reached first.
 */
export function keyOf(snapshot: SessionSnapshot): string {
  const { facts, policy, turn, process, background, provedByTurn } = snapshot.context;
  const next = nextMessage(facts);
  const deciding = snapshot.matches("normalizing");
  return [
    policy.approvals,
    deciding && policy.legacyContinue && !facts.everBound ? "continues" : "",
    next === null ? "" : deciding ? next.state : "waiting",
    deciding && facts.bound !== null ? "bound" : "",
    isUnlaunchedFallback(facts) ? "fallback" : "",
    facts.failure === null ? "" : "failure",
    process === null ? "" : "process",
    turn === null ? "" : `${turn.origin} ${turn.ending}`,
    undecided(facts).length,
    turn !== null && facts.deaths.length > 0 ? "one death more is too many" : "",
    background > 0 ? "background" : "",
    process === null || provedByTurn ? "" : facts.launch?.mode,
  ].join("|");
}

/**
 * Three launches and two open messages show everything there is to choose; one of each what
 * another policy changes.
 */
export function stopWhen({ context: { facts, policy } }: SessionSnapshot): boolean {
  const [launches, messages] = policy.approvals === "deny" ? [1, 1] : [3, 2];
  return facts.epoch > launches || facts.messages.length > messages;
}
