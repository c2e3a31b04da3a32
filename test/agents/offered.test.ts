import { expect, it } from "vitest";
import { rememberOffers } from "../../src/agents/offered.ts";
import type { AgentEvent, AgentOffers } from "../../machines/vocabulary.ts";
import type { Agent, LaunchRequest } from "../../src/ports.ts";

const offersOf = (...modes: string[]): AgentOffers => ({ models: [], modes, efforts: [] });

/** An agent that offers one thing when it is checked, and another when it runs. */
function agentWith(checked: AgentOffers | null): Agent {
  return {
    check: async () => ({ usable: true, version: "1", offers: checked }),
    launch: (_request: LaunchRequest, emit: (event: AgentEvent) => void) => {
      emit({ type: "agent.offers", offers: offersOf("launched") });
      return {};
    },
  } as unknown as Agent;
}

it("what an agent offers is known once it was checked or launched, the last word counts", async () => {
  const agent = rememberOffers(agentWith(offersOf("checked")));
  expect(agent.offers()).toBeNull();
  await agent.check();
  expect(agent.offers()).toEqual(offersOf("checked"));
  const heard: AgentEvent[] = [];
  agent.launch({} as LaunchRequest, (event) => void heard.push(event));
  expect(agent.offers()).toEqual(offersOf("launched"));
  expect(heard).toHaveLength(1);
});

it("a check that says nothing of it takes nothing back", async () => {
  const agent = rememberOffers(agentWith(null));
  agent.launch({} as LaunchRequest, () => {});
  await agent.check();
  expect(agent.offers()).toEqual(offersOf("launched"));
});
