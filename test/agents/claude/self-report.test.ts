import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseSelfReport } from "../../../src/agents/claude/self-report.ts";

const block = (mark: string) => `Look:\n${mark}\n[ctx: ~45%]\n${mark}\nDone.`;

describe("the agent's own estimate", () => {
  it.each([
    ["Done. [ctx: ~62%]", "Done.", 62],
    ["Done.\n\n[ctx: 7 %]\n", "Done.", 7],
    ["[CTX: ~100%]", "", 100],
    ["Done. [ctx: ~62.5%]", "Done.", 62],
    ["Done.\n\n**[ctx: ~45%]**", "Done.", 45],
    ["Done. _[ctx: 45%]_", "Done.", 45],
    ["No report.", "No report.", null],
    ["", "", null],
  ])("in %j leaves %j and says %j", (answer, text, percent) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent });
  });

  it.each([
    ["[ctx: ~62%] is what it said", "is what it said", 62],
    ["It is [ctx: 80%] by now.", "It is by now.", 80],
    ["It is [ctx: 80%], so.", "It is , so.", 80],
    ["One.\n[ctx: ~45%]\nTwo.", "One.\nTwo.", 45],
    ["One.\n\n[ctx: ~45%]\n\nTwo.", "One.\n\nTwo.", 45],
    ["One.\n\n\n  [ctx: ~45%]  \n\n\nTwo.", "One.\n\nTwo.", 45],
    ["[ctx: ~45%]\n\nOne.\n", "One.\n", 45],
    ["  [ctx: ~45%] indented", "  indented", 45],
    ["One.  [ctx: ~45%]  \r\nTwo.", "One.\nTwo.", 45],
  ])("is taken out of the middle: %j leaves %j", (answer, text, percent) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent });
  });

  it.each([
    ["[ctx: 10%] a [ctx: 20%] [ctx: 30%] b [ctx: ~40%]", "a b", 40],
    ["a\n\n[ctx: 10%]\n\n[ctx: 20%]\n\nb", "a\n\nb", 20],
    ["a [ctx: 10%]\n```\n[ctx: 20%]\n```", "a\n```\n[ctx: 20%]\n```", 10],
  ])("may come several times, and the last one counts: %j", (answer, text, percent) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent });
  });

  it.each([
    block("```"),
    block("~~~"),
    "- item\n  ```md\n  [ctx: 45%]\n  ```",
    "> ```\n> [ctx: 45%]\n> ```",
    "````\n```\n[ctx: 45%]\n```\n````",
    "```\n~~~\n[ctx: 45%]\n```",
    "Unclosed:\n```ts\nconst a = 1;\n\n[ctx: 45%]",
    "Unclosed:\n~~~\n[ctx: 45%]\n",
    "It writes `[ctx: ~45%]` there.",
    "It writes ``a ` [ctx: ~45%] `` there.",
    "Over `two\n[ctx: 45%] lines` it goes.",
    "```[ctx: 45%]```",
  ])("is none in code: %j", (answer) => {
    expect(parseSelfReport(answer)).toEqual({ text: answer, percent: null });
  });

  it.each([
    ["A lone ` is no code. [ctx: 45%]", "A lone ` is no code."],
    ["Escaped: \\`a [ctx: 45%] b\\`", "Escaped: \\`a b\\`"],
    ["Of two ` paragraphs\n\n[ctx: 45%] each ` one", "Of two ` paragraphs\n\neach ` one"],
    ["- one `\n- two [ctx: 45%] `", "- one `\n- two `"],
    ["```\ncode\n```\n[ctx: 45%]", "```\ncode\n```"],
    ["`code` [ctx: 45%]", "`code`"],
    ["```inline``` [ctx: 45%]", "```inline```"],
  ])("is one beside code: %j", (answer, text) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent: 45 });
  });

  it.each([
    "Done. [ctx: ~250%]",
    "Done. [ctx: 100.5%]",
    "[ctx: many%]",
    "[ctx: 45]",
    "ctx: 45%",
    "\\[ctx: 45%]",
  ])("is none, and stays, in %j", (answer) => {
    expect(parseSelfReport(answer)).toEqual({ text: answer, percent: null });
  });
});

/** Pieces that make and break code, lines and reports. */
const pieces = fc.constantFrom(
  ...[
    "[ctx: 5%]",
    "[ctx: ~60%]",
    "**[ctx: 7%]**",
    "[ctx: 250%]",
    "[ctx: 1%]`",
    "[ctx:",
    "[c",
    "tx: 3%]",
  ],
  ...["`", "``", "```", "~~~", "~", "\n", "\n\n", "\n```\n", "\n~~~\n", " ", "  ", "\t", "\r\n"],
  ...["a", "b c", "- ", "> ", "# ", "1. ", "|", "\\", "*", "_", "5%]"],
);
const texts = fc.array(pieces, { maxLength: 40 }).map((all) => all.join(""));
/** Without white space and marks of emphasis, which may go with a report. */
const solid = (text: string): string => text.replaceAll(/[\s*_]+/g, "");
const bare = (text: string): string => {
  const less = text.replaceAll(/\[ctx:~?\d{1,2}%\]/gi, "");
  return less === text ? text : bare(less);
};

describe("any text", () => {
  it("without a report is unchanged", () => {
    const plain = texts.map((text) => text.replaceAll(/\[ctx/gi, "[cxt"));
    fc.assert(
      fc.property(plain, (text) => {
        expect(parseSelfReport(text)).toEqual({ text, percent: null });
      }),
      { numRuns: 1_000 },
    );
  });

  it("loses nothing but its reports and white space", () => {
    const apart = texts.map((text) => text.replaceAll(/\[c(?!tx: )|tx: 3%\]|\[ctx:(?! )/g, ""));
    fc.assert(
      fc.property(apart, (text) => {
        expect(bare(solid(parseSelfReport(text).text))).toBe(bare(solid(text)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("has none left that is one", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = parseSelfReport(text).text;
        expect(parseSelfReport(once)).toEqual({ text: once, percent: null });
      }),
      { numRuns: 5_000 },
    );
  });

  it.each([
    ["white space", `x${" ".repeat(200_000)}y [ctx: 5%]`],
    ["reports", "[ctx: 5%] ".repeat(20_000)],
    ["reports on lines of their own", "[ctx: 5%]\n\n".repeat(20_000)],
    ["reports that stay", "[c[ctx: 5%]".repeat(20_000)],
    ["backticks", `${"`".repeat(200_000)} [ctx: 5%]`],
    [
      "unclosed backticks",
      `${Array.from({ length: 600 }, (_, n) => "`".repeat(n)).join(" ")} [ctx: 5%]`,
    ],
    ["inline code", `${"`a` ".repeat(50_000)}[ctx: 5%]`],
    ["fences", `${"```\n".repeat(50_001)}[ctx: 5%]`],
    ["list marks", `${"- ".repeat(100_000)}[ctx: 5%]`],
    ["emphasis", `${"*".repeat(200_000)}[ctx: 5%]`],
    ["beginnings", `${"[ctx: ".repeat(50_000)}[ctx: 5%]`],
  ])("of many %s takes linear time", (_what, text) => {
    const since = performance.now();
    parseSelfReport(text);
    expect(performance.now() - since).toBeLessThan(1_000);
  });
});
