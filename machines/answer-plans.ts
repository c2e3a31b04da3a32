import { contextPercent } from "./context-usage.ts";
import type { Launch, ParkReason, SessionFact, SessionFacts } from "./facts.ts";
import { notice, plan, type Plan } from "./plan.ts";
import type { ContextSize, TurnUsage } from "./vocabulary.ts";

/** How a message ends, be it by its turn or by what a transcript says after a crash. */

/** Only a completed turn of a fresh launch at or after the intent settles it. */
export function settles(facts: SessionFacts, launch: Launch | null): boolean {
  return facts.fresh !== null && launch?.mode === "fresh" && launch.epoch >= facts.fresh.epoch;
}

export function planAnswer(
  facts: SessionFacts,
  messageId: number,
  text: string,
  context: ContextSize | null,
  launch: Launch | null,
  usage: TurnUsage | null = null,
): Plan {
  const { agentKind } = facts;
  const percent = contextPercent(context ?? facts.context);
  const prompt = facts.messages.find((one) => one.id === messageId)?.uuid;
  const epoch = launch?.epoch ?? facts.epoch;
  return plan(
    [
      { type: "message.answered", id: messageId },
      { type: "turn.completed", epoch, ...(prompt === undefined ? {} : { prompt }) },
      ...(settles(facts, launch) ? [{ type: "fresh.settled", epoch } as const] : []),
      ...measured(context),
    ],
    [{ kind: "answer", messageId, text, percent, agentKind, usage }],
  );
}

export function measured(context: ContextSize | null): readonly SessionFact[] {
  return context === null ? [] : [{ type: "context.measured", context }];
}

export function park(id: number, reason: Exclude<ParkReason, "tool-ran">): Plan {
  return plan([{ type: "message.parked", id, reason }], [notice({ code: "parked", reason }, id)]);
}
