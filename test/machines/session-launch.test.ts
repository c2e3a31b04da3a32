import { describe, expect, it } from "vitest";
import { foldFacts } from "../../machines/fold.ts";
import { wantsActor } from "../../machines/facts.ts";
import {
  bound,
  exited,
  factsOf,
  FRESH_PENDING,
  intended,
  RETURNING,
  received,
} from "../support/facts.ts";
import {
  accept,
  createSession,
  gone,
  ready,
  refused,
  turnEnded,
  unavailable,
} from "../support/session-harness.ts";

describe("a cleared context that no completed turn has settled", () => {
  it("gives up what was said since at the next launch, and the user is told", async () => {
    const { archived } = factsOf(...FRESH_PENDING);
    const said = [intended(2, "s2"), bound("s2"), exited(2), received(4)];
    const session = createSession({ facts: [...FRESH_PENDING, ...said] });
    await session.probe();
    expect(session.state()).toBe("starting");
    expect(session.notices()).toEqual([{ code: "cleared-again", agentSessionId: "s2" }]);
    expect(session.facts().archived).toHaveLength(archived.length + 1);
  });
});

describe("what a launch resumes", () => {
  it("is the bound session", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    expect(session.state()).toBe("resuming");
    expect(session.agent()).toMatchObject({ mode: "resume", agentSessionId: "s1" });
    session.agent().say(ready);
    expect(session.state()).toEqual({ running: "delivering" });
  });

  it("is nothing where the bound transcript does not exist: fresh, with one notice", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe({ last: "missing" });
    expect(session.state()).toBe("fresh-fallback");
    expect(session.agent()).toMatchObject({ mode: "fresh", agentSessionId: "s2" });
    session.agent().say(ready);
    expect(session.agent().commands).toEqual([{ type: "prompt", messageId: 2, uuid: "uuid-2" }]);
    expect(session.notices()).toEqual([
      { code: "context-lost", reason: "transcript-missing", parked: false },
    ]);
    expect(session.facts().archived).toMatchObject([
      { agentSessionId: "s1", reason: "transcript-missing" },
    ]);
  });

  it("is nothing, and nobody is told, where the missing transcript held no completed turn", async () => {
    const facts = RETURNING.filter((fact) => fact.type !== "turn.completed");
    const session = createSession({ facts });
    await session.probe({ last: "missing" });
    expect(session.state()).toBe("starting");
    expect(session.notices()).toEqual([]);
  });

  it.each([
    [true, "resuming", "continue"],
    [false, "starting", "fresh"],
  ])(
    "where nothing was ever bound, with the legacy setting %s: %s with %s",
    async (legacyContinue, state, mode) => {
      const session = createSession({ facts: [received(1)], policy: { legacyContinue } });
      await session.probe();
      expect(session.state()).toBe(state);
      expect(session.agent().mode).toBe(mode);
    },
  );

  it("is never a guess once anything was bound", async () => {
    const given = FRESH_PENDING.filter((fact) => fact.type !== "fresh.intended");
    const session = createSession({ facts: given, policy: { legacyContinue: true } });
    await session.probe();
    expect(session.agent().mode).toBe("fresh");
  });

  it("is nothing while somebody else has the session open: failed, the id kept", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe({ foreignPid: 77 });
    expect(session.state()).toBe("failed");
    expect(session.world.agents).toEqual([]);
    expect(session.notices()).toMatchObject([{ code: "launch-failed", reason: "session-in-use" }]);
    expect(session.facts().bound?.agentSessionId).toBe("s1");
  });

  it("is nothing in a workspace that is refused: failed, the id kept", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe({
      workspace: { ok: false, reason: "workspace-missing", detail: "/work/gone" },
    });
    expect(session.state()).toBe("failed");
    expect(session.notices()).toMatchObject([
      { code: "launch-failed", reason: "workspace-missing" },
    ]);
    expect(session.facts().bound?.agentSessionId).toBe("s1");
    expect(session.facts().messages).toHaveLength(1);
  });

  it("is nothing where the probe itself fails: failed, said once", async () => {
    const session = createSession({ facts: RETURNING });
    await session.failProbe("EACCES");
    expect(session.state()).toBe("failed");
    expect(session.notices()).toMatchObject([
      { code: "launch-failed", reason: "spawn-failed", detail: "Error: EACCES" },
    ]);
  });

  it("is nothing, once, where the probe fails although a process of the last launch may live", async () => {
    const before = [...RETURNING, intended(2, "s1")];
    const session = createSession({ facts: before });
    await session.failProbe("EACCES");
    const stored = foldFacts(factsOf(...before), session.written());
    expect(stored.launch?.exited).toBe(false);
    expect(wantsActor(stored)).toBe(false);
    expect(wantsActor(foldFacts(stored, [received(3)]))).toBe(true);
  });
});

describe("a resume that is refused", () => {
  it("falls back to one fresh launch with the same message and one notice", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    const old = session.agent();
    old.say(refused);
    expect(session.state()).toBe("fresh-fallback");
    expect(old.isStopped()).toBe(true);
    const fresh = session.agent();
    expect(fresh).toMatchObject({ epoch: 3, mode: "fresh", agentSessionId: "s2" });
    fresh.say(ready);
    accept(session, fresh);
    fresh.say(turnEnded("completed", ["uuid-2"]));
    expect(session.answers()).toMatchObject([{ messageId: 2 }]);
    expect(session.notices()).toEqual([
      { code: "context-lost", reason: "resume-refused", parked: false },
    ]);
    expect(session.facts()).toMatchObject({
      fresh: null,
      bound: { agentSessionId: "s2" },
      archived: [{ agentSessionId: "s1", reason: "resume-refused", completedTurns: 1 }],
    });
  });

  it("ends there: a fallback that fails is not retried until the user says something", async () => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    session.agent().say(refused);
    session.agent().say(gone());
    expect(session.state()).toBe("failed");
    expect(session.world.agents).toHaveLength(2);
    expect(session.notices().map((one) => one.code)).toEqual(["context-lost", "launch-failed"]);
    expect(session.facts().fresh?.reason).toBe("resume-refused");
    expect(session.facts().messages.map((one) => one.state)).toEqual(["received"]);
  });
});

describe("a launch that cannot be used", () => {
  it.each([
    ["unavailable", unavailable, "not-logged-in"],
    ["gone at once", gone(), "start-failed"],
  ] as const)("as a resume that is %s keeps the id and is told once", async (_, event, reason) => {
    const session = createSession({ facts: RETURNING });
    await session.probe();
    session.agent().say(event);
    expect(session.state()).toBe("failed");
    expect(session.notices()).toMatchObject([{ code: "launch-failed", reason }]);
    expect(session.facts()).toMatchObject({
      bound: { agentSessionId: "s1" },
      fresh: null,
      messages: [{ id: 2, state: "received" }],
      launch: { exited: true },
    });
  });

  it.each([
    ["unavailable", unavailable],
    ["refused", refused],
    ["gone at once", gone()],
  ])("as a fresh one that is %s is not retried", async (_, event) => {
    const session = createSession({ facts: [received(1)] });
    await session.probe();
    session.agent().say(event);
    expect(session.state()).toBe("failed");
    expect(session.status()).toBe("done");
    expect(session.world.agents).toHaveLength(1);
    expect(session.notices()).toHaveLength(1);
    expect(session.facts().messages).toHaveLength(1);
  });

  it.each([
    ["fresh", [received(1)]],
    ["resumed", RETURNING],
  ] as const)("because a %s one never answers is ended, then failed", async (_, facts) => {
    const session = createSession({ facts });
    await session.probe();
    session.clock.increment(session.limits.startMs);
    expect(session.state()).toBe("restarting");
    expect(session.agent().commands).toEqual([{ type: "end", now: true }]);
    session.agent().say(gone());
    expect(session.state()).toBe("failed");
    expect(session.notices()).toMatchObject([{ code: "launch-failed", reason: "start-timeout" }]);
    expect(session.world.agents).toHaveLength(1);
  });

  it("is tried again by the next message, which comes while the old one is being ended", async () => {
    const session = createSession({ facts: [received(1)] });
    await session.probe();
    session.clock.increment(session.limits.startMs);
    session.receive(2);
    session.agent().say(gone());
    expect(session.state()).toEqual({ normalizing: "probing" });
  });
});
