import { describe, expect, it } from "vitest";
import { companionAnswer } from "../../../src/agents/scripted/companion.ts";
import type { Said } from "../../../src/agents/scripted/companion.ts";

function told(...texts: string[]): readonly Said[] {
  return texts.flatMap((text, index): Said[] => [
    ...(index === 0 ? [] : [{ role: "assistant", text: "I see." } as const]),
    { role: "user", text },
  ]);
}

describe("the companion", () => {
  it("says at first what it is and how to get the real agent", () => {
    const answer = companionAnswer(told("hi there"), false);
    expect(answer).toContain("scripted demo agent");
    expect(answer).toContain("not an AI");
    expect(answer).toContain("npm install -g @anthropic-ai/claude-code");
    expect(answer).toContain("hi there");
  });

  it("counts what it was told and names the first", () => {
    const answer = companionAnswer(told("one", "two", "three"), false);
    expect(answer).toContain("You have told me 3 things so far; the first was “one”.");
    expect(answer).toContain("I have noted “three”.");
    expect(answer).not.toContain("started again");
  });

  it("says after a resume that the context is still there", () => {
    expect(companionAnswer(told("one", "two"), true)).toContain("started again");
  });

  it("lists everything when it is asked what it remembers", () => {
    const answer = companionAnswer(told("one", "two", "What do you remember?"), false);
    expect(answer).toContain("- “one”\n- “two”\n- “What do you remember?”");
  });

  it("explains itself again when it is asked for help", () => {
    expect(companionAnswer(told("one", "help"), false)).toContain("claude-code");
  });

  it("quotes long and broken texts in one short line", () => {
    const [, first] =
      /first was (.*)\.$/.exec(companionAnswer(told("a\nb".repeat(99), "x"), false)) ?? [];
    expect(first).not.toContain("\n");
    expect(first?.length).toBeLessThan(70);
  });
});
