import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { createActor, fromCallback, fromPromise, type InspectionEvent } from "xstate";
import { nextMessage } from "../../machines/facts.ts";
import { checkReap } from "../../machines/invariants.ts";
import type { Probe } from "../../machines/launch.ts";
import type { sessionMachine } from "../../machines/session.ts";
import type {
  AgentProcessInput,
  EpochEvent,
  PrepareInput,
  SessionInput,
} from "../../machines/session-types.ts";
import type { AgentCommand } from "../../machines/vocabulary.ts";
import type { PathDriver, PathStep } from "./path-model.ts";
import { createPathTimers } from "./path-timers.ts";
import {
  isOfAgent,
  PROBE_FAILED,
  PROBED,
  type SessionPathEvent,
  type SessionSnapshot,
} from "./session-path-cases.ts";
import { createSessionStore } from "./session-path-ghost.ts";

export interface SessionPathActor {
  readonly driver: PathDriver<SessionSnapshot, SessionPathEvent>;
  stop(): void;
}

interface Agent {
  readonly commands: AgentCommand[];
  send(event: EpochEvent): void;
}

type Step = PathStep<SessionSnapshot, SessionPathEvent>;

/** What an actor does to its surroundings, in order: `commit`, `announce`, `logReap`, `logStale`, commands. */
interface Effects {
  readonly actions: unknown[];
  readonly commands: unknown[];
}

/**
 * A real session actor, its surroundings in the test's hand: the probe waits for its gate, the
 * agent's process is a callback actor, and time passes when it is told to.
 */
export function createSessionPathActor(
  machine: typeof sessionMachine,
  input: SessionInput,
  kinds: readonly string[],
  inspect: (event: InspectionEvent) => void,
): SessionPathActor {
  const store = createSessionStore(input.facts);
  const timers = createPathTimers();
  const errors: unknown[] = [];
  let done: Effects = { actions: [], commands: [] };
  let gate: { resolve(probe: Probe): void; reject(error: unknown): void } | null = null;
  let agent: Agent | null = null;

  const actor = createActor(
    machine.provide({
      actors: {
        prepareLaunch: fromPromise<Probe, PrepareInput>(
          () => new Promise((resolve, reject) => (gate = { resolve, reject })),
        ),
        agentProcess: fromCallback<AgentCommand, AgentProcessInput>(
          ({ input: { facts }, sendBack, receive }) => {
            store.launched(facts.launch);
            const started: Agent = { commands: [], send: sendBack };
            agent = started;
            receive((command) => {
              started.commands.push(command);
              done.commands.push(command);
              store.note(checkCommand(command));
            });
          },
        ),
      },
      actions: {
        commit: (_, plan) => {
          store.commit(plan);
          done.actions.push(["commit", plan]);
        },
        announce: (_, params) => void done.actions.push(["announce", params]),
        logReap: () => void done.actions.push(["logReap", undefined]),
        logStale: () => void done.actions.push(["logStale", undefined]),
      },
    }),
    { input, clock: timers.clock, inspect },
  );
  actor.subscribe({ error: (error) => errors.push(error) });

  /** An effect comes after the fact that allows it. */
  function checkCommand(command: AgentCommand): readonly string[] {
    const { context, value } = actor.getSnapshot();
    if (command.type === "prompt") {
      const message = store.facts().messages.find((one) => one.id === command.messageId);
      return message?.state === "given" ? [] : [`message ${command.messageId} has no fact`];
    }
    const reaps = command.type === "end" && value === "reaping";
    return reaps ? checkReap(context.facts, context.background) : [];
  }

  const send = ({ event }: Step) => {
    const before = actor.getSnapshot();
    store.happens(event, before);
    if (isOfAgent(event) && event.epoch === before.context.process) agent?.send(event);
    else actor.send(event as Parameters<typeof actor.send>[0]);
  };

  const answerProbe = async ({ event }: Step) => {
    store.happens(event, actor.getSnapshot());
    if ("output" in event) gate?.resolve(event.output as Probe);
    else if ("error" in event) gate?.reject(event.error);
    // The promise's outcome reaches the actor through microtasks.
    await setImmediate();
  };

  const passTime = (delay: string) => () => {
    const before = actor.getSnapshot();
    const due = timers.next() ?? 0;
    expect(delaysOf(input)[delay], delay).toContain(due);
    timers.pass(due - 1);
    expect(actor.getSnapshot(), `${delay} fires too early`).toBe(before);
    timers.pass(1);
  };

  const last = (): AgentCommand | undefined => agent?.commands.at(-1);

  return {
    stop: () => actor.stop(),
    driver: {
      events: {
        ...Object.fromEntries(kinds.map((kind) => [kind, executor(kind)])),
        "xstate.init": () => void actor.start(),
      },
      states: {
        "*": (expected) => {
          const actual = actor.getSnapshot();
          expect(actual.value).toEqual(expected.value);
          same(actual.context, expected.context, "the context");
          same(store.facts(), actual.context.facts, "the facts written");
          expect(store.violations()).toEqual([]);
          // Before the first launch an agent of an earlier run may be there.
          if (agent !== null) expect(store.processAlive()).toBe(actual.context.process !== null);
          expect(errors).toEqual([]);
        },
        "running.interrupting": () => expect(agent?.commands).toContainEqual({ type: "interrupt" }),
        reaping: () => expect(last()).toEqual({ type: "end", now: false }),
        restarting: () => expect(last()).toEqual({ type: "end", now: true }),
        "stopping.ending": () => expect(last()).toEqual({ type: "end", now: false }),
        failed: () => expect(store.facts().failure).not.toBeNull(),
        reaped: () => expect(nextMessage(store.facts())).toBeNull(),
      },
    },
  };

  function executor(kind: string) {
    const act: (step: Step) => void | Promise<void> = kind.startsWith("after.")
      ? passTime(kind.slice("after.".length))
      : kind === PROBED || kind === PROBE_FAILED
        ? answerProbe
        : send;
    return async (step: Step) => {
      done = { actions: [], commands: [] };
      await act(step);
      same(done, effectsOf(step), `the effects of ${step.event.type}`);
    };
  }
}

/** The same as the model has it. */
function effectsOf({ actions }: Step): Effects {
  const own = new Set(["commit", "announce", "logReap", "logStale"]);
  return {
    actions: actions.filter(({ type }) => own.has(type)).map(({ type, params }) => [type, params]),
    commands: actions
      .filter(({ type }) => type === "xstate.sendTo")
      .map(({ params }) => (params as unknown as { event: AgentCommand }).event),
  };
}

function delaysOf({ limits }: SessionInput): Readonly<Record<string, readonly number[]>> {
  return {
    startLimit: [limits.startMs],
    quietLimit: [limits.turnQuietMs, limits.toolQuietMs, limits.backgroundQuietMs],
    approvalLimit: [limits.approvalMs],
    interruptLimit: [limits.interruptMs],
    idleLimit: [limits.idleReapMs],
    drainLimit: [limits.drainMs],
  };
}

/** The cheap comparison first: it is made after every step of every path. */
function same(actual: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, what).toEqual(expected);
}
