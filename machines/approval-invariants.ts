import type { OpenApproval, SessionFact, SessionFacts } from "./facts.ts";
import { foldFact } from "./fold.ts";
import type { Plan } from "./plan.ts";

/** Invariant 9: asked once, decided once, closed once, and none outlives its process untold. */
export function checkApprovals(before: SessionFacts, written: Plan): readonly string[] {
  const broken: string[] = [];
  let facts = before;
  for (const fact of written.facts) {
    broken.push(...checkFact(facts, fact));
    facts = foldFact(facts, fact);
  }
  return [...broken, ...checkShown(written)];
}

function checkFact({ approvals, launch }: SessionFacts, fact: SessionFact): readonly string[] {
  const find = (requestId: string): OpenApproval | undefined =>
    approvals.find((one) => one.request.requestId === requestId);
  switch (fact.type) {
    case "approval.opened": {
      const { requestId } = fact.request;
      const asks = launch !== null && !launch.exited && launch.epoch === fact.epoch;
      return [
        ...(asks ? [] : [`9: approval ${requestId} is opened without the process that asks`]),
        ...(find(requestId) === undefined ? [] : [`9: approval ${requestId} is opened twice`]),
      ];
    }
    case "approval.decided":
      return find(fact.requestId)?.decision === null
        ? []
        : [`9: approval ${fact.requestId} is decided although it is not open`];
    case "approval.closed": {
      const closed = find(fact.requestId);
      if (closed === undefined) return [`9: approval ${fact.requestId} is closed twice`];
      return fact.outcome === "allowed" && closed.decision?.allow !== true
        ? [`9: approval ${fact.requestId} is shown as allowed, which nobody did`]
        : [];
    }
    case "launch.exited":
      return approvals
        .filter((one) => one.epoch === fact.epoch)
        .map(({ request }) => `9: approval ${request.requestId} outlives its process`);
    default:
      return [];
  }
}

/** Every change of an approval is shown; one that is decided and closed at once, as closed. */
function checkShown(written: Plan): readonly string[] {
  const changed = new Set(
    written.facts.flatMap((fact) => {
      if (fact.type === "approval.opened") return [fact.request.requestId];
      return fact.type.startsWith("approval.") && "requestId" in fact ? [fact.requestId] : [];
    }),
  );
  const shown = written.say.filter((say) => say.kind === "approval").length;
  return shown === changed.size ? [] : [`9: ${shown} of ${changed.size} approvals are shown`];
}

/** Invariant 9 on entering `idle`: whoever waits there for a decision has no limit that ends the wait. */
export function checkIdle({ approvals }: SessionFacts): readonly string[] {
  return approvals
    .filter((one) => one.decision === null)
    .map(({ request }) => `9: approval ${request.requestId} waits although the session is idle`);
}

/** Invariant 9 at the moment a decision is passed on: it is written, and passed on once. */
export function checkDecision(
  passedOn: readonly string[],
  facts: SessionFacts,
  requestId: string,
): readonly string[] {
  if (passedOn.includes(requestId)) return [`9: the decision of ${requestId} is passed on twice`];
  const open = facts.approvals.find((one) => one.request.requestId === requestId);
  return open?.decision === null ? [`9: the decision of ${requestId} is not written`] : [];
}
