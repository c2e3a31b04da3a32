import type { Database } from "better-sqlite3";
import { foldFacts, initialFacts } from "../../machines/fold.ts";
import type { SessionFact, SessionFacts } from "../../machines/facts.ts";
import type { AgentKind } from "../../machines/vocabulary.ts";
import type { MeasuredTurn, SessionKey } from "../ports.ts";
import { createBoundedCache } from "./bounded-cache.ts";
import type { FactCodec, FactRow } from "./fact-codec.ts";

/** Sessions whose folded facts stay in memory, a few kB each. */
const CACHED_SESSIONS = 1_000;
/** Rows of a page: an open query would hold up every write of its connection until it is read to the end. */
const PAGE_ROWS = 500;

export interface FactLog {
  /** @throws StoreError when a row cannot be read */
  folded(key: SessionKey): SessionFacts;
  history(key: SessionKey): readonly { readonly at: number; readonly fact: SessionFact }[];
  /** The next measured turns of all sessions behind a row, 0 for the first; `last` is null at the end. */
  measuredTurns(after: number): {
    readonly turns: readonly MeasuredTurn[];
    readonly last: number | null;
  };
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
  const ofType = db.prepare<[string, number, number], FactRow>(
    "SELECT seq, at, type, v, body FROM facts WHERE type = ? AND seq > ? ORDER BY seq LIMIT ?",
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
    measuredTurns(after) {
      const rows = ofType.all("turn.measured", after, PAGE_ROWS);
      const facts = rows.map((row) => codec.decode(row));
      const turns = facts.filter((fact) => fact.type === "turn.measured");
      return { turns, last: rows.length < PAGE_ROWS ? null : (rows.at(-1)?.seq ?? null) };
    },
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
