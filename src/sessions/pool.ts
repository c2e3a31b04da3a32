import { createActor, fromPromise, waitFor, type Actor } from "xstate";
import { nextMessage, wantsActor } from "../../machines/facts.ts";
import {
  planAgentChange,
  planCommand,
  NO_WORK,
  type SessionCommand,
} from "../../machines/commands.ts";
import { owesClearing } from "../../machines/context-restart.ts";
import type { Probe } from "../../machines/launch.ts";
import type { Limits } from "../../machines/limits.ts";
import { notice, plan, type Plan } from "../../machines/plan.ts";
import { planFailure } from "../../machines/launch-plans.ts";
import { sessionMachine } from "../../machines/session.ts";
import type {
  PrepareInput,
  SessionEvent,
  SessionPhase,
  SessionPolicy,
} from "../../machines/session-types.ts";
import { supervisorMachine } from "../../machines/supervisor.ts";
import type { Logs } from "../log.ts";
import type { AgentProcess, Clock, SessionKey } from "../ports.ts";
import { createAgentActor, type AgentActorOptions } from "./agent-process.ts";
import { createDiagnostics } from "./diagnostics.ts";
import type { Ledger } from "./ledger.ts";
import { prepareLaunch, type PrepareOptions } from "./prepare-launch.ts";

export interface PoolOptions
  extends
    Omit<AgentActorOptions, "processes" | "log" | "diagnostics" | "isFaulted">,
    Omit<PrepareOptions, "endOwn" | "log" | "limits" | "clock" | "agent" | "stateDir"> {
  readonly ledger: Ledger;
  readonly limits: Limits;
  readonly policy: SessionPolicy;
  readonly logs: Logs;
  readonly clock: Clock;
  /** A session's actor has ended: commands told to it may wait in the store. */
  sessionEnded(key: SessionKey): void;
  phaseChanged(key: SessionKey, phase: SessionPhase | null): void;
  /** A fact could not be written: the service must stop. */
  failed(error: unknown): void;
}

/** The sessions that live, and the way to them. */
export interface Pool {
  /** A stored message; the actor is told, or started where the facts want one. */
  received(key: SessionKey, id: number): void;
  /** A command of the user, handled by the actor or, without one, on the facts. */
  command(key: SessionKey, command: SessionCommand): void;
  /** An agent asks for a cleared context; whether it is stored that it gets one. */
  restartContext(caller: { readonly key: SessionKey; readonly epoch: number }): boolean;
  /** Looks at the facts and starts an actor where they want one. */
  recheck(key: SessionKey): void;
  /** What the session does now; null where it has no actor. `queued`: it waits for a slot. */
  phase(key: SessionKey): SessionPhase | "queued" | null;
  /** Ends the actors of some sessions; resolves when their processes are gone. Until then neither they nor `held` start. */
  release(of: (key: SessionKey) => boolean, held: (key: SessionKey) => boolean): Promise<void>;
  /** Ends every session within its own bounds; resolves when all processes are gone, or at the bound. */
  shutdown(): Promise<void>;
}

export function createPool(options: PoolOptions): Pool {
  const { store, ledger, logs, limits, clock } = options;
  const processes = new Map<SessionKey, AgentProcess>();
  const held = new Set<(key: SessionKey) => boolean>();
  const diagnostics = createDiagnostics(clock, logs.session);
  let faulted = false;

  const commit = (key: SessionKey, plan: Plan): boolean => {
    if (faulted) return false;
    try {
      ledger.commit(key, plan);
      return true;
    } catch (error) {
      faulted = true;
      options.failed(error);
      return false;
    }
  };

  const session = sessionMachine.provide({
    actors: {
      prepareLaunch: fromPromise<Probe, PrepareInput>(async ({ input, signal }) => {
        const { key, facts } = input;
        diagnostics.looking(key);
        const endOwn = async () => processes.get(key)?.end("now");
        const probing = { ...options, log: logs.session, endOwn };
        const probe = await prepareLaunch(probing, key, facts, signal);
        if (!signal.aborted) diagnostics.looked(key, facts, probe);
        return probe;
      }),
      agentProcess: createAgentActor({
        ...options,
        processes,
        diagnostics,
        log: logs.agent,
        isFaulted: () => faulted,
      }),
    },
    actions: {
      commit: ({ context, self }, plan) => {
        if (!commit(context.key, plan)) self.send({ type: "fault", detail: "store" });
      },
      announce: ({ context }, { phase }) => {
        diagnostics.phaseChanged(context.key, phase);
        supervisor.send({ type: "session.announced", key: context.key, phase });
        options.phaseChanged(context.key, phase);
      },
      logReap: ({ context, event }) => {
        diagnostics.reaped(context.key, context.facts, event.type === "reap" ? "slot" : "limit");
      },
      logStale: ({ context, event }) => {
        logs.session.debug({ session_key: context.key, event: event.type }, "event.stale");
      },
    },
  });

  /** The agent's kind belongs to a session's binding. */
  const factsOf = (key: SessionKey) => {
    const change = planAgentChange(store.facts(key), options.agent.kind);
    if (change.facts.length > 0 && !isLive(key)) commit(key, change);
    return store.facts(key);
  };

  const recheck = (key: SessionKey) => {
    // With facts that cannot be written any more, a session would end and start without end.
    if (faulted || [...held].some((of) => of(key))) return;
    const facts = factsOf(key);
    if (wantsActor(facts)) supervisor.send({ type: "session.needed", key, facts });
  };

  const supervisor: Actor<typeof supervisorMachine> = createActor(
    supervisorMachine.provide({
      actors: { session },
      actions: {
        recheck: (_, { key }) => {
          diagnostics.ended(key);
          options.phaseChanged(key, null);
          // After the supervisor's own step, so that it sees the slot as free.
          queueMicrotask(() => {
            options.sessionEnded(key);
            recheck(key);
          });
        },
        sayWaiting: (_, { key, ahead }) => {
          const message = nextMessage(store.facts(key));
          if (message === null) return;
          commit(key, plan([], [notice({ code: "waiting-for-place", ahead }, message.id)]));
        },
        giveUp: (_, { key, detail }) => {
          commit(key, planFailure("actor-fault", detail));
        },
        logFault: (_, { key, detail }) => {
          logs.session.error({ session_key: key, error: detail }, "actor.fault");
        },
      },
    }),
    {
      id: "supervisor",
      input: { limits, policy: options.policy },
      clock,
    },
  );
  supervisor.subscribe({ error: options.failed });
  supervisor.start();

  const liveKeys = () => Object.keys(supervisor.getSnapshot().context.live);
  const isLive = (key: SessionKey) => liveKeys().includes(key);
  const tell = (key: SessionKey, event: SessionEvent) =>
    supervisor.send({ type: "session.told", key, event });

  return {
    recheck,
    received(key, id) {
      const message = store.facts(key).messages.find((one) => one.id === id);
      if (message === undefined) return;
      const { uuid, urgent } = message;
      if (isLive(key)) tell(key, { type: "message.received", id, uuid, urgent });
      else recheck(key);
    },
    command(key, command) {
      if (isLive(key)) {
        tell(key, command);
        return;
      }
      const facts = factsOf(key);
      if (commit(key, planCommand(facts, command, NO_WORK))) recheck(key);
    },
    restartContext({ key, epoch }) {
      if (!isLive(key)) return false;
      tell(key, { type: "context.asked", epoch });
      return owesClearing(store.facts(key));
    },
    phase(key) {
      const { live, waiting } = supervisor.getSnapshot().context;
      return live[key] ?? (waiting.includes(key) ? "queued" : null);
    },
    async release(of, alsoHeld) {
      const isHeld = (key: SessionKey) => of(key) || alsoHeld(key);
      held.add(isHeld);
      try {
        for (const key of liveKeys().filter(of)) tell(key, { type: "shutdown" });
        await waitFor(supervisor, ({ context }) => !Object.keys(context.live).some(of), {
          timeout: limits.shutdownMs,
        });
      } finally {
        held.delete(isHeld);
      }
    },
    async shutdown() {
      supervisor.send({ type: "shutdown" });
      try {
        await waitFor(supervisor, (snapshot) => snapshot.status !== "active", {
          timeout: limits.shutdownMs,
        });
      } catch {
        logs.service.error({ sessions: [...processes.keys()] }, "shutdown.forced");
        await Promise.all([...processes.values()].map((one) => one.end("now")));
      }
      supervisor.stop();
    },
  };
}
