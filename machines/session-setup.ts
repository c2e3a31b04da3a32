import { assign, fromCallback, fromPromise, setup, type ActionArgs } from "xstate";
import { findUndecided, undecided } from "./approvals.ts";
import { endsLaunch, stopsAnother } from "./commands.ts";
import { owesClearing } from "./context-restart.ts";
import { nextMessage } from "./facts.ts";
import { decideLaunch, isUnlaunchedFallback, launchInputs, type Probe } from "./launch.ts";
import type { Plan } from "./plan.ts";
import { diesTooOften } from "./launch-plans.ts";
import { isOverflowOfResume } from "./turn-plans.ts";
import type {
  AgentProcessCommand,
  AgentProcessInput,
  EpochEvent,
  PrepareInput,
  SessionContext,
  SessionEvent,
  SessionInput,
  SessionOutput,
  SessionPhase,
} from "./session-types.ts";

/** Thrown when a machine runs without what src/sessions provides; never in the service. */
function notProvided(name: string): never {
  throw new Error(`The session machine needs "${name}": call machine.provide()`);
}

const isEpochEvent = (event: SessionEvent): event is EpochEvent => "epoch" in event;

/** What the machine is made of: types, actors, effects, guards and delays. */
export const sessionSetup = setup({
  types: {
    context: {} as SessionContext,
    events: {} as SessionEvent,
    input: {} as SessionInput,
    output: {} as SessionOutput,
    tags: {} as "process" | "launching" | "busy",
  },
  actors: {
    /** Ends what is left of earlier launches, then looks at workspace, transcripts and the message in flight. */
    prepareLaunch: fromPromise<Probe, PrepareInput>(() => notProvided("prepareLaunch")),
    /** Runs the process of `facts.launch`; its events come back with the launch's epoch. */
    agentProcess: fromCallback<AgentProcessCommand, AgentProcessInput>(() =>
      notProvided("agentProcess"),
    ),
  },
  actions: {
    /** Writes facts, outgoing messages and handled commands in one transaction. A failure comes back as `fault`. */
    commit: (_: ActionArgs<SessionContext, SessionEvent, SessionEvent>, _plan: Plan) =>
      notProvided("commit"),
    /** Tells the supervisor and the channel what the session is doing. */
    announce: (
      _: ActionArgs<SessionContext, SessionEvent, SessionEvent>,
      _params: { phase: SessionPhase },
    ) => {},
    rememberProbe: assign((_, probe: Probe) => ({ probe })),
    /** An idle session's process is to be ended. */
    logReap: () => {},
    /** An event of an earlier launch was dropped. */
    logStale: () => {},
  },
  guards: {
    /** Events carry their launch's epoch; those of another launch change nothing. */
    isCurrent: ({ context, event }) => isEpochEvent(event) && event.epoch === context.process,
    isStale: ({ context, event }) => isEpochEvent(event) && event.epoch !== context.process,

    // Deciding a launch
    isWorkspaceRefused: ({ context }) => context.probe?.workspace.ok === false,
    hasNothingToDo: ({ context }) => nextMessage(context.facts) === null,
    isUnavailable: ({ context }) => decision(context)?.kind === "unavailable",
    needsFallback: ({ context }) => decision(context)?.kind === "fallback",
    isPendingFallback: ({ context }) => isUnlaunchedFallback(context.facts),
    mayResume: ({ context }) => {
      const decided = decision(context);
      return decided?.kind === "launch" && decided.mode !== "fresh";
    },

    stopsAnother: ({ context: { turn }, event }) =>
      event.type === "command.stop" &&
      stopsAnother(event, { messageId: turn?.messageId ?? null, busy: turn !== null }),
    commandEndsLaunch: ({ context, event }) =>
      (event.type === "command.bindWorkspace" || event.type === "command.resume") &&
      endsLaunch(context.facts, event),

    owesClearing: ({ context }) => owesClearing(context.facts),

    // Turns
    hasNext: ({ context }) => nextMessage(context.facts) !== null,
    hasTurn: ({ context }) => context.turn !== null,
    readyWithNext: ({ context, event }) =>
      event.type === "agent.ready" &&
      event.epoch === context.process &&
      nextMessage(context.facts) !== null,
    isDone: ({ context }) => context.process === null,
    isDoneWithNext: ({ context }) =>
      context.process === null && nextMessage(context.facts) !== null,
    isDoneAndFailed: ({ context }) => context.process === null && context.facts.failure !== null,
    isDoneAndDiesTooOften: ({ context }) => context.process === null && diesTooOften(context),
    endsUsersTurn: ({ context, event }) =>
      isCurrentTurnEnd(context, event) &&
      context.turn?.origin === "user" &&
      event.uuids.includes(context.turn.uuid ?? ""),
    endsAgentsTurn: ({ context, event }) =>
      isCurrentTurnEnd(context, event) &&
      context.turn?.origin === "agent" &&
      event.uuids.length === 0,
    isUnsolicited: ({ context, event }) =>
      isCurrentTurnEnd(context, event) && event.uuids.length === 0,
    overflowsResume: ({ context, event }) =>
      isCurrentTurnEnd(context, event) &&
      event.outcome === "too-large" &&
      context.turn?.ending !== "user" &&
      event.uuids.includes(context.turn?.uuid ?? "") &&
      isOverflowOfResume(context),
    isAccepted: ({ context, event }) =>
      event.type === "turn.accepted" &&
      event.epoch === context.process &&
      event.uuid === context.turn?.uuid,
    /** Somebody can be asked, and no turn is being ended. */
    needsPerson: ({ context, event }) =>
      event.type === "approval.requested" &&
      event.epoch === context.process &&
      context.policy.approvals === "ask" &&
      (context.turn?.ending ?? null) === null,
    hasUndecided: ({ context }) => undecided(context.facts).length > 0,
    hasNoUndecided: ({ context }) => undecided(context.facts).length === 0,
    /** The turn is not being ended already. */
    overtakes: ({ context, event }) =>
      event.type === "message.received" &&
      event.urgent === true &&
      context.turn !== null &&
      context.turn.ending === null,
    /** There is such an approval, and it waits for a decision. */
    decides: ({ context, event }) =>
      event.type === "command.decide" && isUndecided(context, event.requestId),
    /** Nothing else waits for one. */
    decidesLast: ({ context, event }) =>
      event.type === "command.decide" && isLastUndecided(context, event.requestId),
    withdrawsLast: ({ context, event }) =>
      event.type === "approval.withdrawn" &&
      event.epoch === context.process &&
      isLastUndecided(context, event.requestId),
    startsCompacting: ({ context, event }) =>
      event.type === "turn.compacting" && event.epoch === context.process && event.active,
    endsCompacting: ({ context, event }) =>
      event.type === "turn.compacting" && event.epoch === context.process && !event.active,
    canReap: ({ context }) => context.background === 0 && nextMessage(context.facts) === null,
  },
  delays: {
    startLimit: ({ context }) => context.limits.startMs,
    quietLimit: ({ context }) => {
      if ((context.turn?.openTools.length ?? 0) > 0) return context.limits.toolQuietMs;
      if (context.background > 0) return context.limits.backgroundQuietMs;
      return context.limits.turnQuietMs;
    },
    approvalLimit: ({ context }) => context.limits.approvalMs,
    interruptLimit: ({ context }) => context.limits.interruptMs,
    idleLimit: ({ context }) => context.limits.idleReapMs,
    drainLimit: ({ context }) => context.limits.drainMs,
  },
});

function isUndecided({ facts }: SessionContext, requestId: string): boolean {
  return findUndecided(facts, requestId) !== null;
}

function isLastUndecided(context: SessionContext, requestId: string): boolean {
  return isUndecided(context, requestId) && undecided(context.facts).length === 1;
}

function isCurrentTurnEnd(
  context: SessionContext,
  event: SessionEvent,
): event is Extract<EpochEvent, { type: "turn.ended" }> {
  return event.type === "turn.ended" && event.epoch === context.process;
}

/** What the launch table says now; null before the probe's answer. */
export function decision(context: SessionContext) {
  const { facts, probe, policy } = context;
  return probe === null ? null : decideLaunch(launchInputs(facts, probe, policy.legacyContinue));
}
