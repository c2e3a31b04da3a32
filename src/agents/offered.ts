import type { AgentOffers } from "../../machines/vocabulary.ts";
import type { Agent } from "../ports.ts";

export interface OfferingAgent extends Agent {
  /** What it said last that may be chosen; null until it has said so. */
  offers(): AgentOffers | null;
}

/** An agent says what it offers when it starts, be it for a session or for a check. */
export function rememberOffers(agent: Agent): OfferingAgent {
  let offers: AgentOffers | null = null;
  return {
    ...agent,
    offers: () => offers,
    async check(signal) {
      const availability = await agent.check(signal);
      if (availability.usable) offers = availability.offers ?? offers;
      return availability;
    },
    launch: (request, emit) =>
      agent.launch(request, (event) => {
        if (event.type === "agent.offers") offers = event.offers;
        emit(event);
      }),
  };
}
