import { setup } from "xstate";
import { mayHaveProcess, type SessionFacts } from "./facts.ts";
import type { Limits } from "./limits.ts";
import { sessionMachine } from "./session.ts";
import type { SessionEvent, SessionPhase, SessionPolicy } from "./session-types.ts";

/**
 * The pool: one actor a live session, no more of them than `liveAgents` have a
 * process; one that an earlier run left behind counts. It holds ids only; what a session is stands in its facts. Every end of a
 * session's actor, clean or not, is followed by a look at its facts.
 */

export interface SupervisorContext {
  readonly limits: Limits;
  readonly policy: SessionPolicy;
  /** Sessions with an actor, each holding a slot until its process is certainly gone. */
  readonly live: Readonly<Record<string, SessionPhase>>;
  /** Idle ones, the longest idle first. */
  readonly idle: readonly string[];
  /** Sessions that wait for a slot, in order. */
  readonly waiting: readonly string[];
  /** Actor faults within `faultWindowMs`. */
  readonly faults: Readonly<Record<string, number>>;
}

export type SupervisorEvent =
  /** A session has something to do; the facts were read right now. */
  | { readonly type: "session.needed"; readonly key: string; readonly facts: SessionFacts }
  /** For a session that has an actor; without one the sender acts on the facts. */
  | { readonly type: "session.told"; readonly key: string; readonly event: SessionEvent }
  | { readonly type: "session.announced"; readonly key: string; readonly phase: SessionPhase }
  /** An actor fault is older than `faultWindowMs`. */
  | { readonly type: "fault.forgotten"; readonly key: string }
  | { readonly type: "shutdown" }
  /** A session's actor ended, cleanly or by a fault of its own. */
  | { readonly type: `xstate.done.actor.${string}`; readonly actorId: string }
  | {
      readonly type: `xstate.error.actor.${string}`;
      readonly actorId: string;
      readonly error: unknown;
    };

const supervisorSetup = setup({
  types: {
    context: {} as SupervisorContext,
    events: {} as SupervisorEvent,
    input: {} as { readonly limits: Limits; readonly policy: SessionPolicy },
  },
  actors: { session: sessionMachine },
  actions: {
    /** Reads the session's facts and sends `session.needed` where it wants an actor. */
    recheck: (_, _params: { key: string }) => {},
    /** Writes that the session failed for `actor-fault`, with its notice. */
    giveUp: (_, _params: { key: string; detail: string }) => {},
    logFault: (_, _params: { key: string; detail: string }) => {},
    /** Tells the session's chat that it waits for a slot; `ahead`: how many wait before it. */
    sayWaiting: (_, _params: { key: string; ahead: number }) => {},
  },
  guards: {
    isLive: ({ context, event }) => "key" in event && event.key in context.live,
    isWaiting: ({ context, event }) => "key" in event && context.waiting.includes(event.key),
    hasSlot: ({ context }) => Object.keys(context.live).length < context.limits.liveAgents,
    /** An earlier run, or a fault, left it a process that may live: it has its place already. */
    holdsProcess: ({ event }) => event.type === "session.needed" && mayHaveProcess(event.facts),
    hasIdle: ({ context }) => context.idle.length > 0,
    /** A session became idle while others wait for a slot. */
    givesWay: ({ context, event }) =>
      event.type === "session.announced" &&
      event.phase === "idle" &&
      event.key in context.live &&
      context.waiting.length > 0,
    isEmpty: ({ context }) => Object.keys(context.live).length === 0,
    faultsTooOften: ({ context, event }) =>
      (context.faults[actorId(event)] ?? 0) + 1 >= context.limits.faultMax,
  },
  delays: {
    faultWindow: ({ context }) => context.limits.faultWindowMs,
  },
});

function actorId(event: SupervisorEvent): string {
  return "actorId" in event ? event.actorId : "";
}

function without<Value>(record: Readonly<Record<string, Value>>, key: string) {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

const supervisor = supervisorSetup.extend({
  actions: {
    spawnSession: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "session.needed") return;
      const { key, facts } = event;
      enqueue.assign({
        live: { ...context.live, [key]: "moving" as const },
        waiting: context.waiting.filter((one) => one !== key),
      });
      const { limits, policy } = context;
      enqueue.spawnChild("session", { id: key, input: { key, facts, limits, policy } });
    }),
    enqueueSession: supervisorSetup.assign(({ context, event }) =>
      event.type === "session.needed"
        ? { ...context, waiting: [...context.waiting, event.key] }
        : context,
    ),
    /** Before it is enqueued. Where an idle session gives way the wait is short, and nothing is said. */
    tellWaiting: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "session.needed") return;
      enqueue({ type: "sayWaiting", params: { key: event.key, ahead: context.waiting.length } });
    }),
    /** The longest idle session gives its slot to whoever waits. */
    reapIdle: supervisorSetup.enqueueActions(({ context, enqueue }) => {
      const [longest, ...others] = context.idle;
      if (longest === undefined) return;
      enqueue.assign({ idle: others });
      enqueue.sendTo(longest, { type: "reap" });
    }),
    tellSession: supervisorSetup.enqueueActions(({ event, enqueue }) => {
      if (event.type === "session.told") enqueue.sendTo(event.key, event.event);
    }),
    notePhase: supervisorSetup.assign(({ context, event }) => {
      if (event.type !== "session.announced") return context;
      const { key, phase } = event;
      const others = context.idle.filter((one) => one !== key);
      return {
        ...context,
        live: { ...context.live, [key]: phase },
        idle: phase === "idle" ? [...others, key] : others,
      };
    }),
    /** Frees the slot, then looks at the session's facts and at who waits. */
    releaseSession: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      const key = actorId(event);
      enqueue.stopChild(key);
      enqueue.assign({
        live: without(context.live, key),
        idle: context.idle.filter((one) => one !== key),
      });
    }),
    recheckEnded: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      const [next] = context.waiting;
      if (next !== undefined) {
        enqueue.assign({ waiting: context.waiting.filter((one) => one !== next) });
        enqueue({ type: "recheck", params: { key: next } });
      }
      // Whoever waited longest comes first; the one that ended looks again after it.
      enqueue({ type: "recheck", params: { key: actorId(event) } });
    }),
    countFault: supervisorSetup.enqueueActions(({ context, event, enqueue }) => {
      const key = actorId(event);
      const { faults } = context;
      enqueue({ type: "logFault", params: { key, detail: faultOf(event) } });
      enqueue.assign({ faults: { ...faults, [key]: (faults[key] ?? 0) + 1 } });
      enqueue.raise({ type: "fault.forgotten", key }, { delay: "faultWindow" });
    }),
    giveUpSession: supervisorSetup.enqueueActions(({ event, enqueue }) => {
      enqueue({ type: "giveUp", params: { key: actorId(event), detail: faultOf(event) } });
    }),
    forgetFault: supervisorSetup.assign(({ context, event }) => {
      if (event.type !== "fault.forgotten") return context;
      const left = (context.faults[event.key] ?? 0) - 1;
      const others = without(context.faults, event.key);
      return { ...context, faults: left > 0 ? { ...others, [event.key]: left } : others };
    }),
    stopSessions: supervisorSetup.enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ waiting: [] });
      for (const key of Object.keys(context.live)) enqueue.sendTo(key, { type: "shutdown" });
    }),
  },
});

function faultOf(event: SupervisorEvent): string {
  if (!("error" in event)) return "";
  return event.error instanceof Error ? event.error.message : String(event.error);
}

export const supervisorMachine = supervisor.createMachine({
  id: "supervisor",
  options: { maxIterations: 1000 },
  context: ({ input }) => ({ ...input, live: {}, idle: [], waiting: [], faults: {} }),
  initial: "serving",
  on: {
    "session.announced": { guard: "isLive", actions: "notePhase" },
    "session.told": { guard: "isLive", actions: "tellSession" },
    "fault.forgotten": { actions: "forgetFault" },
  },
  states: {
    serving: {
      on: {
        "session.needed": [
          { guard: "isLive" },
          { guard: "holdsProcess", actions: "spawnSession" },
          { guard: "isWaiting" },
          { guard: "hasSlot", actions: "spawnSession" },
          { guard: "hasIdle", actions: ["enqueueSession", "reapIdle"] },
          { actions: ["tellWaiting", "enqueueSession"] },
        ],
        "session.announced": [
          { guard: "givesWay", actions: ["notePhase", "reapIdle"] },
          { guard: "isLive", actions: "notePhase" },
        ],
        "xstate.done.actor.*": { actions: ["releaseSession", "recheckEnded"] },
        "xstate.error.actor.*": [
          {
            guard: "faultsTooOften",
            actions: ["releaseSession", "countFault", "giveUpSession", "recheckEnded"],
          },
          { actions: ["releaseSession", "countFault", "recheckEnded"] },
        ],
        shutdown: { target: "draining" },
      },
    },
    /** Nothing new is started; every session ends its process within its own bounds. */
    draining: {
      entry: "stopSessions",
      always: { guard: "isEmpty", target: "drained" },
      on: {
        "xstate.done.actor.*": { actions: "releaseSession" },
        "xstate.error.actor.*": { actions: ["releaseSession", "countFault"] },
      },
    },
    drained: { type: "final" },
  },
});
