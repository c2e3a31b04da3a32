import { setImmediate } from "node:timers/promises";
import { createActor, fromCallback, fromPromise, SimulatedClock } from "xstate";
import { onTestFinished } from "vitest";
import { initialFacts, foldFacts } from "../../machines/fold.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { SessionFacts } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import { DEFAULT_LIMITS, type Limits } from "../../machines/limits.ts";
import type { Notice, Plan } from "../../machines/plan.ts";
import { sessionMachine } from "../../machines/session.ts";
import type {
  AgentProcessCommand,
  AgentProcessInput,
  EpochEvent,
  PrepareInput,
  SessionEvent,
  SessionPhase,
  SessionPolicy,
} from "../../machines/session-types.ts";
import type { AgentEvent, ApprovalDecision, TurnOutcome } from "../../machines/vocabulary.ts";
import { WORKSPACE } from "./facts.ts";

/**
 * A real session actor in a world that a test holds in its hands: the probe
 * answers when told, agents do what the test says, time passes when told.
 */

export interface HarnessOptions {
  readonly facts?: readonly SessionFact[];
  readonly policy?: Partial<SessionPolicy>;
  readonly limits?: Partial<Limits>;
}

export interface TestAgent {
  readonly epoch: number;
  readonly mode: string;
  readonly agentSessionId: string | null;
  readonly commands: readonly AgentProcessCommand[];
  /** Its actor was stopped: nothing it says is heard any more. */
  isStopped(): boolean;
  say(event: AgentEvent): void;
  /** Says it under another launch's epoch. */
  sayAs(epoch: number, event: AgentEvent): void;
}

type Waiting = { resolve(probe: Probe): void; reject(error: Error): void };

export function createSession(options: HarnessOptions = {}) {
  const clock = new SimulatedClock();
  const world = {
    stored: foldFacts(initialFacts("scripted"), options.facts ?? []),
    plans: [] as Plan[],
    probes: [] as PrepareInput[],
    agents: [] as TestAgent[],
    phases: [] as SessionPhase[],
    stale: [] as string[],
    /** Set: facts can no longer be written. */
    broken: false,
  };
  const waiting: Waiting[] = [];
  const machine = sessionMachine.provide({
    actors: {
      prepareLaunch: fromPromise<Probe, PrepareInput>(({ input }) => {
        world.probes.push(input);
        return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
      }),
      agentProcess: fromCallback<AgentProcessCommand, AgentProcessInput>(
        ({ input, sendBack, receive }) => {
          const commands: AgentProcessCommand[] = [];
          receive((command) => commands.push(command));
          const { agent, stop } = testAgent(input.facts, commands, sendBack);
          world.agents.push(agent);
          return stop;
        },
      ),
    },
    actions: {
      commit: ({ self }, plan) => {
        if (world.broken) return self.send({ type: "fault", detail: "disk full" });
        world.plans.push(plan);
        world.stored = foldFacts(world.stored, plan.facts);
      },
      announce: (_, { phase }) => void world.phases.push(phase),
      logStale: ({ event }) => void world.stale.push(event.type),
    },
  });
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const policy = { legacyContinue: false, approvals: "deny" as const, ...options.policy };
  const actor = createActor(machine, {
    clock,
    input: { key: "k", facts: world.stored, limits, policy },
  });
  const errors: unknown[] = [];
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();
  onTestFinished(() => {
    actor.stop();
    if (errors.length > 0) throw errors[0];
  });

  return {
    world,
    clock,
    limits,
    state: () => actor.getSnapshot().value,
    turn: () => actor.getSnapshot().context.turn,
    status: () => actor.getSnapshot().status,
    /** What the actor holds, which must be what is stored. */
    facts: () => actor.getSnapshot().context.facts,
    send: (event: SessionEvent) => actor.send(event),
    /** A message comes in: stored first, as an intake does, then told. */
    receive(id: number) {
      const fact = { type: "message.received", id, uuid: `uuid-${id}` } as const;
      world.stored = foldFacts(world.stored, [fact]);
      actor.send(fact);
    },
    /** The same for one that goes first. */
    receiveUrgent(id: number) {
      const fact = { type: "message.received", id, uuid: `uuid-${id}` } as const;
      world.stored = foldFacts(world.stored, [fact, { type: "message.hurried", id }]);
      actor.send({ ...fact, urgent: true });
    },
    /** The last probe's answer; the bound transcript is there unless it says otherwise. */
    async probe(found: Partial<Probe> = {}) {
      const one = waiting.pop();
      if (one === undefined) throw new Error("Nothing is being probed");
      one.resolve({ ...probeOf(world.stored), ...found });
      await setImmediate();
    },
    async failProbe(message: string) {
      const one = waiting.pop();
      if (one === undefined) throw new Error("Nothing is being probed");
      one.reject(new Error(message));
      await setImmediate();
    },
    agent(): TestAgent {
      const last = world.agents.at(-1);
      if (last === undefined) throw new Error("No agent was launched");
      return last;
    },
    written: () => world.plans.flatMap((plan) => plan.facts),
    writtenTypes: () => world.plans.flatMap((plan) => plan.facts.map((fact) => fact.type)),
    notices: (): readonly Notice[] =>
      world.plans.flatMap((plan) =>
        plan.say.flatMap((say) => (say.kind === "notice" ? [say.notice] : [])),
      ),
    answers: () =>
      world.plans.flatMap((plan) =>
        plan.say.flatMap((say) => (say.kind === "answer" ? [say] : [])),
      ),
    relays: () =>
      world.plans.flatMap((plan) => plan.say.flatMap((say) => (say.kind === "relay" ? [say] : []))),
    commandsDone: () => world.plans.flatMap((plan) => plan.commandsDone),
  };
}

export type TestSession = ReturnType<typeof createSession>;

function testAgent(
  facts: SessionFacts,
  commands: readonly AgentProcessCommand[],
  sendBack: (event: EpochEvent) => void,
) {
  let stopped = false;
  const epoch = facts.launch?.epoch ?? 0;
  const sayAs = (as: number, event: AgentEvent) => sendBack({ ...event, epoch: as });
  const agent: TestAgent = {
    epoch,
    mode: facts.launch?.mode ?? "none",
    agentSessionId: facts.launch?.agentSessionId ?? null,
    commands,
    isStopped: () => stopped,
    say: (event) => sayAs(epoch, event),
    sayAs,
  };
  return {
    agent,
    stop: () => {
      stopped = true;
    },
  };
}

function probeOf(stored: SessionFacts): Probe {
  const agentSessionId = `s${stored.epoch + 1}`;
  return {
    workspace: { ok: true, path: stored.workspace ?? WORKSPACE },
    fresh: { agentSessionId, transcript: `/t/${agentSessionId}.jsonl` },
    bound: stored.bound === null ? null : "present",
    last:
      stored.launch === null
        ? null
        : stored.launch.agentSessionId === stored.bound?.agentSessionId
          ? "present"
          : "missing",
    boundIncomplete: false,
    trace: null,
    foreignPid: null,
  };
}

// ── What agents say ──────────────────────────────────────────────────────────

export const ready: AgentEvent = { type: "agent.ready", model: "model-1" };
export const refused: AgentEvent = {
  type: "agent.refused",
  detail: "No conversation found",
  stderr: "No conversation found",
};
export const unavailable: AgentEvent = {
  type: "agent.unavailable",
  reason: "not-logged-in",
  detail: "no key",
  stderr: "",
};
export const gone = (at = 0): AgentEvent => ({
  type: "agent.exited",
  at,
  code: 1,
  signal: null,
  stderr: "boom",
});
export const nowBound = (agentSessionId: string): AgentEvent => ({
  type: "agent.bound",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
  model: "model-1",
});
export const toolStarted = (toolUseId = "t1"): AgentEvent => ({
  type: "turn.toolStarted",
  toolUseId,
  name: "Bash",
  summary: "make",
});
export const asks = (requestId: string): AgentEvent => ({
  type: "approval.requested",
  request: {
    requestId,
    toolUseId: `t-${requestId}`,
    kind: "tool",
    tool: "Bash",
    summary: "make",
    detail: "make",
    always: null,
    questions: [],
  },
});
export const ALLOWED: ApprovalDecision = { allow: true, always: false, answers: {} };
export function turnEnded(
  outcome: TurnOutcome,
  uuids: readonly string[],
  text = "the answer",
): AgentEvent {
  return {
    type: "turn.ended",
    uuids,
    outcome,
    text,
    context: { used: 62_000, window: 100_000 },
    usage: null,
    selfReportedPercent: null,
  };
}

/** What the user was shown of approvals, in order: "r1 open", "r1 sent", "r1 allowed". */
export function shownApprovals({ world }: TestSession): readonly string[] {
  return world.plans
    .flatMap((one) => one.say)
    .flatMap((say) => {
      if (say.kind !== "approval") return [];
      const { shown, approval } = say;
      const stage = shown.stage === "closed" ? shown.outcome : shown.stage;
      return [`${approval.request.requestId} ${stage}`];
    });
}

// ── Steps that many tests take ───────────────────────────────────────────────

/** From the first probe to a turn that the agent works on. */
export async function toWorking(
  session: TestSession,
  found: Partial<Probe> = {},
): Promise<TestAgent> {
  await session.probe(found);
  const agent = session.agent();
  agent.say(ready);
  accept(session, agent);
  return agent;
}

/** The agent takes the prompt it was given, which makes its transcript. */
export function accept(session: TestSession, agent: TestAgent): void {
  agent.say({ type: "turn.accepted", uuid: session.turn()?.uuid ?? "" });
  if (agent.agentSessionId !== null) agent.say(nowBound(agent.agentSessionId));
}

/** From the first probe to a completed turn, the session idle or at its next message. */
export async function toAnswered(session: TestSession, found: Partial<Probe> = {}) {
  const agent = await toWorking(session, found);
  agent.say(turnEnded("completed", [session.turn()?.uuid ?? ""]));
  return agent;
}
