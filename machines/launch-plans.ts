import { ceil } from "./arithmetic.ts";
import { park, planAnswer } from "./answer-plans.ts";
import { archiveBound, intendFresh } from "./commands.ts";
import { planCleared } from "./context-restart.ts";
import { foldFacts } from "./fold.ts";
import {
  mayHaveProcess,
  messageInFlight,
  type FailureReason,
  type LaunchMode,
  type SessionFact,
  type SessionFacts,
} from "./facts.ts";
import type { FallbackReason, Probe } from "./launch.ts";
import { joinPlans, NOTHING, notice, plan, type Plan } from "./plan.ts";
import type { EpochEvent, SessionContext } from "./session-types.ts";

/** What the steps from one process to the next write; pure and total. */

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
      return message.toolsRan || lostTrace(facts, probe, message.transcript)
        ? cut
        : plan([{ type: "message.requeued", id, uuid: message.uuid }]);
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

/** The transcript was there once and is not, or not whole: that it lacks a prompt says nothing. */
function lostTrace({ bound }: SessionFacts, probe: Probe, transcript: string | null): boolean {
  if (bound === null || bound.transcript !== transcript) return false;
  return probe.bound === "missing" || probe.boundIncomplete;
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
    case "fresh": {
      const cleared = planCleared(facts);
      const left = cleared === NOTHING ? archiveBound(facts, "superseded") : [];
      // What was said since the context was cleared goes with it: nobody expects that.
      const again = cleared === NOTHING && facts.fresh !== null ? facts.bound : null;
      return joinPlans(
        cleared,
        plan(
          [...left, { type: "launch.intended", epoch, mode, ...probe.fresh }],
          again === null
            ? []
            : [notice({ code: "cleared-again", agentSessionId: again.agentSessionId })],
        ),
      );
    }
    case "resume": {
      const agentSessionId = facts.bound?.agentSessionId ?? null;
      const transcript = facts.bound?.transcript ?? null;
      const intended = {
        type: "launch.intended",
        epoch,
        mode,
        agentSessionId,
        transcript,
      } as const;
      return joinPlans(planIncomplete(facts, probe), plan([intended]));
    }
    case "fork":
      return plan([{ type: "launch.intended", epoch, mode, ...probe.fresh }]);
    case "continue":
      return plan([
        { type: "launch.intended", epoch, mode, agentSessionId: null, transcript: null },
      ]);
  }
}

/** What is left of a conversation is gone on with, and its user knows that it is not all. */
function planIncomplete({ bound }: SessionFacts, probe: Probe): Plan {
  if (bound === null || bound.prompts === null || !probe.boundIncomplete) return NOTHING;
  return plan(
    [{ type: "agentSession.incomplete", agentSessionId: bound.agentSessionId }],
    [notice({ code: "partly-kept" })],
  );
}

/** Whether the last deaths of the session's processes came too fast. */
export function diesTooOften(context: SessionContext): boolean {
  const { deaths } = context.facts;
  const last = deaths.at(-1);
  if (last === undefined) return false;
  const { crashMax, crashWindowMs } = context.limits;
  return deaths.filter((at) => last - at < crashWindowMs).length >= crashMax;
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
