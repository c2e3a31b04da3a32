import type { ApprovalOutcome, OpenApproval, SessionFact, SessionFacts } from "./facts.ts";
import { NOTHING, notice, plan, type Plan, type Say } from "./plan.ts";
import type { ApprovalDecision, ApprovalRequest, TurnOutcome } from "./vocabulary.ts";

/**
 * What the agent asks a person, from the question to its outcome. Each is a
 * fact before it is shown, decided once, and closed only when there is evidence
 * of what came of it.
 */

export function undecided(facts: SessionFacts): readonly OpenApproval[] {
  return facts.approvals.filter((one) => one.decision === null);
}

export function findUndecided(facts: SessionFacts, requestId: string): OpenApproval | null {
  return undecided(facts).find((one) => one.request.requestId === requestId) ?? null;
}

/** The same question is not put twice. */
export function planOpened(
  facts: SessionFacts,
  epoch: number,
  messageId: number | null,
  request: ApprovalRequest,
): Plan {
  if (facts.approvals.some((one) => one.request.requestId === request.requestId)) return NOTHING;
  const opened: OpenApproval = { request, epoch, messageId, picks: [], decision: null };
  return plan(
    [{ type: "approval.opened", epoch, messageId, request }],
    [show(opened, { stage: "open" })],
  );
}

/** `commandId`: of the press or the text that decides. */
export function planDecided(
  facts: SessionFacts,
  commandId: number,
  requestId: string,
  decision: ApprovalDecision,
): Plan {
  const approval = findUndecided(facts, requestId);
  if (approval === null) return planGoneApproval(commandId);
  return plan(
    [{ type: "approval.decided", requestId, decision }],
    [show({ ...approval, decision }, { stage: "sent" })],
    [commandId],
  );
}

/** An option of a question with several choices is turned on or off; of one with a single choice, chosen. */
export function planPicked(
  facts: SessionFacts,
  commandId: number,
  requestId: string,
  question: number,
  option: number,
): Plan {
  const approval = findUndecided(facts, requestId);
  const asked = approval?.request.questions[question];
  if (approval === null || asked?.options[option] === undefined) return planGoneApproval(commandId);
  const before = approval.picks[question] ?? [];
  const toggled = before.includes(option)
    ? before.filter((one) => one !== option)
    : [...before, option].toSorted((a, b) => a - b);
  const picks = approval.request.questions.map((_, at) =>
    at === question ? (asked.multiSelect ? toggled : [option]) : (approval.picks[at] ?? []),
  );
  return plan(
    [{ type: "approval.picked", requestId, picks }],
    [show({ ...approval, picks }, { stage: "open" })],
    [commandId],
  );
}

/** It was settled, withdrawn or lost its process before it was decided. */
export function planGoneApproval(commandId: number): Plan {
  return plan([], [notice({ code: "approval-gone" })], [commandId]);
}

/** The end of a tool call is the evidence of what came of the decision about it. */
export function planEvidence(facts: SessionFacts, toolUseId: string): Plan {
  return close(
    facts.approvals.filter((one) => one.decision !== null && one.request.toolUseId === toolUseId),
    decidedOutcome,
  );
}

export function planWithdrawn(facts: SessionFacts, requestId: string): Plan {
  return close(
    facts.approvals.filter((one) => one.request.requestId === requestId),
    () => "withdrawn",
  );
}

/**
 * A turn that ended was not held up by any question any more. Only work in the
 * background can still ask; what was decided for it is not undone by an interrupt.
 */
export function planTurnOver(facts: SessionFacts, outcome: TurnOutcome, background: number): Plan {
  const interrupted = outcome === "interrupted";
  const over = facts.approvals.filter(
    ({ decision }) => background === 0 || (decision !== null && !interrupted),
  );
  return close(over, (one) => (interrupted ? "withdrawn" : decidedOutcome(one)));
}

/** None outlives its process. */
export function planExpired(facts: SessionFacts): Plan {
  return close(facts.approvals, () => "expired");
}

/** Nobody answered in time. */
export function planTimedOut(facts: SessionFacts): Plan {
  const late = undecided(facts);
  const decision = { allow: false, reason: "time-out" } as const;
  const closed = close(late, () => "timed-out");
  return plan(
    [
      ...late.map(
        ({ request: { requestId } }) =>
          ({ type: "approval.decided", requestId, decision }) as const,
      ),
      ...closed.facts,
    ],
    [
      ...closed.say,
      ...late.map(({ request: { tool }, messageId }) =>
        notice({ code: "approval-timed-out", tool }, messageId),
      ),
    ],
  );
}

function decidedOutcome({ decision, request }: OpenApproval): ApprovalOutcome {
  if (decision === null) return "withdrawn";
  if (!decision.allow) return "denied";
  return request.kind === "question" ? "answered" : "allowed";
}

function close(
  approvals: readonly OpenApproval[],
  outcomeOf: (approval: OpenApproval) => ApprovalOutcome,
): Plan {
  if (approvals.length === 0) return NOTHING;
  const closed = approvals.map((approval) => ({ approval, outcome: outcomeOf(approval) }));
  return plan(
    closed.map(({ approval, outcome }): SessionFact => ({
      type: "approval.closed",
      requestId: approval.request.requestId,
      outcome,
    })),
    closed.map(({ approval, outcome }) => show(approval, { stage: "closed", outcome })),
  );
}

function show(approval: OpenApproval, stage: Extract<Say, { kind: "approval" }>["shown"]): Say {
  return { kind: "approval", approval, shown: stage };
}
