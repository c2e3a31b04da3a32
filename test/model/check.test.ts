import { describe, expect, it } from "vitest";
import type { LaunchMode, SessionFact } from "../../machines/facts.ts";
import {
  checkLaunch,
  checkMessages,
  checkPlan,
  checkReap,
  type Ghost,
} from "../../machines/invariants.ts";
import { notice, plan } from "../../machines/plan.ts";
import { sessionMachine } from "../../machines/session.ts";
import { checkScenario, SCENARIOS } from "../../src/model/check.ts";
import { initialWorld, type SessionMachine } from "../../src/model/world.ts";
import { bound, exited, factsOf, intended, ONE_TURN, received } from "../support/facts.ts";

type GuardName = keyof typeof sessionMachine.implementations.guards;

/** The session machine with one guard that always gives the same answer. */
function broken(guard: GuardName, answer: boolean): SessionMachine {
  return sessionMachine.provide({ guards: { [guard]: () => answer } });
}

describe("the checker", () => {
  it.each(["archived sessions", "refused resumes"])(
    "walks through every state of the scenario %s and finds no rule broken",
    (scenario) => {
      const found = checkScenario(scenario);
      expect(found).toMatchObject({ violation: null, truncated: false });
      expect(found.states).toBeGreaterThan(1_000);
      expect(found.transitions).toBeGreaterThan(found.states);
      expect([...found.values]).toEqual(
        expect.arrayContaining(["normalizing.probing", "resuming", "fresh-fallback", "idle"]),
      );
    },
  );

  it.each([
    ["isCurrent", true, "old results", /^[16]: /],
    ["commandEndsLaunch", false, "archived sessions", /^4: a message is given to another session/],
    ["overflowsResume", false, "overflowing resumes", /^8: a session that is too large/],
    ["owesClearing", false, "the agent clears its context", /^2: message \d is given to a context/],
    ["canReap", true, "work in the background", /^10: reaped with something queued/],
    ["hasNothingToDo", true, "archived sessions", /^6: a message can never end/],
    ["isUnavailable", true, "archived sessions", /^6: a message can never end/],
    ["needsFallback", false, "refused resumes", /^8: session s1 is given up/],
    ["needsFallback", true, "crashes at every step", /^8: session s1 is given up/],
    ["isPendingFallback", true, "crashes at every step", /^8: session s1 is given up/],
    ["mayResume", false, "crashes at every step", /^8: session s1 is given up/],
    ["hasNext", false, "refused resumes", /^6: a message can never end/],
    ["isDone", true, "the user clears the context", /^[15]: /],
    ["isDone", false, "refused resumes", /^6: a message can never end/],
    ["endsUsersTurn", false, "refused resumes", /^6: a message can never end/],
    ["endsUsersTurn", true, "the user clears the context", /^6: message 1 is answered although/],
    ["endsAgentsTurn", true, "the user clears the context", /^6: a second prompt is given/],
    ["decides", true, "approvals", /^9: the decision of/],
    ["decidesLast", true, "approvals", /^9: the decision of/],
    ["hasUndecided", false, "approvals in the background", /^9: approval .* waits although/],
    ["hasNoUndecided", true, "approvals in the background", /^9: approval .* waits although/],
  ] as const)(
    "catches a machine whose guard %s always says %s, in %s",
    (guard, answer, scenario, rule) => {
      const { violation, truncated } = checkScenario(scenario, broken(guard, answer), 20_000);
      expect(truncated).toBe(false);
      expect(violation?.rules[0]).toMatch(rule);
      const trace = violation?.trace ?? [];
      expect(trace[0]).toMatch(/^the user sends message 1/);
      for (const move of trace) expect(move).toMatch(/^(the|an|a|time) [a-z0-9 ,:;.#$'()\-A-Z]+$/);
    },
  );

  it("gives the shortest way to a broken rule, move by move", () => {
    const { violation } = checkScenario("crashes at every step", broken("needsFallback", true));
    expect(violation?.trace).toMatchInlineSnapshot(`
      [
        "the user sends message 1",
        "the user sends message 2",
        "the probe answers",
        "the agent is ready; the service crashes",
        "the service boots",
        "the probe answers, the old agent had finished",
      ]
    `);
  });

  it("claims nothing about what it has not walked through", () => {
    const found = checkScenario("the user stops", sessionMachine, 500);
    expect(found).toMatchObject({ truncated: true, violation: null });
  });

  it("knows no scenario of another name", () => {
    expect(() => checkScenario("no such thing")).toThrow(/No scenario "no such thing"/);
    expect(Object.keys(SCENARIOS).length).toBeGreaterThanOrEqual(12);
  });
});

/** What no broken guard alone brings about must still be seen when it happens. */
describe("the rules", () => {
  const budget = SCENARIOS["archived sessions"];
  if (budget === undefined) throw new Error("There is such a scenario");
  const ghost = (more: Partial<Ghost> = {}): Ghost => ({
    ...initialWorld(budget).ghost,
    transcripts: ["s1"],
    ...more,
  });
  const launch = (mode: LaunchMode, agentSessionId = "s1") =>
    plan([{ ...intended(2, agentSessionId), mode } as SessionFact]);
  const pending = factsOf(...ONE_TURN, { type: "fresh.intended", epoch: 2, reason: "new" });
  const answered = plan([
    { type: "message.answered", id: 2 },
    { type: "turn.completed", epoch: 2 },
    { type: "fresh.settled", epoch: 2 },
  ]);
  const finished = [{ messageId: 2, epoch: 2 }];

  it.each(["resume", "continue"] as const)("2: see a %s while the intent is pending", (mode) =>
    expect(checkPlan(ghost(), pending, launch(mode))[0]).toMatch(/^2: launch 2 is a/),
  );

  it("3: see an intent settled by a turn that nobody finished, or not of a fresh launch", () => {
    expect(checkPlan(ghost(), pending, answered).join()).toMatch(/3: the fresh intent/);
    expect(checkPlan(ghost({ finished }), pending, answered).join()).toMatch(/3: /);
    expect(checkPlan(ghost({ finished, freshEpochs: [2] }), pending, answered)).toEqual([]);
    const early = { finished: [{ messageId: 2, epoch: 1 }], freshEpochs: [1] };
    expect(checkPlan(ghost(early), pending, answered).join()).toMatch(/3: /);
  });

  it("4: see a resume without a transcript, and a guess where anything was bound", () => {
    const facts = factsOf(bound("s1"));
    expect(checkPlan(ghost({ transcripts: [] }), facts, launch("resume"))[0]).toMatch(/^4: /);
    expect(checkPlan(ghost(), facts, launch("continue"))[0]).toMatch(/^4: /);
    expect(checkPlan(ghost(), facts, launch("resume"))).toEqual([]);
  });

  it("1 and 5: see a second process, one that no fact speaks of, and a retry", () => {
    const launched = factsOf(intended(1, "s1"));
    expect(checkLaunch(ghost(), launched)).toEqual([]);
    expect(checkLaunch(ghost({ processAlive: true }), launched)[0]).toMatch(/^5: /);
    expect(checkLaunch(ghost(), factsOf(intended(1, "s1"), exited(1)))[0]).toMatch(/^5: /);
    expect(checkLaunch(ghost({ failedStart: "fresh" }), launched)[0]).toMatch(/^1: /);
    expect(checkLaunch(ghost({ failedStart: "resume" }), launched)).toEqual([]);
  });

  it.each<[string, Partial<Ghost>, readonly SessionFact[], RegExp]>([
    ["lost", { received: [1] }, [], /is lost/],
    ["ended twice", { received: [1], ends: { 1: ["a", "b"] } }, [], /ended 2 times/],
    ["ended and open", { received: [1], ends: { 1: ["a"] } }, [received(1)], /still open/],
    ["run twice", { received: [1], runs: { 1: 2 } }, [received(1)], /was run 2 times/],
    [
      "in flight with another",
      { received: [1, 2] },
      [1, 2].flatMap((id) => [
        received(id),
        { type: "message.given", id, epoch: 1, transcript: null } as const,
      ]),
      /two messages are in flight/,
    ],
  ])("6: see a message that is %s", (_, more, facts, words) => {
    expect(checkMessages(ghost(more), factsOf(...facts)).join()).toMatch(words);
  });

  it("8 and 7: see a session given up for what did not happen, or in silence", () => {
    const given = (reason: "resume-refused" | "new") =>
      plan([
        { type: "agentSession.archived", agentSessionId: "s1", transcript: "/t/s1.jsonl", reason },
      ]);
    expect(checkPlan(ghost(), factsOf(bound("s1")), given("new"))[0]).toMatch(/^8: /);
    const refusal = checkPlan(
      ghost({ refused: ["s1"] }),
      factsOf(bound("s1")),
      given("resume-refused"),
    );
    expect(refusal).toEqual(["7: 0 notices for the loss of session s1"]);
  });

  it("7: see what went wrong in silence, or is told twice, and a command without its one answer", () => {
    const failed: SessionFact = { type: "session.failed", reason: "start-failed", detail: "" };
    const told = notice({ code: "wedged" });
    const facts = factsOf(received(1));
    expect(checkPlan(ghost(), facts, plan([failed]))).toEqual(["7: 0 notices for session.failed"]);
    expect(checkPlan(ghost(), facts, plan([failed], [told, told]))).toHaveLength(1);
    expect(checkPlan(ghost(), facts, plan([failed], [told]))).toEqual([]);
    expect(checkPlan(ghost(), facts, plan([], [], [9]))).toEqual(["7: 0 notices for a command"]);
  });

  it("10: see a reap with something queued or in the background, not with something parked", () => {
    const parked: SessionFact = { type: "message.parked", id: 1, reason: "quiet" };
    expect(checkReap(factsOf(received(1)), 0)).toHaveLength(1);
    expect(checkReap(factsOf(), 1)).toHaveLength(1);
    expect(checkReap(factsOf(received(1), parked), 0)).toEqual([]);
  });
});
