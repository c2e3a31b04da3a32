import { expect, it } from "vitest";
import { initialTransition } from "xstate";
import { sessionMachine } from "../../machines/session.ts";
import {
  newPathMemory,
  shortestPaths,
  type PathDriver,
  type TestablePath,
} from "../support/path-model.ts";
import { createSessionPathActor } from "../support/session-path-actor.ts";
import {
  labelOf,
  labelOfAction,
  sessionCases,
  type SessionCases,
  type SessionPathEvent,
  type SessionSnapshot,
} from "../support/session-path-cases.ts";
import {
  keyOf,
  SCENARIOS,
  stopWhen,
  type ScenarioName,
} from "../support/session-path-scenarios.ts";
import { createTransitionCoverage } from "../support/transition-coverage.ts";

type Path = TestablePath<SessionSnapshot, SessionPathEvent>;
type Paths = ReadonlyMap<ScenarioName, readonly Path[]>;
type Driver = PathDriver<SessionSnapshot, SessionPathEvent>;

/** The one with the fewest paths. */
const DENIED: ScenarioName = "nobody to ask, and the legacy setting";

function pathsOf(names: readonly ScenarioName[], cases: SessionCases): Paths {
  const memory = newPathMemory();
  return new Map(
    names.map((name) => {
      const [from] = initialTransition(sessionMachine, SCENARIOS[name]);
      const machine = sessionMachine;
      const options = { machine, from, cases, keyOf, labelOf, labelOfAction, stopWhen, memory };
      return [name, shortestPaths(options)];
    }),
  );
}

/** They take seconds to find, and every test walks the same ones. */
let found: Paths | null = null;
function allPaths(): Paths {
  found ??= pathsOf(Object.keys(SCENARIOS) as ScenarioName[], sessionCases());
  return found;
}

/** Takes a real actor along each path, to the first one that fails; the coverage is the actors'. */
async function walk(paths: Paths, machine = sessionMachine, drive = (driver: Driver) => driver) {
  const coverage = createTransitionCoverage(sessionMachine);
  const kinds = Object.keys(sessionCases());
  for (const [name, some] of paths) {
    for (const path of some) {
      const actor = createSessionPathActor(machine, SCENARIOS[name], kinds, coverage.inspect);
      try {
        await path.run(drive(actor.driver));
      } finally {
        actor.stop();
      }
    }
  }
  return coverage;
}

it("takes a real session through every state and every transition", async () => {
  const coverage = await walk(allPaths());
  expect(coverage.missing()).toEqual([]);
});

const BROKEN: Readonly<Record<string, typeof sessionMachine>> = {
  "a guard that lets events of other launches in": sessionMachine.provide({
    guards: { isCurrent: () => true },
  }),
  "a guard that resumes what is lost": sessionMachine.provide({
    guards: { needsFallback: () => false },
  }),
  "a guard that waits for a process that is gone": sessionMachine.provide({
    guards: { isDone: () => false },
  }),
  "a guard that reaps what is busy in the background": sessionMachine.provide({
    guards: { canReap: () => true },
  }),
  "a guard that never sees the crash limit": sessionMachine.provide({
    guards: { isDoneAndDiesTooOften: () => false },
  }),
  "a guard that lets any decision answer an approval": sessionMachine.provide({
    guards: { decidesLast: () => true, decides: () => true },
  }),
  "an action that tells the agent no decision": sessionMachine.provide({
    actions: { sendDecision: () => {} },
  }),
  "an action that interrupts nothing": sessionMachine.provide({
    actions: { interruptAgent: () => {} },
  }),
  "a delay that fires at once": sessionMachine.provide({ delays: { interruptLimit: 1 } }),
};

it.each(Object.keys(BROKEN))("fails on a machine with %s", async (what) => {
  await expect(walk(allPaths(), BROKEN[what])).rejects.toThrow("Path:");
});

it("fails on a wrong assertion, also on one about a single state", async () => {
  const wrong = (driver: Driver): Driver => ({
    ...driver,
    states: { ...driver.states, "running.compacting": () => expect("busy").toBe("idle") },
  });
  await expect(walk(allPaths(), sessionMachine, wrong)).rejects.toThrow("to be 'idle'");
});

it("fails on an assertion about a state that the machine does not have", async () => {
  const unknown = (driver: Driver): Driver => ({
    ...driver,
    states: { ...driver.states, "running.dozing": () => {} },
  });
  await expect(walk(allPaths(), sessionMachine, unknown)).rejects.toThrow(
    'No state "running.dozing" in "session"',
  );
});

it("fails on an event that nothing executes", async () => {
  const idle = ({ events: { "agent.ready": _, ...events }, states }: Driver): Driver => ({
    events,
    states,
  });
  await expect(walk(allPaths(), sessionMachine, idle)).rejects.toThrow(
    'No executor for "agent.ready"',
  );
});

it("fails on an event of the machine that the test does not know", () => {
  const { "agent.spawned": _, ...cases } = sessionCases();
  expect(() => pathsOf([DENIED], cases)).toThrow('No cases for "agent.spawned"');
});

it("misses the transitions of an event that never comes", async () => {
  const never = { ...sessionCases(), reap: () => [] };
  const coverage = await walk(pathsOf([DENIED], never));
  expect(coverage.missing()).toContain("session.idle — reap [0] → session.reaping");
  expect(coverage.missing()).not.toContain(
    "session.idle — turn.began [0] → session.running.working",
  );
});
