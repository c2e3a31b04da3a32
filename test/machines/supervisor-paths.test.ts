import { expect, it } from "vitest";
import { initialTransition } from "xstate";
import { supervisorMachine, type SupervisorEvent } from "../../machines/supervisor.ts";
import {
  newPathMemory,
  shortestPaths,
  type PathDriver,
  type TestablePath,
} from "../support/path-model.ts";
import { createSupervisorPathActor, POOL_INPUT } from "../support/supervisor-path-actor.ts";
import {
  keyOf,
  labelOf,
  labelOfAction,
  stopWhen,
  supervisorCases,
  type SupervisorCases,
  type SupervisorSnapshot,
} from "../support/supervisor-path-cases.ts";
import { createTransitionCoverage } from "../support/transition-coverage.ts";

type Paths = readonly TestablePath<SupervisorSnapshot, SupervisorEvent>[];
type Driver = PathDriver<SupervisorSnapshot, SupervisorEvent>;

function pathsOf(cases: SupervisorCases): Paths {
  const machine = supervisorMachine;
  const [from] = initialTransition(machine, POOL_INPUT);
  const memory = newPathMemory();
  return shortestPaths({ machine, from, cases, keyOf, labelOf, labelOfAction, stopWhen, memory });
}

/** They take a while to find, and every test walks the same ones. */
let found: Paths | null = null;
function allPaths(): Paths {
  found ??= pathsOf(supervisorCases());
  return found;
}

/** Takes a real pool along each path, to the first one that fails; the coverage is the actors'. */
async function walk(paths: Paths, machine = supervisorMachine, drive = (driver: Driver) => driver) {
  const coverage = createTransitionCoverage(supervisorMachine);
  for (const path of paths) {
    const actor = createSupervisorPathActor(machine, coverage.inspect);
    try {
      await path.run(drive(actor.driver));
    } finally {
      actor.stop();
    }
  }
  return coverage;
}

it("takes a real pool through every state and every transition", async () => {
  const coverage = await walk(allPaths());
  expect(coverage.missing()).toEqual([]);
});

const BROKEN: Readonly<Record<string, typeof supervisorMachine>> = {
  "a guard that always sees a free slot": supervisorMachine.provide({
    guards: { hasSlot: () => true },
  }),
  "a guard that lets a process of an earlier run wait": supervisorMachine.provide({
    guards: { holdsProcess: () => false },
  }),
  "a guard that starts a session twice": supervisorMachine.provide({
    guards: { isLive: () => false },
  }),
  "a guard that queues a session twice": supervisorMachine.provide({
    guards: { isWaiting: () => false },
  }),
  "a guard that never gives a faulty session up": supervisorMachine.provide({
    guards: { faultsTooOften: () => false },
  }),
  "a guard that drains before the sessions have ended": supervisorMachine.provide({
    guards: { isEmpty: () => true },
  }),
  "a delay that forgets faults at once": supervisorMachine.provide({ delays: { faultWindow: 1 } }),
};

it.each(Object.keys(BROKEN))("fails on a machine with %s", async (what) => {
  await expect(walk(allPaths(), BROKEN[what])).rejects.toThrow("Path:");
});

it("fails on a wrong assertion about a single state", async () => {
  const wrong = (driver: Driver): Driver => ({
    ...driver,
    states: { ...driver.states, drained: () => expect("empty").toBe("full") },
  });
  await expect(walk(allPaths(), supervisorMachine, wrong)).rejects.toThrow("to be 'full'");
});

it("fails on an event that nothing executes", async () => {
  const deaf = ({ events: { "session.told": _, ...events }, states }: Driver): Driver => ({
    events,
    states,
  });
  await expect(walk(allPaths(), supervisorMachine, deaf)).rejects.toThrow(
    'No executor for "session.told"',
  );
});

it("misses the transitions of an event that never comes", async () => {
  const without = await walk(pathsOf({ ...supervisorCases(), "fault.forgotten": () => [] }));
  expect(without.missing()).toEqual(["supervisor — fault.forgotten [0] → no state"]);
});
