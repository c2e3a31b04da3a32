import type { BoundSession, SessionFacts } from "../../machines/facts.ts";
import type { SessionKey, Store } from "../ports.ts";

/** A conversation of a chat: the present one, or one that it has left and may go back to. */
export interface EarlierConversation {
  readonly agentSessionId: string;
  readonly workspace: string | null;
  readonly turns: number;
  /** Milliseconds since something was last said in it; null where nothing is known. */
  readonly ageMs: number | null;
  /** The first message that was given in it; empty where there is none. */
  readonly firstWords: string;
  /** The user's name for it. */
  readonly name: string | null;
}

type Reading = Pick<Store, "facts" | "history" | "message">;

/** Those that a chat has left, the latest first. */
export function earlierConversations(
  store: Reading,
  key: SessionKey,
  now: number,
): readonly EarlierConversation[] {
  const { archived, agentKind } = store.facts(key);
  const ours = archived.filter((one) => one.agentKind === agentKind).toReversed();
  return describe(store, key, now, ours);
}

/** The present one before those that the chat has left. */
export function allConversations(
  store: Reading,
  key: SessionKey,
  now: number,
): readonly EarlierConversation[] {
  const facts = store.facts(key);
  const present = facts.bound === null ? [] : [placed(facts, facts.bound)];
  return [...describe(store, key, now, present), ...earlierConversations(store, key, now)];
}

type Placed = Omit<BoundSession, "borrowed"> & { readonly workspace: string | null };

const placed = ({ workspace }: SessionFacts, bound: BoundSession): Placed => ({
  ...bound,
  workspace,
});

function describe(
  store: Reading,
  key: SessionKey,
  now: number,
  sessions: readonly Placed[],
): readonly EarlierConversation[] {
  const given = givenIn(store, key);
  return sessions.map(({ agentSessionId, transcript, workspace, completedTurns, name }) => {
    const found = given.get(transcript);
    return {
      agentSessionId,
      workspace,
      turns: completedTurns,
      ageMs: found === undefined ? null : now - found.lastAt,
      firstWords: found === undefined ? "" : (store.message(found.first)?.text ?? ""),
      name,
    };
  });
}

/** By transcript: the first message that was given there, and when the last one was. */
function givenIn(store: Reading, key: SessionKey) {
  const given = new Map<string, { readonly first: number; readonly lastAt: number }>();
  for (const { at, fact } of store.history(key)) {
    if (fact.type !== "message.given" || fact.transcript === null) continue;
    const first = given.get(fact.transcript)?.first ?? fact.id;
    given.set(fact.transcript, { first, lastAt: at });
  }
  return given;
}
