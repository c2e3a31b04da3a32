import { initialTransition, transition, type SnapshotFrom } from "xstate";
import { foldFacts, initialFacts } from "../../machines/fold.ts";
import { wantsActor, type LaunchMode, type SessionFacts } from "../../machines/facts.ts";
import { checkDecision, checkIdle } from "../../machines/approval-invariants.ts";
import {
  checkLaunch,
  checkMessages,
  checkPlan,
  checkReap,
  endsIn,
  type Ghost,
} from "../../machines/invariants.ts";
import { DEFAULT_LIMITS, type Limits } from "../../machines/limits.ts";
import type { Plan } from "../../machines/plan.ts";
import type { sessionMachine } from "../../machines/session.ts";
import type { SessionEvent } from "../../machines/session-types.ts";
import type { AgentCommand } from "../../machines/vocabulary.ts";

/**
 * A session with its surroundings, as values: the actor's snapshot, what the
 * store holds, the agent process, its transcripts, and what is left of the
 * budgets that keep the exploration finite.
 */

export type SessionMachine = typeof sessionMachine;
export type Snapshot = SnapshotFrom<SessionMachine>;

export type PromptStage = "given" | "accepted" | "finished";

export interface Process {
  readonly epoch: number;
  readonly mode: LaunchMode;
  readonly agentSessionId: string;
  readonly phase: "starting" | "ready";
  readonly prompt: {
    readonly uuid: string;
    readonly messageId: number;
    readonly stage: PromptStage;
    readonly tools: boolean;
    /** Its row stands in the transcript, which lags behind. */
    readonly written: boolean;
    /** The agent has seen the uuid before and says nothing about it. */
    readonly swallowed: boolean;
  } | null;
  readonly agentTurn: boolean;
  readonly interrupted: boolean;
  readonly ending: boolean;
  /** What it waits for a person to decide, and what was decided and is not carried out. */
  readonly asks: readonly {
    readonly requestId: string;
    readonly decided: boolean;
    /** A task in the background asked: no turn waits for the answer. */
    readonly background: boolean;
  }[];
  /** The service died: nobody reads what it says. */
  readonly orphan: boolean;
}

export interface Trace {
  readonly stage: "unfinished" | "finished";
  readonly tools: boolean;
}

/** How often each thing may still happen. */
export interface Budget {
  readonly messages: number;
  readonly news: number;
  readonly stops: number;
  readonly answers: number;
  readonly resumes: number;
  readonly crashes: number;
  readonly deaths: number;
  readonly refusals: number;
  readonly unavailable: number;
  readonly failures: number;
  readonly overflows: number;
  readonly losses: number;
  /** An answered turn goes missing from a transcript. */
  readonly cuts: number;
  readonly agentTurns: number;
  readonly stale: number;
  readonly shutdowns: number;
  readonly quiet: number;
  readonly background: number;
  /** Messages that end the running turn and go first. */
  readonly urgents: number;
  readonly compactions: number;
  /** Goes on with a conversation that another chat has left, or copies one that it holds. */
  readonly takes: number;
  /** Requests for a permission, and what the user says about them. */
  readonly asks: number;
  readonly decisions: number;
  /** The agent asks for a cleared context. */
  readonly clearings: number;
  /** 1 where the legacy `--continue` setting is on. */
  readonly legacy: number;
}

export interface World {
  readonly snapshot: Snapshot | null;
  readonly stored: SessionFacts;
  readonly process: Process | null;
  /** By agent session id, then by prompt uuid. */
  readonly transcripts: Readonly<Record<string, Readonly<Record<string, Trace>>>>;
  readonly ghost: Ghost;
  readonly budget: Budget;
  readonly down: boolean;
  readonly violations: readonly string[];
}

const MODEL_LIMITS: Limits = { ...DEFAULT_LIMITS, crashMax: 2 };

/** An agent session of another chat, there from the start where the budget lets it be taken. */
export const FOREIGN_SESSION = "foreign";

export function initialWorld(budget: Budget): World {
  const foreign = budget.takes > 0 ? [FOREIGN_SESSION] : [];
  return {
    snapshot: null,
    stored: initialFacts("scripted"),
    process: null,
    transcripts: Object.fromEntries(foreign.map((id) => [id, {}])),
    ghost: {
      processAlive: false,
      transcripts: foreign,
      refused: [],
      overflowed: [],
      lost: [],
      cut: [],
      finished: [],
      freshEpochs: [],
      runs: {},
      allowedRuns: {},
      received: [],
      ends: {},
      passedOn: [],
      failedStart: null,
    },
    budget,
    down: false,
    violations: [],
  };
}

/** One action that a transition asks for. */
type Step = { readonly type: string; readonly params: unknown };

/** The worlds after an event: the whole step, and (`crashes`) one for a crash after each of its actions. */
export function send(
  machine: SessionMachine,
  world: World,
  event: SessionEvent | { readonly type: string; readonly output?: unknown },
): { readonly after: World; readonly crashes: readonly World[] } {
  if (world.snapshot === null) return { after: world, crashes: [] };
  const [next, actions] = transition(machine, world.snapshot, event as SessionEvent);
  return perform(machine, world, next, actions as unknown as readonly Step[]);
}

/** Starts an actor where the facts want one. */
export function wake(machine: SessionMachine, world: World) {
  if (world.snapshot !== null || world.down || !wantsActor(world.stored)) {
    return { after: world, crashes: [] };
  }
  const [next, actions] = initialTransition(machine, {
    key: "k",
    facts: world.stored,
    limits: MODEL_LIMITS,
    policy: {
      legacyContinue: world.budget.legacy > 0,
      approvals: world.budget.decisions > 0 ? "ask" : "deny",
    },
  });
  return perform(machine, world, next, actions as unknown as readonly Step[]);
}

function perform(
  machine: SessionMachine,
  world: World,
  next: Snapshot,
  actions: readonly Step[],
): { readonly after: World; readonly crashes: readonly World[] } {
  const before = world.snapshot;
  let after: World = { ...world, snapshot: next };
  const crashes: World[] = world.budget.crashes > 0 ? [crash(world)] : [];
  for (const action of actions) {
    const changed = applyAction(after, action, next);
    if (changed !== after && world.budget.crashes > 0) crashes.push(crash(changed));
    after = changed;
  }
  if (before?.value !== "reaping" && next.value === "reaping") {
    after = note(after, checkReap(next.context.facts, next.context.background));
  }
  if (next.value === "idle") after = note(after, checkIdle(next.context.facts));
  if (JSON.stringify(after.stored) !== JSON.stringify(next.context.facts)) {
    after = note(after, ["the actor's facts differ from the stored ones"]);
  }
  if (next.status === "error") after = note(after, [`the actor failed: ${String(next.error)}`]);
  after = note(after, checkMessages(after.ghost, after.stored));
  if (next.status !== "done") return { after, crashes };
  const stopped = next.value === "stopped";
  after = { ...after, snapshot: null, down: after.down || stopped };
  const again = wake(machine, after);
  return { after: again.after, crashes: [...crashes, ...again.crashes] };
}

function applyAction(world: World, action: Step, next: Snapshot): World {
  switch (action.type) {
    case "commit":
      return write(world, action.params as Plan);
    case "xstate.spawnChild":
      return (action.params as { id: string }).id === "agent"
        ? startProcess(world, next.context.facts)
        : world;
    case "xstate.sendTo":
      return command(world, (action.params as { event: AgentCommand }).event);
    default:
      return world;
  }
}

/** One transaction. */
export function write(world: World, written: Plan): World {
  const violations = checkPlan(world.ghost, world.stored, written);
  const ends = { ...world.ghost.ends };
  for (const { id, how } of endsIn(written)) ends[id] = [...(ends[id] ?? []), how];
  const allowedRuns = { ...world.ghost.allowedRuns };
  const overflow = written.facts.some(
    (fact) => fact.type === "fresh.intended" && fact.reason === "too-large",
  );
  for (const fact of written.facts) {
    if (fact.type !== "message.requeued") continue;
    const compacted = written.say.some(
      (say) => say.kind === "notice" && say.notice.code === "compacted",
    );
    const asked = written.commandsDone.length > 0 || overflow || compacted;
    if (asked) allowedRuns[fact.id] = (allowedRuns[fact.id] ?? 1) + 1;
  }
  const stored = foldFacts(world.stored, written.facts);
  const failed = written.facts.some((fact) => fact.type === "session.failed");
  const failedStart = failed ? (stored.launch?.mode ?? null) : world.ghost.failedStart;
  const told = written.facts.flatMap((fact) =>
    fact.type === "agentSession.incomplete" ? [fact.agentSessionId] : [],
  );
  const cut = world.ghost.cut.filter((id) => !told.includes(id));
  const ghost = { ...world.ghost, ends, allowedRuns, failedStart, cut };
  return note({ ...world, stored, ghost }, violations);
}

function startProcess(world: World, facts: SessionFacts): World {
  const checked = note(world, checkLaunch(world.ghost, world.stored));
  const { launch } = facts;
  if (launch === null) return checked;
  return withProcess(
    {
      ...checked,
      ghost: {
        ...checked.ghost,
        failedStart: null,
        freshEpochs:
          launch.mode === "fresh"
            ? [...checked.ghost.freshEpochs, launch.epoch]
            : checked.ghost.freshEpochs,
      },
    },
    {
      epoch: launch.epoch,
      mode: launch.mode,
      agentSessionId: launch.agentSessionId ?? `continued-${launch.epoch}`,
      phase: "starting",
      prompt: null,
      agentTurn: false,
      interrupted: false,
      ending: false,
      asks: [],
      orphan: false,
    },
  );
}

function command(world: World, asked: AgentCommand): World {
  const { process } = world;
  if (process === null)
    return note(world, [`5: "${asked.type}" is sent to a process that is gone`]);
  switch (asked.type) {
    case "prompt": {
      if (process.prompt !== null) return note(world, ["6: a second prompt is given"]);
      const { uuid, messageId } = asked;
      const { bound } = world.stored;
      const copied = bound?.borrowed === true && process.mode === "fork";
      if (bound !== null && !copied && bound.agentSessionId !== process.agentSessionId) {
        return note(world, ["4: a message is given to another session than the bound one"]);
      }
      const seen = world.transcripts[process.agentSessionId]?.[uuid] !== undefined;
      return withProcess(world, {
        ...process,
        prompt: { uuid, messageId, stage: "given", tools: false, written: false, swallowed: seen },
        interrupted: false,
      });
    }
    case "interrupt":
      return withProcess(world, { ...process, interrupted: true });
    case "decide": {
      const { requestId } = asked;
      const { ghost, stored } = world;
      const checked = note(world, checkDecision(ghost.passedOn, stored, requestId));
      const asks = process.asks.map((one) =>
        one.requestId === requestId ? { ...one, decided: true } : one,
      );
      const passedOn = [...ghost.passedOn, requestId];
      return withProcess({ ...checked, ghost: { ...ghost, passedOn } }, { ...process, asks });
    }
    case "configure":
      return world;
    case "end":
      return withProcess(world, { ...process, ending: true });
  }
}

export function withProcess(world: World, process: Process | null): World {
  return { ...world, process, ghost: { ...world.ghost, processAlive: process !== null } };
}

/** The service dies; its agents are on their own. */
function crash(world: World): World {
  const process = world.process === null ? null : { ...world.process, orphan: true };
  const budget = { ...world.budget, crashes: world.budget.crashes - 1 };
  return withProcess({ ...world, snapshot: null, budget, down: true }, process);
}

function note(world: World, violations: readonly string[]): World {
  return violations.length === 0
    ? world
    : { ...world, violations: [...world.violations, ...violations] };
}

/** Two worlds with the same key behave the same from here on. */
export function keyOf(world: World): string {
  const { snapshot, stored, process, transcripts, budget, down, ghost } = world;
  const actor =
    snapshot === null
      ? null
      : [
          snapshot.value,
          snapshot.context.turn,
          snapshot.context.provedByTurn,
          snapshot.context.process,
          snapshot.context.background,
          snapshot.context.wedged,
          snapshot.context.probe?.bound,
          snapshot.context.probe?.boundIncomplete,
        ];
  return JSON.stringify([
    actor,
    stored,
    process,
    transcripts,
    budget,
    down,
    ghost.failedStart,
    ghost.cut,
    ghost.runs,
    ghost.allowedRuns,
    ghost.ends,
    ghost.passedOn,
  ]);
}
