import { describe, expect, it } from "vitest";
import { newProgress, type Progress } from "../../machines/progress.ts";
import { progressOver, progressView } from "../../src/words/progress-view.ts";
import { english } from "../../src/words/english.ts";

const progress = (more: Partial<Progress> = {}): Progress => ({ ...newProgress(0, null), ...more });
const tool = { toolUseId: "t", name: "Bash", summary: "npm test" };

describe("a running turn", () => {
  it.each<[string, Partial<Progress>]>([
    ["💭 Thinking", {}],
    ["✍️ Writing", { text: "So far" }],
    ["⚙️ **Bash** `npm test`", { running: [tool] }],
    ["⚙️ **Bash** `npm test` +1", { running: [{ ...tool, toolUseId: "s" }, tool] }],
    ["🗜 Compacting the conversation", { compacting: true }],
    ["⏸ Waiting for your decision", { waiting: true, running: [tool] }],
  ])("is shown as %s", (words, more) => {
    expect(progressView(english, progress(more), "1", 0)).toBe(words);
  });

  it("says how long it has run and how full the context is", () => {
    const more = { context: { used: 41, window: 100 } };
    expect(progressView(english, progress(more), "1", 31_000)).toBe(
      "💭 Thinking · 30 s · [ctx: 41%]",
    );
  });

  it("does not count the time while a person is asked", () => {
    expect(progressView(english, progress({ waiting: true }), "1", 90_000)).toBe(
      "⏸ Waiting for your decision",
    );
  });

  it("shows the text so far at level 2 only, the end of a long one", () => {
    const text = `first\n${"word ".repeat(300)}\nlast line`;
    expect(progressView(english, progress({ text }), "1", 0)).not.toContain("last line");
    const shown = progressView(english, progress({ text }), "2", 0);
    expect(shown).toContain("last line");
    expect(shown).not.toContain("first");
    expect(shown.length).toBeLessThan(800);
  });

  it("is closed with what it took, and whether it came to its end", () => {
    expect(progressOver(english, progress({ tools: 3 }), true, 12_400)).toBe("✓ 12 s · 3 tools");
    expect(progressOver(english, progress({ tools: 1 }), false, 10)).toBe("⏹ 1 s · 1 tool");
    expect(progressOver(english, progress(), true, 60_000)).toBe("✓ 1 min");
  });
});

it.each([
  [59_400, "59 s"],
  [125_000, "2 min 5 s"],
  [3_780_000, "1 h 3 min"],
])("%i ms are %s", (ms, words) => expect(english.units.duration(ms)).toBe(words));
