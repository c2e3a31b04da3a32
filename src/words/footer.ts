import { contextIndicator } from "../../machines/context-usage.ts";
import type { AgentKind, TurnUsage } from "../../machines/vocabulary.ts";
import { duration } from "./progress-view.ts";

/** The line under an answer: who gave it, what it took, how full the context is; null where nothing is known. */
export function answerFooter(answer: {
  readonly percent: number | null;
  readonly agentKind: AgentKind;
  readonly usage: TurnUsage | null;
}): string | null {
  const { percent, agentKind, usage } = answer;
  const { durationMs = null, costUsd = null } = usage ?? {};
  const indicator = contextIndicator(percent);
  const facts = [
    ...(usage === null ? [] : [agentKind]),
    ...(durationMs === null ? [] : [duration(durationMs)]),
    ...(costUsd === null ? [] : [cost(costUsd)]),
    ...(indicator === null ? [] : [indicator]),
  ];
  return facts.length === 0 ? null : facts.join(" · ");
}

/** `$0.03`; what is less than a cent is said to be that. */
function cost(usd: number): string {
  return usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}
