import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createActor, SimulatedClock } from "xstate";
import { describe, expect, it, onTestFinished } from "vitest";
import { foldFacts, wantsActor } from "../../machines/facts.ts";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { planFailure } from "../../machines/session-plans.ts";
import { supervisorMachine } from "../../machines/supervisor.ts";
import type { Agent, RunningAgent } from "../../src/ports.ts";
import { prepareLaunch } from "../../src/sessions/prepare-launch.ts";
import { checkWorkspace } from "../../src/sessions/workspace.ts";
import { statusWords } from "../../src/status-words.ts";
import { factsOf, FRESH_PENDING, intended, ONE_TURN, RETURNING } from "../support/facts.ts";
import { createFakeSession, type FakeSession } from "../support/fake-session.ts";
import { memoryLog } from "../support/memory-log.ts";
import {
  accept,
  createSession,
  gone,
  toAnswered,
  toolStarted,
  toWorking,
  turnEnded,
} from "../support/session-harness.ts";

const log = memoryLog().log;

describe("workspace", () => {
  it("a path below a file, and a loop, are refused instead of throwing", () => {
    const root = mkdtempSync(join(tmpdir(), "full9-"));
    onTestFinished(() => rmSync(root, { recursive: true }));
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "loop"), join(root, "loop"));
    expect(checkWorkspace(join(root, "file", "x"), [root], log)).toMatchObject({ ok: false });
    expect(checkWorkspace(join(root, "loop"), [root], log)).toMatchObject({ ok: false });
  });
});

describe("watchdog", () => {
  it("a tool that starts is given the tool's limit although no further sign of life comes", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    agent.say({ type: "agent.active" });
    agent.say(toolStarted("t1"));
    session.clock.increment(session.limits.turnQuietMs);
    expect(session.state()).toEqual({ running: "working" });
  });
});

describe("failure", () => {
  it("a failed session whose last process may live does not come back for ever with a notice each time", async () => {
    const facts = [...RETURNING, intended(2, "s1")];
    let stored = facts;
    let notices = 0;
    for (let round = 0; round < 3 && wantsActor(factsOf(...stored)); round += 1) {
      const session = createSession({ facts: stored });
      await session.failProbe("EACCES /proc");
      expect(session.state()).toBe("failed");
      notices += session.notices().length;
      stored = [...stored, ...session.written()] as typeof stored;
    }
    expect(notices).toBe(1);
  });

  it("the intensity limit really gives up a session whose process may live", () => {
    let facts = factsOf(...RETURNING, intended(2, "s1"));
    const sessions: FakeSession[] = [];
    let givenUp = 0;
    const actor = createActor(
      supervisorMachine.provide({
        actors: { session: createFakeSession((one) => sessions.push(one)) },
        actions: {
          recheck: () => {},
          giveUp: () => {
            givenUp += 1;
            facts = foldFacts(facts, planFailure("actor-fault", "boom").facts);
          },
        },
      }),
      {
        clock: new SimulatedClock(),
        input: { limits: DEFAULT_LIMITS, policy: { legacyContinue: false, approvals: "deny" } },
      },
    );
    actor.start();
    onTestFinished(() => void actor.stop());
    for (let nth = 0; nth < 20 && wantsActor(facts); nth += 1) {
      actor.send({ type: "session.needed", key: "a", facts });
      sessions.at(-1)?.fail("boom");
    }
    expect(givenUp).toBe(1);
    expect(sessions).toHaveLength(DEFAULT_LIMITS.faultMax);
  });
});

describe("drain", () => {
  it("a typed /clear that resets while the service shuts down arms the intent", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send({ type: "shutdown" });
    agent.say({ type: "agent.reset", agentSessionId: "s9", transcript: "/t/s9" });
    agent.say(turnEnded("local", ["uuid-2"]));
    expect(session.facts().fresh).not.toBeNull();
  });
});

describe("probe", () => {
  it("a probe that was left behind by /new does not end the next process", async () => {
    const clock = new SimulatedClock();
    const base = mkdtempSync(join(tmpdir(), "full9-"));
    onTestFinished(() => rmSync(base, { recursive: true }));
    mkdirSync(join(base, "w"));
    let running: RunningAgent[] = [];
    const marker = { stateDir: base, sessionKey: "k", epoch: 2 };
    const ended: number[] = [];
    const agent: Agent = {
      kind: "scripted",
      check: async () => ({ usable: true, version: "1" }),
      launch: () => {
        throw new Error("unused");
      },
      transcriptPath: (id) => `/t/${id}.jsonl`,
      inspectTranscript: async () => ({ state: "present", bytes: 1 }),
      tracePrompt: async () => ({ found: "unfinished", toolsRan: false }),
      findRunning: async () => running,
      endRunning: async (one) => {
        ended.push(one.pid);
        running = running.filter((other) => other.pid !== one.pid);
      },
      findForeign: async () => null,
    };
    const options = {
      agent,
      stateDir: base,
      defaultWorkspace: join(base, "w"),
      roots: [base],
      limits: { leftoverBusyMs: 600_000 },
      clock,
      log,
      newId: () => "id",
      endOwn: async () => {},
    };
    running = [{ pid: 22, startedAt: "t", marker }];
    const crashed = factsOf(
      ...RETURNING,
      intended(2, "s1"),
      { type: "launch.started", epoch: 2, pid: 22, startedAt: "t" },
      { type: "message.given", id: 2, epoch: 2, transcript: "/t/s1.jsonl" },
    );
    const leaving = new AbortController();
    const first = prepareLaunch(options, "k", crashed, leaving.signal);
    await setImmediate();
    // The user sends /new: the actor probes anew, with the message cancelled; the leftover is ended.
    const cleared = foldFacts(crashed, [
      { type: "message.cancelled", id: 2 },
      { type: "fresh.intended", epoch: 3, reason: "new" },
    ]);
    leaving.abort();
    await prepareLaunch(options, "k", cleared, new AbortController().signal);
    expect(ended).toEqual([22]);
    // The next launch runs when the first probe looks again.
    running = [{ pid: 33, startedAt: "u", marker: { ...marker, epoch: 3 } }];
    clock.increment(250);
    await expect(first).rejects.toThrow("aborted");
    expect(ended).toEqual([22]);
  });
});

describe("overflow", () => {
  it("a completed turn of the agent's own proves the resume, too", async () => {
    const session = createSession({ facts: ONE_TURN.concat([]) as typeof ONE_TURN, limits: {} });
    void session;
    const next = createSession({ facts: RETURNING });
    const agent = await toWorking(next);
    agent.say(turnEnded("failed", ["uuid-2"]));
    agent.say({ type: "turn.began", cause: "x" });
    agent.say(turnEnded("completed", []));
    next.receive(3);
    accept(next, agent);
    agent.say(turnEnded("too-large", ["uuid-3"]));
    expect(next.facts().bound?.agentSessionId).toBe("s1");
  });
});

describe("stop", () => {
  it("a completed turn that the user stopped at the same moment still settles the fresh intent", async () => {
    const session = createSession({ facts: FRESH_PENDING });
    const agent = await toWorking(session);
    session.send({ type: "command.stop", commandId: 9 });
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(session.facts()).toMatchObject({ fresh: null, bound: { completedTurns: 1 } });
  });
});

describe("status", () => {
  it("does not promise to resume while the fresh intent is pending", () => {
    const facts = factsOf(...ONE_TURN, { type: "fresh.intended", epoch: 1, reason: "clear" });
    const words = statusWords({
      phase: null,
      facts,
      workspace: "/w",
      percent: null,
      textOf: () => "",
    });
    expect(words).not.toContain("your next message resumes it");
  });
});

describe("resume", () => {
  it("/resume keeps the model of the session it goes back to", () => {
    const away = factsOf(...ONE_TURN, {
      type: "agentSession.archived",
      agentSessionId: "s1",
      transcript: "/t/s1.jsonl",
      reason: "new",
    });
    expect(JSON.stringify(away.archived)).toContain("model-1");
  });
});
void gone;
void toAnswered;
