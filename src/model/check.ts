import { sessionMachine } from "../../machines/session.ts";
import { explore, type Exploration } from "./explore.ts";
import type { Budget, SessionMachine } from "./world.ts";

const NONE: Budget = {
  messages: 0,
  news: 0,
  stops: 0,
  answers: 0,
  resumes: 0,
  crashes: 0,
  deaths: 0,
  refusals: 0,
  unavailable: 0,
  failures: 0,
  overflows: 0,
  losses: 0,
  cuts: 0,
  agentTurns: 0,
  stale: 0,
  shutdowns: 0,
  quiet: 0,
  background: 0,
  urgents: 0,
  compactions: 0,
  takes: 0,
  asks: 0,
  decisions: 0,
  clearings: 0,
  legacy: 0,
};

/**
 * What is explored: each scenario lets some things happen, as often as it
 * says, in every order. One with everything at once would not end.
 */
export const SCENARIOS: Readonly<Record<string, Budget>> = {
  "crashes at every step": { ...NONE, messages: 2, crashes: 2, answers: 1 },
  "deaths and crashes": { ...NONE, messages: 2, crashes: 1, deaths: 2, answers: 1 },
  "refused resumes": { ...NONE, messages: 2, crashes: 1, refusals: 1, unavailable: 1, losses: 1 },
  "overflowing resumes": { ...NONE, messages: 3, crashes: 1, overflows: 2 },
  "the user clears the context": { ...NONE, messages: 2, crashes: 1, news: 2, stale: 1 },
  "old results": { ...NONE, messages: 2, news: 1, stale: 2, deaths: 1 },
  "the legacy setting": { ...NONE, messages: 2, crashes: 1, deaths: 1, news: 1, legacy: 1 },
  "the user stops": { ...NONE, messages: 2, crashes: 1, stops: 2 },
  "urgent messages": { ...NONE, messages: 1, urgents: 1, crashes: 1, deaths: 1, agentTurns: 1 },
  "a wedged agent": { ...NONE, messages: 1, crashes: 1, quiet: 3, stops: 1, answers: 1 },
  "a shutdown": { ...NONE, messages: 2, crashes: 1, shutdowns: 1, deaths: 1 },
  "archived sessions": { ...NONE, messages: 2, news: 1, resumes: 1, refusals: 1, losses: 1 },
  "cut transcripts": { ...NONE, messages: 2, crashes: 1, deaths: 1, cuts: 2, losses: 1 },
  "the agent clears its context": {
    ...NONE,
    messages: 2,
    crashes: 1,
    clearings: 1,
    background: 1,
    news: 1,
  },
  "conversations of other chats": {
    ...NONE,
    messages: 2,
    crashes: 1,
    takes: 1,
    refusals: 1,
    losses: 1,
  },
  compactions: { ...NONE, messages: 2, overflows: 1, compactions: 1, news: 1, crashes: 1 },
  "work in the background": { ...NONE, messages: 2, crashes: 1, background: 2, agentTurns: 1 },
  approvals: { ...NONE, messages: 1, crashes: 1, asks: 2, decisions: 3, stops: 1, deaths: 1 },
  "approvals in the background": {
    ...NONE,
    messages: 2,
    crashes: 1,
    background: 2,
    asks: 1,
    decisions: 1,
    deaths: 1,
  },
  "turns of the agent": { ...NONE, messages: 2, crashes: 1, agentTurns: 2, failures: 1, stops: 1 },
};

export function checkScenario(
  name: string,
  machine: SessionMachine = sessionMachine,
  maxStates = 400_000,
): Exploration {
  const budget = SCENARIOS[name];
  if (budget === undefined) throw new Error(`No scenario "${name}"`);
  return explore(machine, { budget, maxStates, now: () => performance.now() });
}
