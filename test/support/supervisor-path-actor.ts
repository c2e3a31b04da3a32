import { setImmediate } from "node:timers/promises";
import { expect } from "vitest";
import { createActor, fromCallback, fromPromise, type InspectionEvent } from "xstate";
import type { Probe } from "../../machines/launch.ts";
import type {
  AgentProcessInput,
  EpochEvent,
  PrepareInput,
  SessionPolicy,
} from "../../machines/session-types.ts";
import { mayHaveProcess } from "../../machines/facts.ts";
import { sessionMachine } from "../../machines/session.ts";
import type { supervisorMachine, SupervisorEvent } from "../../machines/supervisor.ts";
import type { AgentCommand } from "../../machines/vocabulary.ts";
import type { PathDriver, PathStep } from "./path-model.ts";
import { createPathTimers } from "./path-timers.ts";
import { POOL_LIMITS, type SupervisorSnapshot } from "./supervisor-path-cases.ts";

export interface SupervisorPathActor {
  readonly driver: PathDriver<SupervisorSnapshot, SupervisorEvent>;
  stop(): void;
}

type Step = PathStep<SupervisorSnapshot, SupervisorEvent>;

export const POOL_INPUT = {
  limits: POOL_LIMITS,
  policy: { approvals: "deny", legacyContinue: false } satisfies SessionPolicy,
};

const PROBE: Probe = {
  workspace: { ok: true, path: "/workspace" },
  fresh: { agentSessionId: "s1", transcript: "/t/s1" },
  bound: null,
  last: null,
  boundIncomplete: false,
  trace: null,
  foreignPid: null,
};

const EXITED = {
  type: "agent.exited",
  epoch: 1,
  at: 0,
  code: 0,
  signal: null,
  stderr: "",
} as const;

/**
 * A real supervisor over real sessions, each with an agent's process that ends when the test
 * ends it. What sessions announce is the test's word.
 */
export function createSupervisorPathActor(
  machine: typeof supervisorMachine,
  inspect: (event: InspectionEvent) => void,
): SupervisorPathActor {
  const timers = createPathTimers();
  /** By session: its agent's way to speak. */
  const agents = new Map<string, (event: EpochEvent) => void>();
  /** Sessions that came with a process. */
  const held = new Set<string>();
  const faultsAt: number[] = [];
  const errors: unknown[] = [];
  let done: unknown[] = [];
  let now = 0;
  /** What the next write of a session throws. */
  let broken: Error | null = null;

  const session = sessionMachine.provide({
    actors: {
      prepareLaunch: fromPromise<Probe, PrepareInput>(async () => PROBE),
      agentProcess: fromCallback<AgentCommand, AgentProcessInput>(({ input, sendBack }) => {
        agents.set(input.key, (event) => sendBack({ ...event, epoch: input.facts.epoch }));
      }),
    },
    actions: {
      commit: () => {
        if (broken !== null) throw broken;
      },
    },
  });

  const actor = createActor(
    machine.provide({
      actors: { session },
      actions: {
        recheck: (_, params) => void done.push(["recheck", params]),
        giveUp: (_, params) => void done.push(["giveUp", params]),
        logFault: (_, params) => void done.push(["logFault", params]),
      },
    }),
    {
      input: POOL_INPUT,
      clock: timers.clock,
      inspect: (event) => {
        inspect(event);
        if (event.type !== "@xstate.event" || event.sourceRef !== actor) return;
        if (!("id" in event.actorRef) || event.actorRef === actor) return;
        if (isTold(event.event.type)) done.push([event.actorRef.id, event.event]);
      },
    },
  );
  actor.subscribe({ error: (error) => errors.push(error) });

  const pass = (ms: number) => {
    now += ms;
    timers.pass(ms);
  };

  /** Its process has ended: the session ends as it was told to. */
  const endSession = ({ event }: Step) => {
    if (!("actorId" in event)) return;
    const child = actor.getSnapshot().children[event.actorId];
    expect(agents.has(event.actorId), "the session has a process").toBe(true);
    const shutting = actor.getSnapshot().matches("draining");
    if (!shutting) child?.send({ type: "shutdown" });
    const send = agents.get(event.actorId);
    // Where the session's actor throws, xstate leaves its children as they are.
    agents.delete(event.actorId);
    held.delete(event.actorId);
    send?.(EXITED);
  };

  const executors: Readonly<Record<string, (step: Step) => void | Promise<void>>> = {
    "session.needed": async ({ event }) => {
      if (event.type === "session.needed" && mayHaveProcess(event.facts)) held.add(event.key);
      actor.send(event);
      // The probe's answer reaches the session through microtasks; then its process runs.
      await setImmediate();
    },
    "session.told": ({ event }) => actor.send(event),
    "session.announced": ({ event }) => actor.send(event),
    shutdown: ({ event }) => actor.send(event),
    "xstate.done.actor.*": endSession,
    "xstate.error.actor.*": (step) => {
      faultsAt.push(now);
      const error = "error" in step.event ? step.event.error : null;
      broken = error instanceof Error ? error : null;
      endSession(step);
      broken = null;
    },
    "fault.forgotten": () => {
      const before = actor.getSnapshot();
      const due = (faultsAt.shift() ?? 0) + POOL_LIMITS.faultWindowMs - now;
      expect(timers.next()).toBe(due);
      pass(due - 1);
      expect(actor.getSnapshot(), "forgotten too early").toBe(before);
      pass(1);
    },
  };

  return {
    stop: () => actor.stop(),
    driver: {
      events: {
        ...Object.fromEntries(
          Object.entries(executors).map(([kind, act]) => [
            kind,
            async (step: Step) => {
              // No two faults happen at the same time.
              pass(1);
              done = [];
              await act(step);
              expect(done, `the effects of ${step.event.type}`).toEqual(effectsOf(step));
            },
          ]),
        ),
        "xstate.init": () => void actor.start(),
      },
      states: {
        "*": (expected) => {
          const actual = actor.getSnapshot();
          expect(actual.value).toEqual(expected.value);
          expect(actual.context).toEqual(expected.context);
          expect(errors).toEqual([]);
          checkSlots(actual, [...agents.keys()], held);
        },
        draining: ({ context }) => expect(context.waiting).toEqual([]),
        drained: () => expect([...agents.keys()]).toEqual([]),
      },
    },
  };
}

/** A slot for each actor and each process, no more of them than allowed or left behind, none that waits for itself. */
function checkSlots(
  { context, children }: SupervisorSnapshot,
  processes: readonly string[],
  held: ReadonlySet<string>,
): void {
  const { idle, waiting } = context;
  const live = Object.keys(context.live).toSorted();
  expect(Object.keys(children).toSorted()).toEqual(live);
  expect(processes.toSorted()).toEqual(live);
  expect(live.filter((key) => !held.has(key)).length).toBeLessThanOrEqual(POOL_LIMITS.liveAgents);
  expect(idle.filter((key) => !live.includes(key))).toEqual([]);
  expect(waiting.filter((key) => live.includes(key))).toEqual([]);
  expect(new Set(waiting).size).toBe(waiting.length);
}

/** What a supervisor sends its sessions; xstate's own words to them are not its actions. */
function isTold(type: string): boolean {
  return !type.startsWith("xstate.");
}

function effectsOf({ actions }: Step): readonly unknown[] {
  return actions.flatMap(({ type, params }): readonly unknown[] => {
    if (["recheck", "giveUp", "logFault"].includes(type)) return [[type, params]];
    if (type !== "xstate.sendTo") return [];
    const { targetId, event } = params as unknown as { targetId: string; event: unknown };
    return [[targetId, event]];
  });
}
