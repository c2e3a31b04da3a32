import { describe, expect, it } from "vitest";
import { promptsIn } from "../support/conversation/transcripts.ts";
import type { FakeTelegram } from "../support/fake-telegram/server.ts";
import { createBench } from "../support/holdfast.ts";
import { bringWeather } from "../support/journey/faults.ts";
import { createPlan, type Plan } from "../support/journey/plan.ts";
import { keyOf, travel } from "../support/journey/travel.ts";
import { judgeAnswers, judgePenalties } from "../support/journey/verdict.ts";

/** `JOURNEY_SEED=7` goes by the plan and the faults of another one. */
const SEED = Number(process.env["JOURNEY_SEED"] ?? 4);

const SETTINGS = {
  HOLDFAST_AGENT: "scripted",
  HOLDFAST_LOG_LEVEL: "info",
  HOLDFAST_LIMIT_LIVE_AGENTS: "4",
  HOLDFAST_LIMIT_PROGRESS_AFTER_MS: "400",
  HOLDFAST_LIMIT_PROGRESS_GROUP_MS: "500",
  // A body that is cut is noticed when the call has taken too long.
  HOLDFAST_LIMIT_SEND_TIMEOUT_MS: "3000",
  HOLDFAST_LIMIT_POLL_TIMEOUT_MS: "3000",
  HOLDFAST_LIMIT_POLL_ABORT_MS: "5000",
};

function openForums(telegram: FakeTelegram, { topics }: Plan): void {
  for (const id of new Set(topics.map((topic) => topic.chatId))) {
    const ours = topics.filter((topic) => topic.chatId === id).map((topic) => topic.threadId);
    telegram.addChat({ id, type: "supergroup", isForum: true, topics: ours });
  }
}

describe(`a journey by the seed ${SEED}`, () => {
  it("gives 500 messages over 20 topics one answer each, in order, whatever breaks", async () => {
    await using bench = await createBench();
    const { telegram } = bench;
    const plan = createPlan(SEED);
    openForums(telegram, plan);
    const weather = bringWeather(telegram, SEED);
    const { crowd, killed, exitCode } = await travel(bench, plan, weather, SETTINGS);

    expect(judgeAnswers(plan, telegram.calls, crowd)).toEqual([]);
    expect(judgePenalties(telegram.calls)).toEqual([]);
    // An edit whose acknowledgement was lost is rightly made again.
    const known = /changes nothing$|while its 429 lasts$/;
    expect(telegram.violations.filter((one) => !known.test(one))).toEqual([]);
    expect(exitCode).toBe(0);
    // Nothing is left over, and no conversation was given up for a new one.
    for (const topic of plan.topics) {
      expect(bench.facts(keyOf(topic))).toMatchObject({ messages: [], archived: [] });
    }
    // No agent was given a message twice, unless its writer wanted it.
    const prompts = promptsIn(bench.stateDir);
    const timesGiven = plan.messages.map(({ name }) => [
      name,
      prompts.filter((text) => text === `message ${name}`).length,
    ]);
    expect(timesGiven).toEqual(
      plan.messages.map(({ name }) => [name, 1 + (crowd.decided.get(name)?.length ?? 0)]),
    );
    // And it was no easy journey.
    const processes = telegram.calls.filter(({ method }) => method === "getMe");
    expect(processes).toHaveLength(1 + plan.kills.length);
    expect(killed.size).toBe(plan.messages.filter(({ isDoomed }) => isDoomed).length);
    expect([...weather.counts.keys()]).toEqual(
      expect.arrayContaining(["429", "500", "reset", "lost-answer"]),
    );
  }, 150_000);
});
