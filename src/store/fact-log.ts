import type { Database } from "better-sqlite3";
import { foldFacts, initialFacts } from "../../machines/facts.ts";
import type { SessionFact, SessionFacts } from "../../machines/facts.ts";
import type { AgentKind } from "../../machines/vocabulary.ts";
import type { SessionKey } from "../ports.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import type { FactCodec, FactRow } from "./fact-codec.ts";

/** Sessions whose folded facts stay in memory, a few kB each. */
const CACHED_SESSIONS = 1_000;

export interface FactLog {
  /** @throws StoreError when a row cannot be read */
  folded(key: SessionKey): SessionFacts;
  history(key: SessionKey): readonly { readonly at: number; readonly fact: SessionFact }[];
  /** Inside a transaction; when that fails, `forget` must follow. Returns the folded facts after it. */
  append(key: SessionKey, facts: readonly SessionFact[], at: number): SessionFacts;
  /** Drops what is in memory: the disk alone knows what was committed. */
  forget(): void;
}

export function createFactLog(db: Database, codec: FactCodec, agentKind: AgentKind): FactLog {
  const cache = createBoundedCache<SessionFacts>(CACHED_SESSIONS);
  const ofSession = db.prepare<[string], FactRow>(
    "SELECT seq, at, type, v, body FROM facts WHERE session_key = ? ORDER BY seq",
  );
  const insert = db.prepare<[string, number, string, number, string]>(
    "INSERT INTO facts (session_key, at, type, v, body) VALUES (?, ?, ?, ?, ?)",
  );

  const folded = (key: SessionKey): SessionFacts => {
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    let facts = initialFacts(agentKind);
    for (const row of ofSession.iterate(key)) facts = foldFacts(facts, [codec.decode(row)]);
    cache.set(key, facts);
    return facts;
  };

  return {
    folded,
    history: (key) => ofSession.all(key).map((row) => ({ at: row.at, fact: codec.decode(row) })),
    append(key, facts, at) {
      const after = foldFacts(folded(key), facts);
      for (const fact of facts) {
        const { type, v, body } = codec.encode(fact);
        insert.run(key, at, type, v, body);
      }
      cache.set(key, after);
      return after;
    },
    forget() {
      cache.clear();
    },
  };
}
