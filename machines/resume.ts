import { mayHaveProcess, type ArchivedSession, type SessionFacts } from "./facts.ts";
import type { ForeignSession } from "./commands.ts";

/** A session of the pool, as far as a `/resume` must know it. */
export interface KnownSession {
  readonly key: string;
  readonly facts: SessionFacts;
}

/** What a `/resume` or `/fork` that names an agent session comes to. */
export type ResumeDecision =
  /** Archived here. */
  | { readonly kind: "own"; readonly session: ForeignSession }
  /** It is this chat's conversation now. */
  | { readonly kind: "current"; readonly session: ForeignSession }
  /** Another chat holds it: it can be copied, not taken. */
  | { readonly kind: "held"; readonly by: string; readonly session: ForeignSession }
  /** Another chat has left it. */
  | { readonly kind: "left"; readonly session: ForeignSession }
  /** Another chat has left it, and the process that wrote it may live still. */
  | { readonly kind: "leaving"; readonly session: ForeignSession }
  | { readonly kind: "ambiguous"; readonly agentSessionIds: readonly string[] }
  | { readonly kind: "unknown" };

/**
 * Which agent session is meant, and who holds it: at most one chat writes to a
 * session. Total; `asked` is an id or the beginning of one, `others` are the
 * sessions that know one like it.
 */
export function decideResume(
  asked: string,
  own: SessionFacts,
  others: readonly KnownSession[],
): ResumeDecision {
  const fits = (id: string | undefined): id is string => id?.startsWith(asked) === true;
  const sameKind = others.filter(({ facts }) => facts.agentKind === own.agentKind);
  const ids = new Set(
    [own, ...sameKind.map(({ facts }) => facts)].flatMap((facts) =>
      [
        heldBy(facts)?.agentSessionId,
        ...leftBy(facts, own).map((one) => one.agentSessionId),
      ].filter(fits),
    ),
  );
  const [id] = ids;
  if (asked === "" || id === undefined) return { kind: "unknown" };
  if (ids.size > 1) return { kind: "ambiguous", agentSessionIds: [...ids] };
  const current = heldBy(own);
  if (current?.agentSessionId === id) return { kind: "current", session: current };
  for (const { key, facts } of sameKind) {
    const held = heldBy(facts);
    if (held?.agentSessionId === id) return { kind: "held", by: key, session: held };
  }
  const left = [own, ...sameKind.map(({ facts }) => facts)].flatMap((facts) => leftBy(facts, own));
  const found = left.find((one) => one.agentSessionId === id);
  if (found === undefined) return { kind: "unknown" };
  const session = foreign(found);
  // Its own process is certainly gone before a session launches again; of another's, only its facts tell.
  if (sameKind.some(({ facts }) => mayWrite(facts, id))) return { kind: "leaving", session };
  return { kind: leftBy(own, own).includes(found) ? "own" : "left", session };
}

/** What is only copied stays its owner's. */
function heldBy({ bound, agentKind, workspace }: SessionFacts): ForeignSession | null {
  return bound === null || bound.borrowed ? null : foreign({ ...bound, agentKind, workspace });
}

function mayWrite(facts: SessionFacts, agentSessionId: string): boolean {
  return mayHaveProcess(facts) && facts.launch?.agentSessionId === agentSessionId;
}

function leftBy(facts: SessionFacts, own: SessionFacts): readonly ArchivedSession[] {
  return facts.archived.filter((one) => one.agentKind === own.agentKind);
}

function foreign(session: ForeignSession): ForeignSession {
  const { agentSessionId, transcript, agentKind, model, completedTurns, workspace } = session;
  return { agentSessionId, transcript, agentKind, model, completedTurns, workspace };
}
