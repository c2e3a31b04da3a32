import type { BoundSession } from "../../machines/facts.ts";
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

/** Those that a chat has left and in which something was said, the latest first. */
export function earlierConversations(
  store: Reading,
  key: SessionKey,
  now: number,
): readonly EarlierConversation[] {
  return left(store, key, now, givenIn(store, key));
}

function left(store: Reading, key: SessionKey, now: number, given: ReadonlyMap<string, Given>) {
  const { archived, agentKind } = store.facts(key);
  const ours = archived.filter(
    (one) => one.agentKind === agentKind && !isEmpty(one, given.get(one.transcript)),
  );
  return ours.toReversed().map((one) => described(store, now, one, given.get(one.transcript)));
}

/** The present one, whatever was said in it, before those that the chat has left. */
export function allConversations(
  store: Reading,
  key: SessionKey,
  now: number,
): readonly EarlierConversation[] {
  const { bound, workspace } = store.facts(key);
  const given = givenIn(store, key);
  const earlier = left(store, key, now, given);
  if (bound === null) return earlier;
  const present = { ...bound, workspace };
  return [described(store, now, present, given.get(bound.transcript)), ...earlier];
}

type Placed = Omit<BoundSession, "borrowed"> & { readonly workspace: string | null };

/** What was given in one transcript. */
interface Given {
  readonly first: number;
  lastAt: number;
  /** Messages that were not answered there. */
  readonly unanswered: Set<number>;
}

function described(
  store: Reading,
  now: number,
  { agentSessionId, workspace, completedTurns, name }: Placed,
  given: Given | undefined,
): EarlierConversation {
  return {
    agentSessionId,
    workspace,
    turns: completedTurns,
    ageMs: given === undefined ? null : now - given.lastAt,
    firstWords: given === undefined ? "" : (store.message(given.first)?.text ?? ""),
    name,
  };
}

/** Without a completed turn, only commands of the agent's own have been answered there (`/clear`, `/cost`). */
function isEmpty({ completedTurns }: Placed, given: Given | undefined): boolean {
  return completedTurns === 0 && (given === undefined || given.unanswered.size === 0);
}

/** By transcript. */
function givenIn(store: Reading, key: SessionKey): ReadonlyMap<string, Given> {
  const given = new Map<string, Given>();
  const places = new Map<number, Given>();
  for (const { at, fact } of store.history(key)) {
    if (fact.type === "message.answered") places.get(fact.id)?.unanswered.delete(fact.id);
    if (fact.type !== "message.given" || fact.transcript === null) continue;
    const one = given.get(fact.transcript) ?? { first: fact.id, lastAt: at, unanswered: new Set() };
    one.lastAt = at;
    one.unanswered.add(fact.id);
    given.set(fact.transcript, one);
    // A message that is run again is answered where it was given last.
    places.set(fact.id, one);
  }
  return given;
}
