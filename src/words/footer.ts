import { contextIndicator } from "../../machines/context-usage.ts";
import type { AgentKind, TurnUsage } from "../../machines/vocabulary.ts";
import type { UnitWords } from "./turn-words.ts";
import { wording, type Wording } from "./wording.ts";

/** The line under an answer: who gave it, what it took, how full the context is; null where nothing is known. */
export function answerFooter(
  units: UnitWords,
  answer: {
    readonly percent: number | null;
    readonly agentKind: AgentKind;
    readonly usage: TurnUsage | null;
  },
): Wording | null {
  const { percent, agentKind, usage } = answer;
  const { durationMs = null, costUsd = null } = usage ?? {};
  const indicator = contextIndicator(percent);
  const facts = [
    ...(usage === null ? [] : [agentKind]),
    ...(durationMs === null ? [] : [units.duration(durationMs)]),
    ...(costUsd === null ? [] : [units.cost(costUsd)]),
    ...(indicator === null ? [] : [indicator]),
  ];
  return facts.length === 0 ? null : wording(facts.join(" · "));
}

/** Under what is no whole answer. */
export function contextFooter(percent: number | null): Wording | null {
  const indicator = contextIndicator(percent);
  return indicator === null ? null : wording(indicator);
}
