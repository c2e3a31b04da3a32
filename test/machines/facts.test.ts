import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  firstParked,
  mayHaveProcess,
  messageInFlight,
  nextMessage,
  wantsActor,
  type SessionFact,
} from "../../machines/facts.ts";
import { foldFact, foldFacts, initialFacts } from "../../machines/fold.ts";
import {
  bound,
  exited,
  factsOf,
  intended,
  ONE_TURN,
  received,
  WORKSPACE,
} from "../support/facts.ts";
import { anyFact, storyOfMessages } from "../support/arbitrary-facts.ts";

const failed: SessionFact = { type: "session.failed", reason: "start-failed", detail: "exit 1" };

const given = (id: number, epoch = 1): SessionFact => ({
  type: "message.given",
  id,
  epoch,
  transcript: "/t/s1.jsonl",
});

const archived = (agentSessionId: string): SessionFact => ({
  type: "agentSession.archived",
  agentSessionId,
  transcript: `/t/${agentSessionId}.jsonl`,
  reason: "new",
});

describe("the workspace and the fresh intent", () => {
  it("keeps the workspace and the kind of agent that was bound with it", () => {
    const facts = factsOf({ type: "workspace.bound", path: WORKSPACE, agentKind: "claude" });
    expect(facts).toMatchObject({ workspace: WORKSPACE, agentKind: "claude" });
  });

  it("keeps an intent until it is settled", () => {
    const armed = factsOf({ type: "fresh.intended", epoch: 1, reason: "new" }, intended(1, "s1"));
    expect(armed.fresh).toEqual({ epoch: 1, reason: "new" });
    expect(foldFact(armed, { type: "fresh.settled", epoch: 1 }).fresh).toBeNull();
  });

  it("drops an intent that the user withdraws", () => {
    const armed = factsOf({ type: "fresh.intended", epoch: 1, reason: "new" });
    expect(foldFact(armed, { type: "fresh.withdrawn", agentSessionId: "s1" }).fresh).toBeNull();
  });

  it("lets a newer intent replace an older one", () => {
    const facts = factsOf(
      { type: "fresh.intended", epoch: 1, reason: "resume-refused" },
      { type: "fresh.intended", epoch: 3, reason: "new" },
    );
    expect(facts.fresh).toEqual({ epoch: 3, reason: "new" });
  });
});

describe("launches", () => {
  it("count, and may have a process until it is said to be gone", () => {
    const launched = factsOf(intended(1, "s1"));
    expect(launched).toMatchObject({ epoch: 1, launch: { pid: null, exited: false } });
    expect(mayHaveProcess(launched)).toBe(true);
    expect(mayHaveProcess(foldFact(launched, exited(1)))).toBe(false);
  });

  it("know their process once it has started", () => {
    const facts = factsOf(intended(1, "s1"), {
      type: "launch.started",
      epoch: 1,
      pid: 11,
      startedAt: "t1",
    });
    expect(facts.launch).toMatchObject({ pid: 11, startedAt: "t1" });
  });

  it.each<SessionFact>([
    { type: "launch.started", epoch: 1, pid: 99, startedAt: "old" },
    { type: "launch.reset", epoch: 1, agentSessionId: "s9", transcript: "/t/s9" },
    exited(1),
  ])("are not changed by what is told of an older one: $type", (fact) => {
    const facts = factsOf(intended(1, "s1"), intended(2, "s2"));
    expect(foldFact(facts, fact).launch).toEqual(facts.launch);
  });

  it("are fresh and under another id from a reset on", () => {
    const facts = factsOf({ ...intended(1, "s1"), mode: "resume" } as SessionFact, {
      type: "launch.reset",
      epoch: 1,
      agentSessionId: "s2",
      transcript: "/t/s2",
    });
    expect(facts.launch).toMatchObject({
      mode: "fresh",
      agentSessionId: "s2",
      transcript: "/t/s2",
    });
  });

  it("leave the times of the last twenty deaths", () => {
    const deaths = Array.from({ length: 25 }, (_, nth) => exited(1, nth));
    expect(factsOf(intended(1, "s1"), ...deaths).deaths).toEqual(
      Array.from({ length: 20 }, (_, nth) => nth + 5),
    );
    expect(factsOf(intended(1, "s1"), exited(1)).deaths).toEqual([]);
  });
});

describe("agent sessions", () => {
  it("are bound without a completed turn, which each completed turn counts up", () => {
    const facts = factsOf(bound("s1"));
    expect(facts).toMatchObject({ everBound: true, bound: { completedTurns: 0 } });
    const turned = foldFact(facts, { type: "turn.completed", epoch: 1 });
    expect(turned.bound?.completedTurns).toBe(1);
  });

  it("know the first and the last prompt that they answered, through the archive and back", () => {
    const turn = (prompt?: string): SessionFact => ({
      type: "turn.completed",
      epoch: 1,
      ...(prompt === undefined ? {} : { prompt }),
    });
    const facts = factsOf(bound("s1"), turn("a"), turn("b"), turn("c"), turn());
    expect(facts.bound?.prompts).toEqual({ first: "a", last: "c" });
    const back = [archived("s1"), bound("s2"), turn("d"), archived("s2"), bound("s1")];
    expect(foldFacts(facts, back).bound?.prompts).toEqual({ first: "a", last: "c" });
  });

  it("know of no prompts any more once it was said that some are gone, until the next", () => {
    const cut = { type: "agentSession.incomplete", agentSessionId: "s1" } as const;
    const next = { type: "turn.completed", epoch: 2, prompt: "b" } as const;
    expect(factsOf(...ONE_TURN, cut).bound?.prompts).toBeNull();
    expect(factsOf(...ONE_TURN, cut, next).bound?.prompts).toEqual({ first: "b", last: "b" });
    expect(factsOf(...ONE_TURN, { ...cut, agentSessionId: "s7" }).bound?.prompts).not.toBeNull();
  });

  it("keep their model where a later word does not name one", () => {
    const again = { ...bound("s1"), model: null } as SessionFact;
    expect(factsOf(bound("s1"), again).bound?.model).toBe("model-1");
    expect(
      factsOf(bound("s1"), { ...again, agentSessionId: "s2" } as SessionFact).bound?.model,
    ).toBe(null);
  });

  it("keep their completed turns through the archive and back", () => {
    const away = factsOf(...ONE_TURN, archived("s1"));
    expect(away).toMatchObject({ bound: null, everBound: true });
    expect(away.archived).toMatchObject([{ agentSessionId: "s1", completedTurns: 1 }]);
    const back = foldFact(away, bound("s1"));
    expect(back).toMatchObject({ archived: [], bound: { completedTurns: 1 } });
  });

  it("keep their model through the archive and back, where the way back does not name one", () => {
    const away = factsOf(...ONE_TURN, archived("s1"));
    expect(away.archived).toMatchObject([{ agentSessionId: "s1", model: "model-1" }]);
    const back = foldFact(away, { ...bound("s1"), model: null } as SessionFact);
    expect(back.bound).toMatchObject({ agentSessionId: "s1", model: "model-1" });
  });

  it("take the size of the context with them into the archive", () => {
    const measured = { type: "context.measured", context: { used: 5, window: 10 } } as const;
    expect(factsOf(...ONE_TURN, measured, archived("s1")).context).toBeNull();
    expect(factsOf(...ONE_TURN, measured, archived("s7")).context).toEqual(measured.context);
  });

  it("are archived once each, the latest last, no more than fifty", () => {
    const ids = Array.from({ length: 55 }, (_, nth) => `s${nth}`);
    const facts = factsOf(...ids.map(archived), archived("s20"));
    expect(facts.archived).toHaveLength(50);
    expect(facts.archived.at(-1)?.agentSessionId).toBe("s20");
    expect(facts.archived.filter((one) => one.agentSessionId === "s20")).toHaveLength(1);
  });

  it("count no turn while nothing is bound", () => {
    const facts = factsOf(intended(1, "s1"));
    expect(foldFact(facts, { type: "turn.completed", epoch: 1 })).toEqual(facts);
  });
});

describe("messages", () => {
  it("wait in the order of their arrival, behind the one in flight", () => {
    const facts = factsOf(received(1), received(2), given(1));
    expect([messageInFlight(facts)?.id, nextMessage(facts)?.id]).toEqual([1, 1]);
    const done = foldFact(facts, { type: "message.answered", id: 1 });
    expect([messageInFlight(done), nextMessage(done)?.id]).toEqual([null, 2]);
  });

  it("know where and in which launch they were given", () => {
    const facts = factsOf(received(1), given(1, 4), { type: "message.accepted", id: 1 });
    expect(messageInFlight(facts)).toEqual({
      id: 1,
      uuid: "uuid-1",
      state: "accepted",
      transcript: "/t/s1.jsonl",
      epoch: 4,
      toolsRan: false,
      parkedFor: null,
      urgent: false,
    });
  });

  it.each<SessionFact>([
    { type: "message.answered", id: 1 },
    { type: "message.failed", id: 1, reason: "x" },
    { type: "message.cancelled", id: 1 },
  ])("are gone after $type", (fact) => {
    expect(factsOf(received(1), received(2), given(1), fact).messages.map((one) => one.id)).toEqual(
      [2],
    );
  });

  it("block nobody while parked, and come back as if never given", () => {
    const parked = factsOf(received(1), received(2), given(1), {
      type: "message.parked",
      id: 1,
      reason: "quiet",
    });
    expect([firstParked(parked)?.id, nextMessage(parked)?.id]).toEqual([1, 2]);
    const back = foldFact(parked, { type: "message.requeued", id: 1, uuid: "uuid-1b" });
    expect(back.messages[0]).toEqual({
      id: 1,
      uuid: "uuid-1b",
      state: "received",
      transcript: null,
      epoch: 0,
      toolsRan: false,
      parkedFor: null,
      urgent: false,
    });
    expect([firstParked(back), nextMessage(back)?.id]).toEqual([null, 1]);
  });

  it("remember that a tool ran for them, until they are given anew", () => {
    const ran = factsOf(received(1), given(1), { type: "turn.toolRan", messageId: 1 });
    expect(messageInFlight(ran)?.toolsRan).toBe(true);
    const again = foldFact(ran, { type: "message.requeued", id: 1, uuid: "uuid-1b" });
    expect(nextMessage(again)?.toolsRan).toBe(false);
  });

  it("do not come back to life by a late word about one that has ended", () => {
    const ended = factsOf(received(1), { type: "message.cancelled", id: 1 });
    expect(foldFacts(ended, [given(1), { type: "message.accepted", id: 1 }])).toEqual(ended);
  });
});

describe("a failure", () => {
  const facts = factsOf(...ONE_TURN, received(2), failed);

  it("waits for the user: nothing wants an actor, although a message waits", () => {
    expect(nextMessage(facts)?.id).toBe(2);
    expect(wantsActor(facts)).toBe(false);
  });

  it.each<SessionFact>([
    received(3),
    { type: "message.requeued", id: 2, uuid: "uuid-2b" },
    { type: "fresh.intended", epoch: 2, reason: "new" },
    { type: "fresh.withdrawn", agentSessionId: "s1" },
  ])("ends with the user's $type, with a clean count of deaths", (fact) => {
    const dying = factsOf(...ONE_TURN, received(2), exited(1, 5), failed);
    expect(foldFact(dying, fact)).toMatchObject({ failure: null, deaths: [] });
    expect(wantsActor(foldFact(dying, fact))).toBe(true);
  });

  it.each<SessionFact>([
    exited(1),
    { type: "message.cancelled", id: 9 },
    { type: "message.parked", id: 2, reason: "cut-short" },
    { type: "context.measured", context: { used: 1, window: 2 } },
    { type: "fresh.settled", epoch: 1 },
    { type: "workspace.bound", path: "/other", agentKind: "scripted" },
  ])("outlasts $type", (fact) => expect(foldFact(facts, fact).failure).not.toBeNull());

  it("outranks a process that may live: it is ended before the next launch, not by a new actor", () => {
    expect(wantsActor(factsOf(intended(1, "s1"), failed))).toBe(false);
  });
});

describe("any sequence of facts", () => {
  const sequences = fc.array(anyFact, { maxLength: 40 });

  it("folds, and the result survives JSON", () => {
    fc.assert(
      fc.property(sequences, (facts) => {
        const folded = foldFacts(initialFacts("scripted"), facts);
        expect(JSON.parse(JSON.stringify(folded))).toEqual(folded);
        expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
      }),
    );
  });

  it("folds in one go as it does piece by piece", () => {
    fc.assert(
      fc.property(sequences, fc.nat(40), (facts, at) => {
        const start = initialFacts("scripted");
        const pieces = foldFacts(foldFacts(start, facts.slice(0, at)), facts.slice(at));
        expect(pieces).toEqual(foldFacts(start, facts));
      }),
    );
  });

  it("never holds one agent session as bound and archived at once, nor archived twice", () => {
    fc.assert(
      fc.property(sequences, (facts) => {
        const folded = foldFacts(initialFacts("scripted"), facts);
        const ids = folded.archived.map((one) => one.agentSessionId);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).not.toContain(folded.bound?.agentSessionId);
      }),
    );
  });

  it("holds each message once, whatever is received again", () => {
    fc.assert(
      fc.property(sequences, fc.nat(4), (facts, id) => {
        const folded = foldFacts(initialFacts("scripted"), [...facts, received(id)]);
        expect(folded.messages.filter((one) => one.id === id)).toHaveLength(1);
        expect(foldFact(folded, received(id)).messages).toEqual(folded.messages);
      }),
    );
  });

  it("wants no actor from a failure on, until an input of the user", () => {
    const inputs = ["fresh.intended", "fresh.withdrawn"];
    const isInput = ({ type }: SessionFact) =>
      inputs.includes(type) || type === "message.received" || type === "message.requeued";
    const after = fc.array(
      anyFact.filter((fact) => !isInput(fact)),
      { maxLength: 15 },
    );
    fc.assert(
      fc.property(sequences, after, (before, later) => {
        const folded = foldFacts(initialFacts("scripted"), [...before, failed, ...later]);
        expect(folded.failure).not.toBeNull();
        expect(wantsActor(folded)).toBe(false);
      }),
    );
  });
});

describe("a well-formed sequence of facts", () => {
  it("has at most one message in flight, and it is the next one", () => {
    fc.assert(
      fc.property(storyOfMessages, (facts) => {
        const folded = foldFacts(initialFacts("scripted"), facts);
        const flying = folded.messages.filter((one) => ["given", "accepted"].includes(one.state));
        expect(flying.length).toBeLessThanOrEqual(1);
        expect(messageInFlight(folded)).toEqual(flying[0] ?? null);
        expect(flying[0] ?? nextMessage(folded)).toEqual(nextMessage(folded));
      }),
    );
  });

  it("keeps the order of arrival among the messages that have not ended", () => {
    fc.assert(
      fc.property(storyOfMessages, (facts) => {
        const ids = foldFacts(initialFacts("scripted"), facts).messages.map((one) => one.id);
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      }),
    );
  });
});
