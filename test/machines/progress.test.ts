import { describe, expect, it } from "vitest";
import {
  draftIsDue,
  elapsedSteps,
  followProgress,
  newProgress,
  nextShown,
  waitFor,
} from "../../machines/progress.ts";
import { toolStarted } from "../support/session-harness.ts";

describe("the progress of a turn", () => {
  it("knows the tools that run and how many there were", () => {
    const [one, two] = [toolStarted("t1"), toolStarted("t2")];
    const ended = { type: "turn.toolEnded", toolUseId: "t1" } as const;
    const progress = [one, two, ended].reduce(followProgress, newProgress(0, null));
    expect(progress.tools).toBe(2);
    expect(progress.running.map((tool) => tool.toolUseId)).toEqual(["t2"]);
  });

  it("is not changed by what says nothing about it", () => {
    const progress = newProgress(0, null);
    expect(followProgress(progress, { type: "agent.active" })).toBe(progress);
  });
});

describe("the message that shows it", () => {
  const pacing = {
    now: 1_000,
    startedAt: 1_000,
    firstAfterMs: 2_000,
    everyMs: 1_500,
    shownAt: null,
    closedUntil: null,
  };

  it("is sent when the turn has lasted a while", () => {
    expect(waitFor(pacing)).toBe(2_000);
    expect(waitFor({ ...pacing, now: 9_000 })).toBe(0);
  });

  it("is changed at its pace", () => {
    expect(waitFor({ ...pacing, now: 5_000, shownAt: 4_000 })).toBe(500);
    expect(waitFor({ ...pacing, now: 6_000, shownAt: 4_000 })).toBe(0);
  });

  it("waits while the chat takes nothing", () => {
    expect(waitFor({ ...pacing, now: 6_000, shownAt: 4_000, closedUntil: 16_000 })).toBe(10_000);
  });
});

describe("a text that grows in a draft", () => {
  it("takes turns with the message where both change", () => {
    const both = { message: true, draft: true };
    expect(nextShown(both, null)).toBe("draft");
    expect(nextShown(both, "draft")).toBe("message");
    expect(nextShown(both, "message")).toBe("draft");
    expect(nextShown({ message: true, draft: false }, "message")).toBe("message");
    expect(nextShown({ message: false, draft: true }, "draft")).toBe("draft");
    expect(nextShown({ message: false, draft: false }, null)).toBeNull();
  });

  it("is shown when it has changed, and again before it lapses", () => {
    expect(draftIsDue(null, " \n", 0)).toBe(false);
    expect(draftIsDue(null, "a", 0)).toBe(true);
    expect(draftIsDue({ text: "a", at: 0 }, "ab", 1)).toBe(true);
    expect(draftIsDue({ text: "a", at: 0 }, "a", 19_999)).toBe(false);
    expect(draftIsDue({ text: "a", at: 0 }, "a", 20_000)).toBe(true);
  });
});

it.each([
  [4_999, 0],
  [5_000, 5_000],
  [64_000, 60_000],
  [76_000, 75_000],
  [659_000, 600_000],
])("of %i ms the clock shows %i", (ms, shown) => expect(elapsedSteps(ms)).toBe(shown));
