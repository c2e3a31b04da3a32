import { describe, expect, it } from "vitest";
import { english } from "../../src/words/english.ts";
import { statusView, type StatusView } from "../../src/words/status-view.ts";
import { bound, factsOf, ONE_TURN, received } from "../support/facts.ts";

describe("the answer to /status", () => {
  const view = (more: Partial<StatusView> = {}): string =>
    statusView(english, {
      phase: null,
      facts: factsOf(...ONE_TURN),
      workspace: "/work/project",
      percent: 62,
      textOf: (id) => `text of ${id}`,
      ...more,
    });

  it("says the state, workspace, session, model, context and queue", () => {
    expect(view()).toBe(
      [
        "**Asleep; your next message resumes it**",
        "Workspace: `/work/project`",
        "Agent: scripted, session `s1`",
        "Model: model-1",
        "Context: 62%",
        "Queue: 0 waiting",
      ].join("\n"),
    );
  });

  it.each([
    ["busy", "Working"],
    ["waiting", "Waiting for your permission"],
    ["idle", "Ready"],
    ["background", "work goes on in the background"],
    ["moving", "Starting its agent"],
    ["ending", "Falling asleep"],
    ["queued", "Waiting for a free place"],
  ] as const)("names the phase %s", (phase, words) => expect(view({ phase })).toContain(words));

  it("says what is not known yet of a session never seen", () => {
    const words = view({ facts: factsOf(), percent: null });
    expect(words).toContain("Asleep, nothing to resume");
    expect(words).toContain("session none yet");
    expect(words).toContain("Model: not known yet");
    expect(words).toContain("Context: not known yet");
  });

  it("says that the session has failed, and what the user can do", () => {
    const facts = factsOf(...ONE_TURN, received(2), {
      type: "session.failed",
      reason: "not-logged-in",
      detail: "",
    });
    expect(view({ facts })).toContain(
      "Failed: the agent is not logged in; your next message tries again",
    );
    expect(view({ facts })).toContain("Queue: 1 waiting");
  });

  it("shows what runs and what waits for a decision, shortened", () => {
    const facts = factsOf(
      bound("s1"),
      received(1),
      { type: "message.given", id: 1, epoch: 1, transcript: null },
      received(2),
      { type: "message.parked", id: 2, reason: "quiet" },
      received(3),
      { type: "message.parked", id: 3, reason: "quiet" },
    );
    const words = view({ facts, textOf: (id) => `${id}:\n${"long ".repeat(50)}` });
    expect(words).toMatch(/^Running: “1: long .{40,60}…”$/m);
    expect(words).toMatch(/^Waiting for your decision: 2\. First: “2: .*” \(\/retry or \/skip\)$/m);
    expect(words.split("\n").every((line) => line.length < 140)).toBe(true);
  });

  it("says that the next conversation starts fresh while the intent is pending", () => {
    const facts = factsOf(...ONE_TURN, { type: "fresh.intended", epoch: 2, reason: "new" });
    expect(view({ facts })).toContain("your next message starts a new conversation");
    expect(view({ facts })).not.toContain("resumes");
  });

  it("promises no resume where a failure and a pending intent meet", () => {
    const facts = factsOf(
      ...ONE_TURN,
      { type: "fresh.intended", epoch: 2, reason: "resume-refused" },
      { type: "session.failed", reason: "start-failed", detail: "" },
    );
    expect(view({ facts })).toContain(
      "Failed: the agent ended while starting; your next message tries again",
    );
    expect(view({ facts })).not.toContain("resumes");
  });
});
