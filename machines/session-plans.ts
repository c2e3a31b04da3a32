import { ceil } from "./arithmetic.ts";
import { archiveBound, intendFresh } from "./commands.ts";
import { contextPercent } from "./context-usage.ts";
import {
  foldFacts,
  mayHaveProcess,
  messageInFlight,
  nextMessage,
  withRoomAgain,
  type FailureReason,
  type Launch,
  type LaunchMode,
  type ParkReason,
  type SessionFact,
  type SessionFacts,
} from "./facts.ts";
import type { FallbackReason, Probe } from "./launch.ts";
import { joinPlans, NOTHING, notice, plan, type Plan } from "./plan.ts";
import type { EpochEvent, SessionContext } from "./session-types.ts";
import type { ContextSize } from "./vocabulary.ts";

/** What each step of a session writes; pure, total, and the only place that does. */

type TurnEnded = Extract<EpochEvent, { type: "turn.ended" }>;

// ── Before a launch ──────────────────────────────────────────────────────────

/**
 * Takes over what a probe found: the old process is gone, its session is bound, the message in
 * flight is settled. `wedged`: the process had to be ended, which is told here and once.
 */
export function planRecovery(facts: SessionFacts, probe: Probe, wedged: boolean): Plan {
  const found = plan([
    ...bindWorkspace(facts, probe),
    ...exitLast(facts),
    ...bindLast(facts, probe),
  ]);
  const settled = planInFlight(foldFacts(facts, found.facts), probe, wedged);
  const told = settled.say.some((say) => say.kind === "notice");
  const ended = wedged && !told ? plan([], [notice({ code: "wedged" })]) : NOTHING;
  return joinPlans(found, ended, settled);
}

function bindWorkspace(facts: SessionFacts, probe: Probe): readonly SessionFact[] {
  if (!probe.workspace.ok || facts.workspace === probe.workspace.path) return [];
  return [{ type: "workspace.bound", path: probe.workspace.path, agentKind: facts.agentKind }];
}

function exitLast(facts: SessionFacts): readonly SessionFact[] {
  if (facts.launch === null || !mayHaveProcess(facts)) return [];
  return [{ type: "launch.exited", epoch: facts.launch.epoch, crashedAt: null }];
}

/** A launch whose transcript appeared, although the service died before it could say so. */
function bindLast(facts: SessionFacts, probe: Probe): readonly SessionFact[] {
  const { launch } = facts;
  if (launch?.agentSessionId == null || launch.transcript === null || probe.last !== "present") {
    return [];
  }
  const { agentSessionId, transcript } = launch;
  const known =
    facts.bound?.agentSessionId === agentSessionId ||
    facts.archived.some((one) => one.agentSessionId === agentSessionId);
  const bound = facts.bound !== null && !facts.bound.borrowed;
  const superseded = bound || (facts.fresh?.epoch ?? 0) > launch.epoch;
  if (known || superseded) return [];
  const { agentKind } = facts;
  return [{ type: "agentSession.bound", agentSessionId, transcript, agentKind, model: null }];
}

/** The transcript decides what becomes of the message in flight. */
function planInFlight(facts: SessionFacts, probe: Probe, wedged: boolean): Plan {
  const message = messageInFlight(facts);
  if (message === null) return NOTHING;
  const { id } = message;
  const cut = park(id, wedged ? "wedged" : "cut-short");
  switch (probe.trace?.found) {
    case "absent":
      // The transcript lags behind by some 200 ms: what a tool did may not stand in it.
      return message.toolsRan ? cut : plan([{ type: "message.requeued", id, uuid: message.uuid }]);
    case "finished": {
      const { text, context } = probe.trace;
      const sameLaunch = facts.launch?.epoch === message.epoch ? facts.launch : null;
      return planAnswer(facts, id, text, context, sameLaunch);
    }
    case "unfinished":
    case undefined:
      return cut;
  }
}

/** The message that the dying processes had is put to the user, or it would hold up every later one. */
export function planCrashLimit({ facts, limits }: SessionContext): Plan {
  const message = messageInFlight(facts);
  const reason = "crash-limit";
  const detail = `${limits.crashMax} times within ${ceil(limits.crashWindowMs / 60_000)} min`;
  const parked = message !== null;
  return plan(
    [
      ...(parked ? [{ type: "message.parked", id: message.id, reason: "cut-short" } as const] : []),
      { type: "session.failed", reason, detail },
    ],
    [notice({ code: "launch-failed", reason, detail, parked }, message?.id ?? null)],
  );
}

export function planFailure(reason: FailureReason, detail: string): Plan {
  return plan(
    [{ type: "session.failed", reason, detail }],
    [notice({ code: "launch-failed", reason, detail, parked: false })],
  );
}

export function planFallback(facts: SessionFacts, reason: FallbackReason): Plan {
  return plan(
    [...archiveBound(facts, reason), intendFresh(facts, reason)],
    [notice({ code: "context-lost", reason, parked: false })],
  );
}

export function planLaunch(facts: SessionFacts, probe: Probe, mode: LaunchMode): Plan {
  const epoch = facts.epoch + 1;
  switch (mode) {
    case "fresh":
      return plan([
        ...archiveBound(facts, "superseded"),
        { type: "launch.intended", epoch, mode, ...probe.fresh },
      ]);
    case "resume": {
      const agentSessionId = facts.bound?.agentSessionId ?? null;
      const transcript = facts.bound?.transcript ?? null;
      return plan([{ type: "launch.intended", epoch, mode, agentSessionId, transcript }]);
    }
    case "fork":
      return plan([{ type: "launch.intended", epoch, mode, ...probe.fresh }]);
    case "continue":
      return plan([
        { type: "launch.intended", epoch, mode, agentSessionId: null, transcript: null },
      ]);
  }
}

// ── The process ──────────────────────────────────────────────────────────────

type ProcessGone = Extract<
  EpochEvent,
  { type: "agent.exited" | "agent.refused" | "agent.unavailable" }
>;

/** `crashed`: it counts towards the crash limit. */
export function planGone(event: ProcessGone, crashed: boolean): Plan {
  const crashedAt = crashed && event.type === "agent.exited" ? event.at : null;
  return plan([{ type: "launch.exited", epoch: event.epoch, crashedAt }]);
}

/** A launch that cannot be used. */
export function planUnavailable(event: ProcessGone): Plan {
  const reason = event.type === "agent.unavailable" ? event.reason : "start-failed";
  const detail = event.type === "agent.exited" ? event.stderr : event.detail;
  return joinPlans(planGone(event, false), planFailure(reason, detail));
}

export function planRefused(facts: SessionFacts, event: ProcessGone): Plan {
  return joinPlans(planGone(event, false), planFallback(facts, "resume-refused"));
}

export function planBound(
  facts: SessionFacts,
  event: Extract<EpochEvent, { type: "agent.bound" }>,
): Plan {
  const { agentSessionId, transcript, model } = event;
  const { bound, agentKind } = facts;
  // The user has asked for a cleared context since: this launch's session is no longer wanted.
  if (facts.fresh !== null && facts.fresh.epoch > event.epoch) return NOTHING;
  const same = bound?.agentSessionId === agentSessionId && bound.transcript === transcript;
  if (same && (model === null || bound.model === model)) return NOTHING;
  return plan([{ type: "agentSession.bound", agentSessionId, transcript, agentKind, model }]);
}

/** A typed `/clear`: the intent is armed at once and governs the running launch. */
export function planReset(
  facts: SessionFacts,
  event: Extract<EpochEvent, { type: "agent.reset" }>,
): Plan {
  const { epoch, agentSessionId, transcript } = event;
  return plan([
    ...archiveBound(facts, "clear"),
    { type: "fresh.intended", epoch, reason: "clear" },
    { type: "launch.reset", epoch, agentSessionId, transcript },
  ]);
}

// ── A turn ───────────────────────────────────────────────────────────────────

export function planGiven(facts: SessionFacts): Plan {
  const message = nextMessage(facts);
  const { launch } = facts;
  if (message === null || launch === null) return NOTHING;
  const transcript = launch.transcript ?? facts.bound?.transcript ?? null;
  return plan([{ type: "message.given", id: message.id, epoch: launch.epoch, transcript }]);
}

/** Only a completed turn of a fresh launch at or after the intent settles it. */
export function settles(facts: SessionFacts, launch: Launch | null): boolean {
  return facts.fresh !== null && launch?.mode === "fresh" && launch.epoch >= facts.fresh.epoch;
}

function planAnswer(
  facts: SessionFacts,
  messageId: number,
  text: string,
  context: ContextSize | null,
  launch: Launch | null,
): Plan {
  const percent = contextPercent(context ?? facts.context);
  return plan(
    [
      { type: "message.answered", id: messageId },
      { type: "turn.completed", epoch: launch?.epoch ?? facts.epoch },
      ...(settles(facts, launch)
        ? [{ type: "fresh.settled", epoch: launch?.epoch ?? facts.epoch } as const]
        : []),
      ...measured(context),
    ],
    [{ kind: "answer", messageId, text, percent }],
  );
}

function measured(context: ContextSize | null): readonly SessionFact[] {
  return context === null ? [] : [{ type: "context.measured", context }];
}

/** Whether an overflow is the resume's fault: the turn is the first since it. */
export function isOverflowOfResume(context: SessionContext): boolean {
  const mode = context.facts.launch?.mode;
  return !context.provedByTurn && mode !== undefined && mode !== "fresh";
}

/** The first turn after a resume did not fit: the session is given up, the message goes to a fresh one. */
export function planOverflow(context: SessionContext): Plan {
  const { facts } = context;
  const message = messageInFlight(facts);
  const parked = message?.toolsRan ?? false;
  const facts_: SessionFact[] = [
    ...archiveBound(facts, "too-large"),
    intendFresh(facts, "too-large"),
  ];
  if (message !== null) {
    facts_.push(
      parked
        ? { type: "message.parked", id: message.id, reason: "tool-ran" }
        : { type: "message.requeued", id: message.id, uuid: message.uuid },
    );
  }
  const lost = { code: "context-lost", reason: "too-large", parked } as const;
  return plan(facts_, [notice(lost, message?.id ?? null)]);
}

/** The end of the user's turn, save an overflow of a resume. */
export function planTurnEnded(context: SessionContext, event: TurnEnded): Plan {
  const { facts, turn } = context;
  const id = turn?.messageId ?? null;
  const open = facts.messages.some((one) => one.id === id);
  if (id === null || !open) return planEndedUnheard(facts, event);
  switch (event.outcome) {
    case "completed":
      return joinPlans(
        planAnswer(facts, id, event.text, event.context, facts.launch),
        facts.bound === null && !context.provedByTurn
          ? plan([], [notice({ code: "not-kept" })])
          : NOTHING,
      );
    case "local":
      return planLocal(context, id, event.text);
    case "too-large":
      return park(id, "too-large");
    case "swallowed":
      return park(id, "swallowed");
    case "interrupted":
      return turn?.ending === "quiet"
        ? joinPlans(planPartial(facts, id, event), park(id, "quiet"))
        : plan(
            [{ type: "message.failed", id, reason: "interrupted" }],
            [notice({ code: "turn-interrupted" }, id)],
          );
    case "failed":
      return plan(
        [{ type: "message.failed", id, reason: event.text }, ...measured(event.context)],
        [notice({ code: "turn-failed", detail: event.text }, id)],
      );
  }
}

/** A local command: nothing was asked of the model, and some of them say nothing themselves. */
function planLocal({ facts, turn }: SessionContext, messageId: number, text: string): Plan {
  const answered = { type: "message.answered", id: messageId } as const;
  if (turn?.cleared === true) {
    const roomy = withRoomAgain(facts);
    const waiting = facts.messages.filter((one) => one.state === "received").length;
    const cleared = {
      code: "new-context",
      cancelled: null,
      waiting: waiting + roomy.length,
    } as const;
    return plan([answered, ...roomy], [notice(cleared, messageId)]);
  }
  if (turn?.compaction?.ok === true) {
    const roomy = withRoomAgain(facts);
    const compacted = { code: "compacted", manual: true, requeued: roomy.length } as const;
    return plan([answered, ...roomy], [notice(compacted, messageId)]);
  }
  if (turn?.compaction?.ok === false) {
    const { detail } = turn.compaction;
    return plan(
      [{ type: "message.failed", id: messageId, reason: detail }],
      [notice({ code: "compact-failed", detail }, messageId)],
    );
  }
  const percent = contextPercent(facts.context);
  return plan([answered], [{ kind: "answer", messageId, text, percent }]);
}

function planPartial(facts: SessionFacts, messageId: number, event: TurnEnded): Plan {
  const percent = contextPercent(event.context ?? facts.context);
  return event.text.trim() === ""
    ? NOTHING
    : plan([], [{ kind: "partial", messageId, text: event.text, percent }]);
}

/** Every turn is measured, whatever became of it. */
export function planMeasured(facts: SessionFacts, event: TurnEnded): Plan {
  const { epoch, usage, selfReportedPercent } = event;
  const sdkPercent = contextPercent(event.context);
  if (usage === null && sdkPercent === null && selfReportedPercent === null) return NOTHING;
  return plan([
    {
      type: "turn.measured",
      epoch,
      model: facts.bound?.model ?? null,
      sdkPercent,
      selfReportedPercent,
      inputTokens: usage?.inputTokens ?? null,
      outputTokens: usage?.outputTokens ?? null,
    },
  ]);
}

/** Known outside a turn. */
export function planContext(
  facts: SessionFacts,
  { context }: Extract<EpochEvent, { type: "agent.context" }>,
): Plan {
  const same = facts.context?.used === context.used && facts.context.window === context.window;
  return same ? NOTHING : plan(measured(context));
}

/** One that the agent made by itself is told; one that the user asked for is answered at its turn's end. */
export function planCompacted(event: Extract<EpochEvent, { type: "turn.compacted" }>): Plan {
  if (!event.ok || event.manual) return NOTHING;
  return plan([], [notice({ code: "compacted", manual: false, requeued: 0 })]);
}

/** Its message has ended already (a `/stop` that came too late): the turn still counts. */
function planEndedUnheard(facts: SessionFacts, event: TurnEnded): Plan {
  const { epoch } = event;
  if (event.outcome !== "completed") return plan(measured(event.context));
  return plan([
    { type: "turn.completed", epoch },
    ...(settles(facts, facts.launch) ? [{ type: "fresh.settled", epoch } as const] : []),
    ...measured(event.context),
  ]);
}

function park(id: number, reason: Exclude<ParkReason, "tool-ran">): Plan {
  return plan([{ type: "message.parked", id, reason }], [notice({ code: "parked", reason }, id)]);
}

/** A turn nobody asked for is relayed as such. */
export function planRelay(context: SessionContext, event: TurnEnded): Plan {
  const cause = context.turn?.origin === "agent" ? context.turn.cause : "";
  const percent = contextPercent(event.context ?? context.facts.context);
  const said = event.text.trim() === "" || event.outcome === "interrupted";
  return plan(
    measured(event.context),
    said ? [] : [{ kind: "relay", text: event.text, cause, percent }],
  );
}

// ── Limits ───────────────────────────────────────────────────────────────────

/** Whether the last deaths of the session's processes came too fast. */
export function diesTooOften(context: SessionContext): boolean {
  const { deaths } = context.facts;
  const last = deaths.at(-1);
  if (last === undefined) return false;
  const { crashMax, crashWindowMs } = context.limits;
  return deaths.filter((at) => last - at < crashWindowMs).length >= crashMax;
}
