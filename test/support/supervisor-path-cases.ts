import type { ExecutableActionObject, SnapshotFrom } from "xstate";
import { foldFacts, initialFacts } from "../../machines/fold.ts";
import { DEFAULT_LIMITS, type Limits } from "../../machines/limits.ts";
import type { supervisorMachine, SupervisorEvent } from "../../machines/supervisor.ts";
import type { EventCases } from "./path-model.ts";

/** The events of the supervisor's paths: three sessions for two slots. */

export type SupervisorSnapshot = SnapshotFrom<typeof supervisorMachine>;
export type SupervisorCases = EventCases<SupervisorSnapshot, SupervisorEvent>;

const KEYS = ["a", "b", "c"] as const;

/** A session's own time-outs are far away from the one delay of the supervisor. */
export const POOL_LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  liveAgents: 2,
  faultMax: 2,
  faultWindowMs: 1_000,
};

/** A message waits. */
const FACTS = foldFacts(initialFacts("scripted"), [
  { type: "message.received", id: 1, uuid: "uuid-1" },
]);

/** An earlier run of the service left a process behind. */
const LEFT = foldFacts(FACTS, [
  { type: "launch.intended", epoch: 1, mode: "fresh", agentSessionId: "s1", transcript: "/t/s1" },
]);

export function supervisorCases(): SupervisorCases {
  const live = ({ context }: SupervisorSnapshot) => Object.keys(context.live);
  return {
    "session.needed": ({ context }) =>
      KEYS.flatMap((key) => {
        const needed = { type: "session.needed", key, facts: FACTS } as const;
        // One of them is enough to have more than there are places.
        return key === "c" && context.live["a"] !== undefined
          ? [needed, { ...needed, facts: LEFT }]
          : [needed];
      }),
    "session.told": () =>
      KEYS.map((key) => ({
        type: "session.told",
        key,
        event: { type: "message.received", id: 2, uuid: "uuid-2" },
      })),
    "session.announced": () =>
      KEYS.flatMap((key) =>
        (["idle", "busy"] as const).map((phase) => ({ type: "session.announced", key, phase })),
      ),
    "fault.forgotten": ({ context }) => {
      // Whose fault is the oldest cannot be seen where there are several.
      const [key, ...others] = Object.keys(context.faults);
      return key === undefined || others.length > 0 ? [] : [{ type: "fault.forgotten", key }];
    },
    "xstate.done.actor.*": (snapshot) =>
      live(snapshot).map((key) => ({
        type: `xstate.done.actor.${key}`,
        actorId: key,
        output: { key },
      })),
    "xstate.error.actor.*": (snapshot) =>
      live(snapshot).map((key) => ({
        type: `xstate.error.actor.${key}`,
        actorId: key,
        error: new Error("the session broke"),
      })),
    shutdown: () => [{ type: "shutdown" }],
  };
}

/** Sessions are alike: they are named in the order of their appearance. */
export function keyOf({ context: { live, idle, waiting, faults } }: SupervisorSnapshot): string {
  const names = new Map<string, string>();
  return JSON.stringify([live, idle, waiting, faults]).replaceAll(/"([abc])"/g, (name) => {
    const known = names.get(name) ?? String(names.size);
    names.set(name, known);
    return known;
  });
}

/** One session that is given up, or two with a fault each, show everything there is to count. */
export function stopWhen({ context: { faults } }: SupervisorSnapshot): boolean {
  return Object.values(faults).reduce((sum, one) => sum + one, 0) > 2;
}

export function labelOf(event: SupervisorEvent): string {
  return JSON.stringify(event, ["type", "key", "phase", "facts", "epoch"]);
}

export function labelOfAction({ type, params }: ExecutableActionObject): string {
  if (type === "xstate.raise") return "";
  return JSON.stringify(params, ["key", "detail", "id", "targetId", "event", "type"]) ?? "";
}
