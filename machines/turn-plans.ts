import { measured, park, planAnswer, settles } from "./answer-plans.ts";
import { archiveBound, intendFresh } from "./commands.ts";
import { contextPercent } from "./context-usage.ts";
import {
  messageInFlight,
  nextMessage,
  withRoomAgain,
  type SessionFact,
  type SessionFacts,
} from "./facts.ts";
import { joinPlans, NOTHING, notice, plan, type Plan } from "./plan.ts";
import type { EpochEvent, SessionContext } from "./session-types.ts";

/** What the steps of a turn write; pure and total. */

type TurnEnded = Extract<EpochEvent, { type: "turn.ended" }>;

export function planGiven(facts: SessionFacts): Plan {
  const message = nextMessage(facts);
  const { launch } = facts;
  if (message === null || launch === null) return NOTHING;
  const transcript = launch.transcript ?? facts.bound?.transcript ?? null;
  return plan([{ type: "message.given", id: message.id, epoch: launch.epoch, transcript }]);
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
        planAnswer(facts, id, event.text, event.context, facts.launch, event.usage),
        facts.bound === null && !context.provedByTurn
          ? plan([], [notice({ code: "not-kept" })])
          : NOTHING,
      );
    case "local":
      return planLocal(context, id, event.text);
    case "too-large":
      return park(id, overflowsAlone(facts, id) ? "too-long" : "too-large");
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
  const { agentKind } = facts;
  return plan([answered], [{ kind: "answer", messageId, text, percent, agentKind, usage: null }]);
}

/** Nothing was said before it, and no tool has added to it: room for it cannot be made. */
function overflowsAlone({ bound, messages }: SessionFacts, id: number): boolean {
  const message = messages.find((one) => one.id === id);
  return (bound?.completedTurns ?? 0) === 0 && message?.toolsRan === false;
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

/** An urgent message ends the turn of the one before it. */
export function planOvertaken({ facts, turn }: SessionContext): Plan {
  const id = facts.messages.find((one) => one.id === turn?.messageId)?.id;
  return id === undefined
    ? NOTHING
    : plan([{ type: "message.cancelled", id }], [notice({ code: "overtaken" }, id)]);
}

/** A turn nobody asked for is relayed as such. */
export function planRelay(context: SessionContext, event: TurnEnded): Plan {
  const cause = context.turn?.origin === "agent" ? context.turn.cause : null;
  const percent = contextPercent(event.context ?? context.facts.context);
  const { agentKind } = context.facts;
  const { usage, text } = event;
  const said = event.text.trim() === "" || event.outcome === "interrupted";
  return plan(
    measured(event.context),
    said ? [] : [{ kind: "relay", text, cause, percent, agentKind, usage }],
  );
}
