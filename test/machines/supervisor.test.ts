import { describe, expect, it, onTestFinished } from "vitest";
import { createActor, SimulatedClock } from "xstate";
import { foldFacts } from "../../machines/fold.ts";
import { wantsActor } from "../../machines/facts.ts";
import { DEFAULT_LIMITS, type Limits } from "../../machines/limits.ts";
import { planFailure } from "../../machines/launch-plans.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import { supervisorMachine } from "../../machines/supervisor.ts";
import { factsOf, intended, received, RETURNING } from "../support/facts.ts";
import { createFakeSession, type FakeSession } from "../support/fake-session.ts";

const NEEDY = factsOf(received(1));

/** The pool over sessions that do what the test says. */
function createPool(limits: Partial<Limits> = {}) {
  const clock = new SimulatedClock();
  const log: string[] = [];
  const waits: string[] = [];
  const sessions = new Map<string, FakeSession[]>();
  const actor = createActor(
    supervisorMachine.provide({
      actors: {
        session: createFakeSession((session) => {
          sessions.set(session.key, [...(sessions.get(session.key) ?? []), session]);
        }),
      },
      actions: {
        recheck: (_, { key }) => void log.push(`recheck ${key}`),
        giveUp: (_, { key, detail }) => void log.push(`give up ${key}: ${detail}`),
        logFault: (_, { key, detail }) => void log.push(`fault ${key}: ${detail}`),
        sayWaiting: (_, { key, ahead }) => void waits.push(`${key} waits behind ${ahead}`),
      },
    }),
    {
      clock,
      input: {
        limits: { ...DEFAULT_LIMITS, liveAgents: 2, ...limits },
        policy: { legacyContinue: false, approvals: "deny" },
      },
    },
  );
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  onTestFinished(() => {
    actor.stop();
    expect(errors).toEqual([]);
  });
  return {
    clock,
    log,
    waits,
    context: () => actor.getSnapshot().context,
    state: () => actor.getSnapshot().value,
    live: () => Object.keys(actor.getSnapshot().context.live),
    children: () => Object.keys(actor.getSnapshot().children),
    need: (key: string, facts = NEEDY) => actor.send({ type: "session.needed", key, facts }),
    tell: (key: string) => actor.send({ type: "session.told", key, event: { type: "reap" } }),
    announce: (key: string, phase: SessionPhase) =>
      actor.send({ type: "session.announced", key, phase }),
    shutdown: () => actor.send({ type: "shutdown" }),
    /** The latest actor of a session. */
    session(key: string): FakeSession {
      const one = sessions.get(key)?.at(-1);
      if (one === undefined) throw new Error(`No actor was started for ${key}`);
      return one;
    },
    started: (key: string) => sessions.get(key)?.length ?? 0,
  };
}

describe("admission", () => {
  it("starts one actor for a session that is needed, however often it is", () => {
    const pool = createPool();
    pool.need("a");
    pool.need("a");
    expect([pool.live(), pool.children(), pool.started("a")]).toEqual([["a"], ["a"], 1]);
    expect(pool.session("a").facts).toEqual(NEEDY);
  });

  it("has no more actors than the cap; the others wait in order, once each", () => {
    const pool = createPool();
    for (const key of ["a", "b", "c", "d", "c"]) pool.need(key);
    expect(pool.live()).toEqual(["a", "b"]);
    expect(pool.context().waiting).toEqual(["c", "d"]);
  });

  it("gives a session whose process may live its place at once: it counts already", () => {
    const pool = createPool({ liveAgents: 1 });
    const left = factsOf(...RETURNING, intended(2, "s1"));
    pool.need("a", left);
    pool.need("b", left);
    pool.need("c");
    expect(pool.live()).toEqual(["a", "b"]);
    expect(pool.waits).toEqual(["c waits behind 0"]);
    pool.session("a").end();
    pool.need("c");
    expect(pool.live()).toEqual(["b"]);
  });

  it("tells whoever has to wait for a place, and how many wait before it", () => {
    const pool = createPool();
    for (const key of ["a", "b", "c", "d", "c"]) pool.need(key);
    expect(pool.waits).toEqual(["c waits behind 0", "d waits behind 1"]);
  });

  it("says nothing where an idle session gives way at once", () => {
    const pool = createPool({ liveAgents: 1 });
    pool.need("a");
    pool.announce("a", "idle");
    pool.need("b");
    expect(pool.log).toEqual([]);
  });

  it("looks at whoever waits longest when a slot is free", () => {
    const pool = createPool();
    for (const key of ["a", "b", "c", "d"]) pool.need(key);
    pool.session("a").end();
    expect(pool.log).toEqual(["recheck c", "recheck a"]);
    expect(pool.context().waiting).toEqual(["d"]);
    pool.need("c");
    expect(pool.live()).toEqual(["b", "c"]);
  });

  it("reaps an idle session for one that waits, the longest idle first", () => {
    const pool = createPool();
    pool.need("a");
    pool.need("b");
    pool.announce("b", "idle");
    pool.announce("a", "idle");
    pool.need("c");
    expect(pool.session("b").told).toEqual(["reap"]);
    expect(pool.session("a").told).toEqual([]);
    expect(pool.context()).toMatchObject({ idle: ["a"], waiting: ["c"] });
  });

  it("reaps a session that becomes idle while another waits", () => {
    const pool = createPool({ liveAgents: 1 });
    pool.need("a");
    pool.need("b");
    pool.announce("a", "busy");
    expect(pool.session("a").told).toEqual([]);
    pool.announce("a", "idle");
    expect(pool.session("a").told).toEqual(["reap"]);
    pool.session("a").end();
    pool.need("b");
    expect(pool.live()).toEqual(["b"]);
  });

  it("does not ask a session with work in the background, which would refuse, but the next one", () => {
    const pool = createPool();
    for (const key of ["a", "b"]) {
      pool.need(key);
      pool.announce(key, "idle");
    }
    pool.announce("a", "background");
    pool.need("c");
    expect([pool.session("a").told, pool.session("b").told]).toEqual([[], ["reap"]]);
    pool.need("d");
    expect(pool.session("a").told).toEqual([]);
    pool.announce("a", "idle");
    expect(pool.session("a").told).toEqual(["reap"]);
  });

  it("does not reap a session that has become busy again", () => {
    const pool = createPool({ liveAgents: 1 });
    pool.need("a");
    pool.announce("a", "idle");
    pool.announce("a", "busy");
    pool.need("b");
    expect(pool.session("a").told).toEqual([]);
    expect(pool.context().waiting).toEqual(["b"]);
  });

  it("keeps hundreds of waiting sessions in order through a pool of two", () => {
    const pool = createPool();
    const keys = Array.from({ length: 300 }, (_, nth) => `k${nth}`);
    for (const key of keys) pool.need(key);
    const served: string[] = [];
    for (let next = pool.live()[0]; next !== undefined; next = pool.live()[0]) {
      served.push(next);
      pool.log.length = 0;
      pool.session(next).end();
      for (const line of pool.log) {
        const key = line.replace("recheck ", "");
        if (key !== next) pool.need(key);
      }
    }
    expect(served).toEqual(keys);
  });
});

describe("an event for a session", () => {
  it("is passed on to its actor", () => {
    const pool = createPool();
    pool.need("a");
    pool.tell("a");
    expect(pool.session("a").told).toEqual(["reap"]);
  });

  it("is dropped where it has none: the sender acts on the facts", () => {
    const pool = createPool();
    pool.tell("a");
    pool.need("a");
    pool.session("a").end();
    pool.tell("a");
    pool.announce("a", "idle");
    expect(pool.context()).toMatchObject({ live: {}, idle: [] });
    expect(pool.state()).toBe("serving");
  });

  it("tells the phase of a session", () => {
    const pool = createPool();
    pool.need("a");
    expect(pool.context().live).toEqual({ a: "moving" });
    pool.announce("a", "waiting");
    expect(pool.context().live).toEqual({ a: "waiting" });
  });
});

describe("the end of a session's actor", () => {
  it("frees its slot, leaves no child, and has its facts looked at", () => {
    const pool = createPool();
    pool.need("a");
    pool.announce("a", "idle");
    pool.session("a").end();
    expect(pool.context()).toMatchObject({ live: {}, idle: [], faults: {} });
    expect([pool.children(), pool.log]).toEqual([[], ["recheck a"]]);
  });

  it("by a fault is logged, counted, and has its facts looked at, too", () => {
    const pool = createPool();
    pool.need("a");
    pool.session("a").fail("boom");
    expect(pool.log).toEqual(["fault a: boom", "recheck a"]);
    expect(pool.context()).toMatchObject({ live: {}, faults: { a: 1 } });
    expect(pool.children()).toEqual([]);
    pool.need("a");
    expect(pool.started("a")).toBe(2);
  });

  it("by a fault leaves the others alone", () => {
    const pool = createPool();
    pool.need("a");
    pool.need("b");
    pool.session("a").fail("boom");
    pool.tell("b");
    expect(pool.session("b").told).toEqual(["reap"]);
    expect(pool.live()).toEqual(["b"]);
  });

  it("by faults up to the intensity limit gives that one session up", () => {
    const pool = createPool({ faultMax: 3 });
    pool.need("b");
    for (let nth = 1; nth <= 3; nth += 1) {
      pool.need("a");
      pool.session("a").fail(`boom ${nth}`);
    }
    expect(pool.log.filter((line) => line.startsWith("give up"))).toEqual(["give up a: boom 3"]);
    expect(pool.log.slice(-3)).toEqual(["fault a: boom 3", "give up a: boom 3", "recheck a"]);
    expect(pool.live()).toEqual(["b"]);
    expect(pool.state()).toBe("serving");
  });

  it("by faults up to the limit gives up for good a session whose process may live", () => {
    const pool = createPool();
    const { faultMax } = DEFAULT_LIMITS;
    let facts = factsOf(...RETURNING, intended(2, "s1"));
    for (let nth = 0; nth < 2 * faultMax && wantsActor(facts); nth += 1) {
      pool.need("a", facts);
      pool.session("a").fail("boom");
      if (pool.log.includes("give up a: boom")) {
        facts = foldFacts(facts, planFailure("actor-fault", "boom").facts);
      }
    }
    expect(pool.started("a")).toBe(faultMax);
    expect(pool.log.filter((line) => line.startsWith("give up"))).toHaveLength(1);
  });

  it("by faults of several sessions counts each for itself", () => {
    const pool = createPool({ faultMax: 2 });
    for (const key of ["a", "b"]) {
      pool.need(key);
      pool.session(key).fail("boom");
    }
    expect(pool.log.filter((line) => line.startsWith("give up"))).toEqual([]);
  });

  it("by faults that are older than the window is forgiven", () => {
    const pool = createPool({ faultMax: 2 });
    pool.need("a");
    pool.session("a").fail("boom");
    pool.clock.increment(DEFAULT_LIMITS.faultWindowMs);
    expect(pool.context().faults).toEqual({});
    pool.need("a");
    pool.session("a").fail("boom");
    expect(pool.log.filter((line) => line.startsWith("give up"))).toEqual([]);
  });

  it("by several faults forgets each at its own time", () => {
    const pool = createPool();
    pool.need("a");
    pool.session("a").fail("one");
    pool.clock.increment(DEFAULT_LIMITS.faultWindowMs / 2);
    pool.need("a");
    pool.session("a").fail("two");
    expect(pool.context().faults).toEqual({ a: 2 });
    pool.clock.increment(DEFAULT_LIMITS.faultWindowMs / 2);
    expect(pool.context().faults).toEqual({ a: 1 });
    pool.clock.increment(DEFAULT_LIMITS.faultWindowMs / 2);
    expect(pool.context().faults).toEqual({});
  });
});

describe("a shutdown of the pool", () => {
  it("without sessions is done at once", () => {
    const pool = createPool();
    pool.shutdown();
    expect(pool.state()).toBe("drained");
  });

  it("tells every session and is done when the last has ended, cleanly or not", () => {
    const pool = createPool();
    pool.need("a");
    pool.need("b");
    pool.need("c");
    pool.shutdown();
    expect([pool.session("a").told, pool.session("b").told]).toEqual([["shutdown"], ["shutdown"]]);
    expect(pool.context().waiting).toEqual([]);
    pool.session("a").end();
    expect(pool.state()).toBe("draining");
    pool.session("b").fail("boom");
    expect(pool.state()).toBe("drained");
    expect(pool.log).toEqual(["fault b: boom"]);
  });

  it("starts nothing new, and still passes on what sessions are told", () => {
    const pool = createPool();
    pool.need("a");
    pool.shutdown();
    pool.need("b");
    pool.announce("a", "busy");
    pool.tell("a");
    expect(pool.started("b")).toBe(0);
    expect(pool.session("a").told).toEqual(["shutdown", "reap"]);
    expect(pool.context().live).toEqual({ a: "busy" });
  });
});
