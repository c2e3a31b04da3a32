import { round } from "./arithmetic.ts";
import {
  planDecided,
  planEvidence,
  planExpired,
  planOpened,
  planPicked,
  planTimedOut,
  planTurnOver,
  planWithdrawn,
  undecided,
} from "./approvals.ts";
import { endsLaunch, planCommand, type SessionCommand } from "./commands.ts";
import { planCleared, planContextAsked } from "./context-restart.ts";
import { foldFacts } from "./fold.ts";
import { messageInFlight, nextMessage, type SessionFacts } from "./facts.ts";
import { joinPlans, NOTHING, notice, plan, type Plan } from "./plan.ts";
import {
  planBound,
  planCrashLimit,
  planFailure,
  planFallback,
  planGone,
  planLaunch,
  planRecovery,
  planRefused,
  planReset,
  planUnavailable,
} from "./launch-plans.ts";
import {
  planCompacted,
  planContext,
  planGiven,
  planMeasured,
  planOverflow,
  planOvertaken,
  planRelay,
  planTurnEnded,
} from "./turn-plans.ts";
import { decision, sessionSetup } from "./session-setup.ts";
import type { SessionContext, SessionEvent, Turn } from "./session-types.ts";
import type { TurnOutcome } from "./vocabulary.ts";

type Patch = Partial<Pick<SessionContext, "turn" | "provedByTurn" | "background" | "wedged">>;
type EventOf<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

/** Folds a plan into the context and has it written; the effects it allows come after it in the list. */
function record(
  planOf: (context: SessionContext, event: SessionEvent) => Plan,
  patchOf: (context: SessionContext, event: SessionEvent) => Patch = () => ({}),
) {
  return sessionSetup.enqueueActions(({ context, event, enqueue }) => {
    const written = closing(context.facts, planOf(context, event));
    enqueue.assign({
      ...patchOf(context, event),
      facts: foldFacts(context.facts, written.facts),
    });
    const empty = written.facts.length + written.say.length + written.commandsDone.length === 0;
    if (!empty) enqueue({ type: "commit", params: written });
  });
}

/** With the end of a process its open approvals end, whoever writes it. */
function closing(facts: SessionFacts, written: Plan): Plan {
  const exits = written.facts.some((fact) => fact.type === "launch.exited");
  return exits ? joinPlans(planExpired(facts), written) : written;
}

/** The same for one type of event; any other one changes nothing. */
function recordOn<Type extends SessionEvent["type"]>(
  types: Type | readonly Type[],
  planOf: (context: SessionContext, event: EventOf<Type>) => Plan,
  patchOf: (context: SessionContext, event: EventOf<Type>) => Patch = () => ({}),
) {
  const list: readonly string[] = typeof types === "string" ? [types] : types;
  const isOurs = (event: SessionEvent): event is EventOf<Type> => list.includes(event.type);
  return record(
    (context, event) => (isOurs(event) ? planOf(context, event) : NOTHING),
    (context, event) => (isOurs(event) ? patchOf(context, event) : {}),
  );
}

const GONE = ["agent.exited", "agent.refused", "agent.unavailable"] as const;

const LAUNCHED: Patch = { turn: null, provedByTurn: false, background: 0 };

const agentTurn = (cause: string): Turn => ({
  origin: "agent",
  messageId: null,
  uuid: null,
  openTools: [],
  ending: null,
  cause,
  cleared: false,
  compaction: null,
});

function withTurn(context: SessionContext, change: Partial<Turn>): Patch {
  return context.turn === null ? {} : { turn: { ...context.turn, ...change } };
}

function provedBy(context: SessionContext, outcome: TurnOutcome): boolean {
  return context.provedByTurn || outcome === "completed";
}

/** The message a live session works on: the one in flight, or the one that waits for the process. */
function currentMessage(context: SessionContext): number | null {
  // A turn's message may have ended already, by an earlier `/stop`: the next one is not meant.
  if (context.turn !== null) return context.turn.messageId;
  return (messageInFlight(context.facts) ?? nextMessage(context.facts))?.id ?? null;
}

/** Only while the child is there: a send to a missing one kills the sender. */
function endAgent(now: boolean) {
  return sessionSetup.enqueueActions(({ context, enqueue }) => {
    if (context.process !== null) enqueue.sendTo("agent", { type: "end", now });
  });
}

/** The reason is a key: src/sessions puts the words to the agent in its place. */
const denied = (reason: "no-person" | "time-out") => ({ allow: false, reason }) as const;

const COMMANDS: readonly SessionCommand["type"][] = [
  "command.new",
  "command.stop",
  "command.retry",
  "command.skip",
  "command.bindWorkspace",
  "command.resume",
  "command.take",
  "command.choose",
  "command.name",
  "command.decide",
  "command.pick",
];

export const session = sessionSetup.extend({
  actions: {
    // ── Inputs of the user
    /** The fact is stored already: it is only folded. */
    foldMessage: sessionSetup.assign(({ context, event }) => {
      if (event.type !== "message.received") return context;
      const { id, uuid, urgent = false } = event;
      const facts = foldFacts(context.facts, [
        { type: "message.received", id, uuid },
        ...(urgent ? [{ type: "message.hurried", id } as const] : []),
      ]);
      return { ...context, facts };
    }),
    recordOvertaken: record((context) => planOvertaken(context)),
    recordCommand: recordOn(
      COMMANDS,
      (context, event) =>
        planCommand(context.facts, event, {
          messageId: currentMessage(context),
          busy: context.turn !== null,
        }),
      // What the user says about the same process makes its end old news.
      (context, event) => (endsLaunch(context.facts, event) ? { wedged: false } : {}),
    ),

    /** Its process is being ended: a `/stop` that comes now stops nothing. */
    forgetTurn: sessionSetup.assign({ turn: null }),

    // ── A cleared context, at the agent's own wish
    recordContextAsked: recordOn("context.asked", ({ facts }) => planContextAsked(facts)),
    recordCleared: record(({ facts }) => planCleared(facts)),

    // ── Before and at a launch
    recordRecovery: record(
      ({ facts, probe, wedged }) => (probe === null ? NOTHING : planRecovery(facts, probe, wedged)),
      () => ({ wedged: false }),
    ),
    recordWorkspaceRefused: record(({ probe }) =>
      probe === null || probe.workspace.ok
        ? NOTHING
        : planFailure(probe.workspace.reason, probe.workspace.detail),
    ),
    recordUnavailableNow: record((context) => {
      const decided = decision(context);
      return decided?.kind === "unavailable" ? planFailure(decided.reason, "") : NOTHING;
    }),
    recordProbeFailed: record((_, event) =>
      planFailure("spawn-failed", "error" in event ? String(event.error) : ""),
    ),
    recordFallback: record((context) => {
      const decided = decision(context);
      return decided?.kind === "fallback" ? planFallback(context.facts, decided.reason) : NOTHING;
    }),
    recordFreshLaunch: record(
      ({ facts, probe }) => (probe === null ? NOTHING : planLaunch(facts, probe, "fresh")),
      () => LAUNCHED,
    ),
    recordResumeLaunch: record(
      (context) => {
        const decided = decision(context);
        return decided?.kind === "launch" && context.probe !== null
          ? planLaunch(context.facts, context.probe, decided.mode)
          : NOTHING;
      },
      () => LAUNCHED,
    ),
    spawnAgent: sessionSetup.enqueueActions(({ context, enqueue }) => {
      enqueue.assign({ process: context.facts.launch?.epoch ?? null });
      enqueue.spawnChild("agentProcess", {
        id: "agent",
        input: { key: context.key, facts: context.facts },
      });
    }),

    /** With work in the background it is not to be reaped for somebody else. */
    announceIdle: sessionSetup.enqueueActions(({ context, enqueue }) => {
      const phase = context.background > 0 ? "background" : "idle";
      enqueue({ type: "announce", params: { phase } });
    }),

    // ── The process
    dropAgent: sessionSetup.enqueueActions(({ enqueue }) => {
      enqueue.stopChild("agent");
      enqueue.assign({ process: null });
    }),
    endAgent: endAgent(false),
    endAgentNow: endAgent(true),
    interruptAgent: sessionSetup.sendTo("agent", { type: "interrupt" }),
    recordStarted: recordOn("agent.spawned", (_, { epoch, pid, startedAt }) =>
      plan([{ type: "launch.started", epoch, pid, startedAt }]),
    ),
    recordBound: recordOn("agent.bound", ({ facts }, event) => planBound(facts, event)),
    recordReset: recordOn(
      "agent.reset",
      ({ facts }, event) => planReset(facts, event),
      (context) => withTurn(context, { cleared: true }),
    ),
    recordContext: recordOn("agent.context", ({ facts }, event) => planContext(facts, event)),
    recordCompacted: recordOn(
      "turn.compacted",
      (_, event) => planCompacted(event),
      (context, { ok, manual, detail }) =>
        ok && !manual ? {} : withTurn(context, { compaction: { ok, detail } }),
    ),
    recordRefused: recordOn(GONE, ({ facts }, event) => planRefused(facts, event)),
    recordUnavailable: recordOn(GONE, (_, event) => planUnavailable(event)),
    recordStartTimeout: record(({ limits }) =>
      planFailure("start-timeout", `no answer within ${round(limits.startMs / 1000)} s`),
    ),
    recordGone: recordOn(
      GONE,
      (_, event) => planGone(event, false),
      () => ({ turn: null }),
    ),
    recordDeath: recordOn(
      GONE,
      (_, event) => planGone(event, true),
      () => ({ turn: null }),
    ),
    /** A process we had to end because it was wedged counts as a death. */
    recordRestart: recordOn(
      GONE,
      ({ turn }, event) => planGone(event, turn?.ending === "quiet"),
      () => ({ turn: null }),
    ),
    recordCrashLimit: record((context) => planCrashLimit(context)),
    countBackground: recordOn(
      "agent.background",
      // With the end of the last task nobody is left who could have asked.
      ({ facts, turn }, { count }) =>
        turn === null && count === 0 ? planTurnOver(facts, "completed", 0) : NOTHING,
      (_, event) => ({ background: event.count }),
    ),

    // ── A turn
    giveNext: sessionSetup.enqueueActions(({ context, enqueue }) => {
      const message = nextMessage(context.facts);
      if (message === null) return;
      const { id: messageId, uuid } = message;
      const given = planGiven(context.facts);
      enqueue.assign({
        facts: foldFacts(context.facts, given.facts),
        turn: { ...agentTurn(""), origin: "user", messageId, uuid },
      });
      enqueue({ type: "commit", params: given });
      enqueue.sendTo("agent", { type: "prompt", messageId, uuid });
    }),
    recordAccepted: record(({ turn }) =>
      turn?.messageId == null ? NOTHING : plan([{ type: "message.accepted", id: turn.messageId }]),
    ),
    beginAgentTurn: recordOn(
      "turn.began",
      () => NOTHING,
      (_, event) => ({ turn: agentTurn(event.cause) }),
    ),
    trackTool: recordOn(
      ["turn.toolStarted", "turn.toolEnded"],
      ({ facts, turn }, event) => {
        if (event.type === "turn.toolEnded") return planEvidence(facts, event.toolUseId);
        const message = facts.messages.find((one) => one.id === turn?.messageId);
        return message?.toolsRan === false
          ? plan([{ type: "turn.toolRan", messageId: message.id }])
          : NOTHING;
      },
      (context, event) => {
        const others = (context.turn?.openTools ?? []).filter((id) => id !== event.toolUseId);
        return event.type === "turn.toolStarted"
          ? withTurn(context, { openTools: [...others, event.toolUseId] })
          : withTurn(context, { openTools: others });
      },
    ),
    recordTurnEnded: recordOn(
      "turn.ended",
      (context, event) =>
        joinPlans(
          planTurnOver(context.facts, event.outcome, context.background),
          planTurnEnded(context, event),
          planMeasured(context.facts, event),
        ),
      (context, event) => ({
        turn: null,
        provedByTurn: provedBy(context, event.outcome),
      }),
    ),
    recordOverflow: record(
      (context) =>
        joinPlans(
          planTurnOver(context.facts, "too-large", context.background),
          planOverflow(context),
        ),
      () => ({ turn: null }),
    ),
    recordRelay: recordOn(
      "turn.ended",
      (context, event) => joinPlans(planRelay(context, event), planMeasured(context.facts, event)),
      (context, event) => ({ provedByTurn: provedBy(context, event.outcome) }),
    ),
    recordAgentTurnEnded: recordOn(
      "turn.ended",
      (context, event) =>
        joinPlans(
          planTurnOver(context.facts, event.outcome, context.background),
          planRelay(context, event),
          planMeasured(context.facts, event),
        ),
      (context, event) => ({ turn: null, provedByTurn: provedBy(context, event.outcome) }),
    ),
    markStopped: record(
      () => NOTHING,
      (context) => withTurn(context, { ending: "user" }),
    ),
    markQuiet: record(
      () => NOTHING,
      (context) => withTurn(context, { ending: "quiet" }),
    ),
    /** Told with what becomes of its message. The user's own `/stop` was answered already. */
    markWedged: record(
      () => NOTHING,
      ({ turn }) => ({ wedged: turn?.ending === "quiet" }),
    ),

    // ── Approvals
    recordApproval: recordOn("approval.requested", ({ facts, turn }, { epoch, request }) =>
      planOpened(facts, epoch, turn?.messageId ?? null, request),
    ),
    recordDecision: recordOn("command.decide", ({ facts }, { commandId, requestId, decision }) =>
      planDecided(facts, commandId, requestId, decision),
    ),
    recordPick: recordOn("command.pick", ({ facts }, { commandId, requestId, question, option }) =>
      planPicked(facts, commandId, requestId, question, option),
    ),
    recordWithdrawn: recordOn("approval.withdrawn", ({ facts }, { requestId }) =>
      planWithdrawn(facts, requestId),
    ),
    sendDecision: sessionSetup.enqueueActions(({ event, enqueue }) => {
      if (event.type !== "command.decide") return;
      const { requestId, decision } = event;
      enqueue.sendTo("agent", { type: "decide", requestId, decision });
    }),
    denyUnasked: sessionSetup.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "approval.requested") return;
      const { requestId, tool } = event.request;
      const told = plan(
        [],
        [notice({ code: "approval-denied", tool }, context.turn?.messageId ?? null)],
      );
      enqueue({ type: "commit", params: told });
      enqueue.sendTo("agent", { type: "decide", requestId, decision: denied("no-person") });
    }),
    /** Written first, then passed on. */
    denyLate: sessionSetup.enqueueActions(({ context, enqueue }) => {
      const late = undecided(context.facts);
      const written = planTimedOut(context.facts);
      enqueue.assign({ facts: foldFacts(context.facts, written.facts) });
      enqueue({ type: "commit", params: written });
      for (const { request } of late) {
        const decision = denied("time-out");
        enqueue.sendTo("agent", { type: "decide", requestId: request.requestId, decision });
      }
    }),
    sayQueued: recordOn("message.received", (_, { id }) =>
      plan([], [notice({ code: "queued-behind-approval" }, id)]),
    ),
    /** A live process goes on with what was chosen; the next one is started with it. */
    configureAgent: sessionSetup.enqueueActions(({ context, event, enqueue }) => {
      if (event.type !== "command.choose") return;
      const { choice, value } = event;
      if (choice === "verbose" || context.process === null) return;
      enqueue.sendTo("agent", { type: "configure", settings: { [choice]: value } });
    }),
  },
});
