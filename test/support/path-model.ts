import { TestModel, type TestParam } from "@xstate/test";
import {
  getNextTransitions,
  transition,
  type ActorLogic,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type EventObject,
  type ExecutableActionObject,
} from "xstate";
import { getShortestPaths } from "xstate/graph";
import { transitionName } from "./transition-coverage.ts";

/**
 * The one place that knows how @xstate/test 1.0.0-beta.5 works with XState 5.33: its own
 * `createTestModel` refuses invokes and delays, so the paths come from xstate/graph, and what it
 * passes over in silence (an event without an executor, an assertion that matches no state) is an
 * error here.
 */

class PathModelError extends Error {
  override name = "PathModelError";
}

/** The events of one kind to try in a state, each with its payload; none where it makes no sense. */
export type EventCases<Snapshot, Event> = Readonly<
  Record<string, (snapshot: Snapshot, eventType: string) => readonly Event[]>
>;

export interface PathModelOptions<Snapshot, Event> {
  readonly machine: AnyStateMachine;
  /** The machine's first snapshot. */
  readonly from: Snapshot;
  /**
   * By kind of event: the name in the machine's definition, wildcards included;
   * `after.<delay>` for a delay. A kind that the machine knows and this record does not is an error.
   */
  readonly cases: EventCases<Snapshot, Event>;
  /** What tells two states apart besides the machine's own state value. */
  keyOf(snapshot: Snapshot): string;
  /** What tells two events of one kind apart, without the ids that are never the same twice. */
  labelOf(event: Event): string;
  /** Paths end in such a state; final ones end anyway. */
  stopWhen(snapshot: Snapshot): boolean;
  readonly memory: PathMemory;
  /** What tells two actions of one type apart, as far as a path is worth its while. */
  labelOfAction(action: ExecutableActionObject): string;
}

/** What was walked already; models that share it share the work. */
export interface PathMemory {
  /** States that were walked on from. */
  readonly states: Set<string>;
  /**
   * Last steps of paths: from where, by what, to where, on which transition, with which actions. A path whose last one
   * shows nothing new is left out.
   */
  readonly ways: Set<string>;
}

export const newPathMemory = (): PathMemory => ({ states: new Set(), ways: new Set() });

export interface PathStep<Snapshot, Event> {
  readonly event: Event;
  /** After the event. */
  readonly state: Snapshot;
  /** What the machine asks for on the event; nothing for `xstate.init`. */
  readonly actions: readonly ExecutableActionObject[];
}

/** How a real actor is driven and judged along one path. */
export interface PathDriver<Snapshot, Event> {
  /** By kind of event, `xstate.init` included: makes it happen for real. */
  readonly events: Readonly<
    Record<string, (step: PathStep<Snapshot, Event>) => void | Promise<void>>
  >;
  /** By path of a state, such as `running.working`; `*` holds after every step. */
  readonly states: Readonly<Record<string, (expected: Snapshot) => void>>;
}

export interface TestablePath<Snapshot, Event> {
  readonly steps: readonly PathStep<Snapshot, Event>[];
  /** Runs it; throws what the first failing executor or assertion throws, the path appended. */
  run(driver: PathDriver<Snapshot, Event>): Promise<void>;
}

const AFTER = /^xstate\.after\.([^.]+)\./;

/** The kind of an event: its key in the cases and in the executors. */
function kindOf(type: string, kinds: readonly string[]): string {
  const delay = AFTER.exec(type)?.[1];
  if (delay !== undefined) return `after.${delay}`;
  if (kinds.includes(type)) return type;
  return kinds.find((kind) => kind.endsWith(".*") && type.startsWith(kind.slice(0, -1))) ?? type;
}

/** The shortest path to every state by every event that leads there, none a part of another. */
export function shortestPaths<Snapshot extends AnyMachineSnapshot, Event extends EventObject>(
  options: PathModelOptions<Snapshot, Event>,
): readonly TestablePath<Snapshot, Event>[] {
  const { machine, from, keyOf, labelOf, memory } = options;
  const kinds = Object.keys(options.cases);
  // The model's events include the machine's internal ones, which its type does not name.
  const logic = machine as unknown as ActorLogic<Snapshot, Event, unknown>;
  const labels = new WeakMap<Event, string>();
  const serializeState = (state: Snapshot, event?: Event, before?: Snapshot) => {
    const to = JSON.stringify(state.value);
    if (event === undefined || before === undefined) return to;
    const by = labels.get(event) ?? `${kindOf(event.type, kinds)} ${labelOf(event)}`;
    labels.set(event, by);
    // Without where it came from and by what, only one transition into each state is walked.
    return `${JSON.stringify(before.value)} — ${by} → ${to} ${keyOf(state)}`;
  };
  const model = new StrictTestModel<Snapshot, Event, unknown>(logic, {
    serializeState,
    stateMatcher: (state, key) => key === "*" || state._nodes.includes(nodeAt(machine, key)),
  });
  const replay = createReplay<Snapshot, Event>(machine, from);
  const paths = model.getPaths((subject) =>
    getShortestPaths(subject, {
      fromState: from,
      serializeState,
      events: (snapshot) => eventsOf(snapshot, options.cases),
      // A `limit` would throw where this only prunes. It is asked once for each way into a state;
      // the first way is walked on, for it is a shortest one.
      stopWhen: (snapshot) => {
        const state = `${JSON.stringify(snapshot.value)} ${keyOf(snapshot)}`;
        const seen = snapshot !== from && memory.states.has(state);
        memory.states.add(state);
        return seen || snapshot.status !== "active" || options.stopWhen(snapshot);
      },
    })
      .map(replay)
      .filter((path) => {
        const way = lastWay(path, options);
        if (memory.ways.has(way)) return false;
        memory.ways.add(way);
        return true;
      }),
  );
  return paths.map((path) => ({
    // @xstate/test hands on the steps as it gets them, the actions too.
    steps: path.steps as PathStep<Snapshot, Event>[],
    run: async ({ events, states }) => {
      for (const key of Object.keys(states)) if (key !== "*") nodeAt(machine, key);
      const executors = { ...events } as NonNullable<TestParam<Snapshot, Event>["events"]>;
      await model.testPath(path, { states: { ...states }, events: executors });
    },
  }));
}

/** @xstate/test looks for an executor, and goes on without one. */
class StrictTestModel<
  Snapshot extends AnyMachineSnapshot,
  Event extends EventObject,
  Input,
> extends TestModel<Snapshot, Event, Input> {
  override async testTransition(
    params: TestParam<Snapshot, Event>,
    step: PathStep<Snapshot, Event>,
  ): Promise<void> {
    const executors: PathDriver<Snapshot, Event>["events"] = { ...params.events };
    const kind = kindOf(step.event.type, Object.keys(executors));
    const executor = executors[kind];
    if (executor === undefined) {
      throw new PathModelError(`No executor for "${kind}": add it to the driver's events.`);
    }
    await executor(step);
  }
}

function eventsOf<Snapshot extends AnyMachineSnapshot, Event>(
  snapshot: Snapshot,
  cases: EventCases<Snapshot, Event>,
): readonly Event[] {
  const kinds = Object.keys(cases);
  const types = new Set(getNextTransitions(snapshot).map((one) => one.eventType));
  return [...types].flatMap((type) => {
    if (type === "") return [];
    const kind = kindOf(type, kinds);
    const casesOf = cases[kind];
    if (casesOf === undefined) {
      throw new PathModelError(`No cases for "${kind}": the machine knows it, the test does not.`);
    }
    return casesOf(snapshot, type);
  });
}

/** Where states share a key, xstate/graph shows the one it saw last: the path's own are computed. */
function createReplay<Snapshot extends AnyMachineSnapshot, Event extends EventObject>(
  machine: AnyStateMachine,
  from: Snapshot,
) {
  // An event is made for one state of one path, and for the paths that begin with it.
  const known = new WeakMap<Event, PathStep<Snapshot, Event>>();
  const step = (before: Snapshot, event: Event): PathStep<Snapshot, Event> => {
    const [next, actions] = transition(machine, before, event);
    const replayed = { event, state: next as Snapshot, actions };
    known.set(event, replayed);
    return replayed;
  };
  return (path: {
    readonly steps: readonly { readonly event: Event }[];
    readonly weight: number;
  }) => {
    let state = from;
    const steps = path.steps.map(({ event }, at): PathStep<Snapshot, Event> => {
      if (at === 0) return { event, state: from, actions: [] };
      const replayed = known.get(event) ?? step(state, event);
      state = replayed.state;
      return replayed;
    });
    return { state, steps, weight: path.weight };
  };
}

function lastWay<Snapshot extends AnyMachineSnapshot, Event extends EventObject>(
  path: { readonly steps: readonly PathStep<Snapshot, Event>[] },
  { machine, cases, labelOf, labelOfAction }: PathModelOptions<Snapshot, Event>,
): string {
  const [before, last] = path.steps.slice(-2);
  if (before === undefined || last === undefined) return "";
  return JSON.stringify([
    before.state.value,
    kindOf(last.event.type, Object.keys(cases)),
    labelOf(last.event),
    last.state.value,
    ...machine.getTransitionData(before.state, last.event).map(transitionName),
    ...last.actions.map((one) => `${one.type} ${labelOfAction(one)}`),
  ]);
}

function nodeAt(machine: AnyStateMachine, path: string): AnyStateMachine["root"] {
  try {
    return machine.getStateNodeById(`${machine.id}.${path}`);
  } catch (cause) {
    throw new PathModelError(`No state "${path}" in "${machine.id}": name one that it has.`, {
      cause,
    });
  }
}
