import type { SessionKey, Store } from "../ports.ts";

/** A conversation that a chat has left and may go back to. */
export interface EarlierConversation {
  readonly agentSessionId: string;
  readonly workspace: string | null;
  readonly turns: number;
  /** Milliseconds since something was last said in it; null where nothing is known. */
  readonly ageMs: number | null;
  /** The first message that was given in it; empty where there is none. */
  readonly firstWords: string;
}

/** Those of a chat, the one that was left last first. */
export function earlierConversations(
  store: Pick<Store, "facts" | "history" | "message">,
  key: SessionKey,
  now: number,
): readonly EarlierConversation[] {
  const { archived, agentKind } = store.facts(key);
  const given = new Map<string, { first: number; lastAt: number }>();
  for (const { at, fact } of store.history(key)) {
    if (fact.type !== "message.given" || fact.transcript === null) continue;
    const first = given.get(fact.transcript)?.first ?? fact.id;
    given.set(fact.transcript, { first, lastAt: at });
  }
  return archived
    .filter((one) => one.agentKind === agentKind)
    .toReversed()
    .map(({ agentSessionId, transcript, workspace, completedTurns: turns }) => {
      const found = given.get(transcript);
      return {
        agentSessionId,
        workspace,
        turns,
        ageMs: found === undefined ? null : now - found.lastAt,
        firstWords: found === undefined ? "" : (store.message(found.first)?.text ?? ""),
      };
    });
}
