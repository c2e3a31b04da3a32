import { expect } from "vitest";
import { received, RETURNING } from "./facts.ts";
import {
  asks,
  createSession,
  gone,
  ready,
  refused,
  toAnswered,
  toWorking,
  type HarnessOptions,
  type TestSession,
} from "./session-harness.ts";

export interface Place {
  readonly name: string;
  readonly state: unknown;
  /** A message is with the agent. */
  readonly inFlight?: boolean;
  readonly options?: HarnessOptions;
  go(session: TestSession): Promise<void>;
}

/** Every state in which a session lives, and the way there. */
export const PLACES: readonly Place[] = [
  { name: "normalizing", state: { normalizing: "probing" }, go: async () => {} },
  { name: "resuming", state: "resuming", go: (session) => session.probe() },
  {
    name: "starting",
    state: "starting",
    options: { facts: [received(2)] },
    go: (session) => session.probe(),
  },
  {
    name: "fresh-fallback",
    state: "fresh-fallback",
    async go(session) {
      await session.probe();
      session.agent().say(refused);
    },
  },
  {
    name: "delivering",
    state: { running: "delivering" },
    inFlight: true,
    async go(session) {
      await session.probe();
      session.agent().say(ready);
    },
  },
  {
    name: "working",
    state: { running: "working" },
    inFlight: true,
    go: async (session) => void (await toWorking(session)),
  },
  {
    name: "compacting",
    state: { running: "compacting" },
    inFlight: true,
    async go(session) {
      (await toWorking(session)).say({ type: "turn.compacting", active: true });
    },
  },
  {
    name: "awaiting-approval",
    state: { running: "awaiting-approval" },
    inFlight: true,
    options: { facts: RETURNING, policy: { approvals: "ask" } },
    async go(session) {
      (await toWorking(session)).say(asks("r1"));
    },
  },
  {
    name: "interrupting",
    state: { running: "interrupting" },
    inFlight: true,
    async go(session) {
      await toWorking(session);
      session.clock.increment(session.limits.turnQuietMs);
    },
  },
  {
    name: "a turn of the agent's own",
    state: { running: "working" },
    async go(session) {
      (await toAnswered(session)).say({ type: "turn.began", cause: "x" });
    },
  },
  { name: "idle", state: "idle", go: async (session) => void (await toAnswered(session)) },
  {
    name: "asking",
    state: "asking",
    options: { facts: RETURNING, policy: { approvals: "ask" } },
    async go(session) {
      const agent = await toAnswered(session);
      agent.say({ type: "agent.background", count: 1 });
      agent.say(asks("r1"));
    },
  },
  {
    name: "reaping",
    state: "reaping",
    async go(session) {
      await toAnswered(session);
      session.send({ type: "reap" });
    },
  },
  {
    name: "restarting",
    state: "restarting",
    inFlight: true,
    async go(session) {
      await toWorking(session);
      session.clock.increment(session.limits.turnQuietMs);
      session.clock.increment(session.limits.interruptMs);
    },
  },
];

export async function at(place: Place): Promise<TestSession> {
  const session = createSession(place.options ?? { facts: RETURNING });
  await place.go(session);
  expect(session.state()).toEqual(place.state);
  return session;
}

/** What was asked to end does so. */
export function endProcess(session: TestSession): void {
  const agent = session.world.agents.at(-1);
  if (agent !== undefined && !agent.isStopped()) agent.say(gone());
}
