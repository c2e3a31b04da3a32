import { archiveBound, intendFresh } from "./commands.ts";
import type { SessionFacts } from "./facts.ts";
import { NOTHING, notice, plan, type Plan } from "./plan.ts";

/**
 * A cleared context at the agent's own wish. The intent is durable when the
 * agent hears that it will be done; it governs the next launch, so the turn
 * that asked runs on to its end.
 */

export function planContextAsked(facts: SessionFacts): Plan {
  return owesClearing(facts) ? NOTHING : plan([intendFresh(facts, "context-restart")]);
}

/** Whether the conversation that the agent wanted to leave is still there. */
export function owesClearing({ fresh, epoch }: SessionFacts): boolean {
  return fresh?.reason === "context-restart" && fresh.epoch > epoch;
}

/** The conversation is left; it stays listed for `/resume`. */
export function planCleared(facts: SessionFacts): Plan {
  if (!owesClearing(facts) || facts.bound === null) return NOTHING;
  const { agentSessionId } = facts.bound;
  const waiting = facts.messages.filter((one) => one.state === "received").length;
  return plan(archiveBound(facts, "context-restart"), [
    notice({ code: "context-cleared-by-agent", agentSessionId, waiting }),
  ]);
}
