import { describe, expect, it } from "vitest";
import { parseSelfReport } from "../../../src/agents/claude/self-report.ts";

describe("the agent's own estimate", () => {
  it.each([
    ["Done. [ctx: ~62%]", "Done.", 62],
    ["Done.\n\n[ctx: 7 %]\n", "Done.", 7],
    ["[CTX: ~100%]", "", 100],
    ["Done. [ctx: ~62.5%]", "Done.", 62],
    ["Done. [ctx: ~250%]", "Done.", null],
    ["[ctx: ~62%] is what it said", "[ctx: ~62%] is what it said", null],
    ["No report.", "No report.", null],
    ["", "", null],
  ])("in %j leaves %j and says %j", (answer, text, percent) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent });
  });

  it("keeps an answer with much white space in linear time", () => {
    const answer = `x${" ".repeat(50_000)}y`;
    const since = performance.now();
    expect(parseSelfReport(answer).text).toBe(answer);
    expect(performance.now() - since).toBeLessThan(500);
  });
});
