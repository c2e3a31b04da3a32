import { foldFacts, initialFacts } from "../../machines/fold.ts";
import type { SessionFact, SessionFacts } from "../../machines/facts.ts";

/** Short ways to the facts of a session that has lived a little. */

export const WORKSPACE = "/work/project";

export const received = (id: number): SessionFact => ({
  type: "message.received",
  id,
  uuid: `uuid-${id}`,
});

export const bound = (agentSessionId: string): SessionFact => ({
  type: "agentSession.bound",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
  agentKind: "scripted",
  model: "model-1",
});

export const intended = (epoch: number, agentSessionId: string): SessionFact => ({
  type: "launch.intended",
  epoch,
  mode: "fresh",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
});

export const exited = (epoch: number, crashedAt: number | null = null): SessionFact => ({
  type: "launch.exited",
  epoch,
  crashedAt,
});

export function factsOf(...facts: readonly SessionFact[]): SessionFacts {
  return foldFacts(initialFacts("scripted"), facts);
}

/** One turn was completed on the session `s1`; its process is gone. */
export const ONE_TURN: readonly SessionFact[] = [
  { type: "workspace.bound", path: WORKSPACE, agentKind: "scripted" },
  received(1),
  intended(1, "s1"),
  { type: "launch.started", epoch: 1, pid: 11, startedAt: "t1" },
  { type: "message.given", id: 1, epoch: 1, transcript: "/t/s1.jsonl" },
  bound("s1"),
  { type: "message.accepted", id: 1 },
  { type: "message.answered", id: 1 },
  { type: "turn.completed", epoch: 1, prompt: "uuid-1" },
  exited(1),
];

/** A session with one completed turn whose process is gone, and a new message. */
export const RETURNING: readonly SessionFact[] = [...ONE_TURN, received(2)];
/** The same after `/new`. */
export const FRESH_PENDING: readonly SessionFact[] = [
  ...ONE_TURN,
  {
    type: "agentSession.archived",
    agentSessionId: "s1",
    transcript: "/t/s1.jsonl",
    reason: "new",
  },
  { type: "fresh.intended", epoch: 2, reason: "new" },
  received(2),
];
