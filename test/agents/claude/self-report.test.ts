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
    ["Done. [ctx: ≈ 70%]", "Done.", 70],
    ["Done. [ctx: ≈70%]", "Done.", 70],
    ["Done. [ctx: 70 %]", "Done.", 70],
    ["Done. [ctx:\u00a0~\u202f70\u202f%]", "Done.", 70],
    ["Done. [ctx: about 70%]", "Done.", 70],
    ["Done. [ctx: About ~70%]", "Done.", 70],
    ["Done. [ctx: approx. 70%]", "Done.", 70],
    ["Done. [ctx: approximately 70%]", "Done.", 70],
    ["Done. [ctx: around 70 percent]", "Done.", 70],
    ["Done. [ctx: roughly 70% used]", "Done.", 70],
    ["Done. [ctx: <5%]", "Done.", 5],
    ["Done. [ctx: ～70％]", "Done.", 70],
    ["Done. [ctx: 7,5%]", "Done.", 7],
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
    "As a block:\n\n    [ctx: ~45%]\n\nDone.",
    "As a block:\n\n\t[ctx: ~45%]",
    "    [ctx: ~45%]",
    "    code\n\n    [ctx: ~45%]\n    more\n\nDone.",
    "> A quote:\n>\n>     [ctx: ~45%]",
    "- item\n\n      [ctx: ~45%]\n",
    "<pre>\n[ctx: ~45%]\n</pre>",
    "<pre>one\n\n[ctx: ~45%]\n\ntwo</pre>\n\nDone.",
    '<pre class="a"><code>\n\n[ctx: ~45%]\n</code></pre>',
    "<PRE>\n[ctx: ~45%]\n\nnothing closes it",
    "<code>\n[ctx: ~45%]\n</code>",
    "<code>\n\n[ctx: ~45%]\n\n</code>\n\nDone.",
    "Write <code>[ctx: ~45%]</code> at the end.",
    "<div>\n<code>[ctx: ~45%]</code>\n</div>",
    "- item <kbd>[ctx: ~45%]</kbd>",
    "<div>\n```\n</div>\n\n    [ctx: ~45%]",
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
    ["    code\n\n[ctx: 45%]", "    code"],
    ["text\n    [ctx: 45%] goes on", "text\n    goes on"],
    ["- item\n\n    [ctx: 45%] in it", "- item\n\n    in it"],
    ["1. item\n   ```\n   code\n   ```\n\n[ctx: 45%]", "1. item\n   ```\n   code\n   ```"],
    ["    ```\n\n[ctx: 45%]", "    ```"],
    ["- a\n  ```\n  nothing closes it\n\n[ctx: 45%]", "- a\n  ```\n  nothing closes it"],
    ["<pre>code</pre>\n\n[ctx: 45%]", "<pre>code</pre>"],
    ["The <code> tag.\n\n[ctx: 45%]", "The <code> tag."],
    ["<code>a</code> b [ctx: 45%] <code>c</code>", "<code>a</code> b <code>c</code>"],
    ["<div>\n[ctx: 45%]\n</div>", "<div>\n</div>"],
    ["Write `<pre>`.\n\n[ctx: 45%]", "Write `<pre>`."],
  ])("is one beside code: %j", (answer, text) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent: 45 });
  });

  it.each([
    ["Done.\n\n`[ctx: ~62%]`", "Done."],
    ["Done.\n`[ctx: ~62%]`\n", "Done."],
    ["Done.\n\n**`[ctx: ≈ 62 %]`**", "Done."],
    ["Done. `[ctx: ~62%]`", "Done."],
    ['"Done!" ``[ctx: ~62%]``', '"Done!"'],
    ["All green ✅ `[ctx: ~62%]`", "All green ✅"],
    ["```\n[ctx: 5%]\n```\n\n`[ctx: ~62%]`", "```\n[ctx: 5%]\n```"],
    ["`[ctx: ~62%]`", ""],
  ])("is one in backticks where it comes last: %j leaves %j", (answer, text) => {
    expect(parseSelfReport(answer)).toEqual({ text, percent: 62 });
  });

  it.each([
    "I end with `[ctx: ~62%]`",
    "One. `[ctx: ~62%]` Two.",
    "`[ctx: ~62%]`\n\nis what I write.",
    "- a\n- `[ctx: ~62%]`",
    "Done.\n\n`[ctx: ~62%] or so`",
    "Done.\n\n    `[ctx: ~62%]`",
    "```\nDone.\n`[ctx: ~62%]`",
  ])("is code in backticks anywhere else: %j", (answer) => {
    expect(parseSelfReport(answer)).toEqual({ text: answer, percent: null });
  });

  it("is code in backticks beside a real one", () => {
    const [example, real] = ["I write:\n\n`[ctx: ~45%]`", "[ctx: ~30%]"];
    expect(parseSelfReport(`${example}\n\n${real}`)).toEqual({ text: example, percent: 30 });
  });

  it.each([
    ["what follows it would become code", "[ctx: 5%]\n    goes on"],
    ["what follows it would become code in an item", "-   [ctx: 5%]\n\n        goes on"],
    ["what follows it would become HTML", "[ctx: 5%]<!--\n\n```\ncode\n```"],
  ])("stays where without it %s", (_why, answer) => {
    expect(parseSelfReport(answer)).toEqual({ text: answer, percent: null });
  });

  it.each([
    "Done. [ctx: ~250%]",
    "Done. [ctx: 100.5%]",
    "[ctx: many%]",
    "[ctx: about many%]",
    "[ctx: ~NN%]",
    "[ctx: 45]",
    "ctx: 45%",
    "\\[ctx: 45%]",
  ])("is none, and stays, in %j", (answer) => {
    expect(parseSelfReport(answer)).toEqual({ text: answer, percent: null });
  });
});

describe("the agent's own estimate in an answer that is too long for the parser", () => {
  const list = "- an item\n".repeat(2_000);
  const listing = "   code\n\n".repeat(4_000);

  it.each([
    `${list}[ctx: 45%]`,
    `${list}\n[ctx: 45%]`,
    `${list}so [ctx: 45%]\n`,
    `${list}- \`code\`\n[ctx: 45%]`,
    `${list}  \`\`\`\n  code\n  \`\`\`\n[ctx: 45%]`,
    `<pre>\n${listing}</pre>\n\n[ctx: 45%]`,
    `1. item\n   \`\`\`\n${listing}   \`\`\`\n\n[ctx: 45%]`,
  ])("is taken out", (answer) => {
    const { text, percent } = parseSelfReport(answer);
    expect(percent).toBe(45);
    expect(text).toBe(answer.replace(/(?: |\n+)\[ctx: 45%\]\n?$/, ""));
  });

  it.each([
    `${list}- write \`[ctx: 45%]\`\n${list}`,
    `${list}      [ctx: 45%]\n${list}`,
    `${list}  \`\`\`\n  [ctx: 45%]\n  \`\`\`\n${list}`,
    `${list}- write <code>[ctx: 45%]</code>\n${list}`,
    `<pre>\n${listing}[ctx: 45%]\n\n${listing}</pre>`,
    `1. item\n   \`\`\`\n${listing}   [ctx: 45%]\n   \`\`\``,
    `\`\`\`\n${listing}[ctx: 45%]\n\n${listing}\`\`\``,
  ])("is none in code", (answer) => {
    const { text, percent } = parseSelfReport(answer);
    expect(percent).toBeNull();
    expect(text).toBe(answer);
  });

  const page = `## Head\n\n${"A sentence with `code`.\n\n".repeat(9)}- item\n- item\n\n\`\`\`ts\na();\n\n\`\`\`\n\n1. Do:\n   \`\`\`\n   cmd\n   \`\`\`\n\n`;
  const code = (indent: string) =>
    `${`${indent}a line of code\n\n`.repeat(10)}${indent}[ctx: 5%]\n`.repeat(10_000);
  it.each([
    ["Markdown", page.repeat(6_600)],
    ["Markdown with many reports", `${page.repeat(50)}so [ctx: 5%]\n\n`.repeat(130)],
    ["one line", "word ".repeat(400_000)],
    ["lines", "a line of it\n".repeat(150_000)],
    ["one list", "- an item\n".repeat(200_000)],
    ["code", `\`\`\`\n${code("")}\`\`\`\n`],
    ["indented code", code("    ")],
    ["HTML code", `<pre>\n${code("")}</pre>\n`],
    ["HTML tags", `${"<code> ".repeat(280_000)}\n`],
  ])("takes no seconds where it is 2 MB of %s", (_what, answer) => {
    const since = process.cpuUsage();
    expect(parseSelfReport(`${answer}\n[ctx: 45%]`).percent).toBe(45);
    expect(process.cpuUsage(since).user).toBeLessThan(2_000_000);
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
  ...[
    "    ",
    "<pre>",
    "</pre>",
    "\n<pre>\n",
    "<code>",
    "</code>",
    "<!--",
    "-->",
    "`[ctx: 8%]`",
    ".",
  ],
  ...["a", "b c", "- ", "> ", "# ", "1. ", "|", "\\", "*", "_", "5%]"],
);
const texts = fc.array(pieces, { maxLength: 40 }).map((all) => all.join(""));
/** Without white space and marks of emphasis, which may go with a report. */
const solid = (text: string): string => text.replaceAll(/[\s*_]+/g, "");
/** Without a report in backticks that comes last, and may be taken out with them. */
const unticked = (text: string): string => text.replace(/(`{1,2})\[ctx:~?\d{1,2}%\]\1$/, "");
const bare = (text: string): string => {
  const less = text.replaceAll(/\[ctx:[~>]?\d{1,2}%\]/gi, "");
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
        const left = bare(solid(parseSelfReport(text).text));
        const whole = solid(text);
        expect([bare(whole), bare(unticked(whole))]).toContain(left);
      }),
      { numRuns: 2_000 },
    );
  });

  it("has none left that is one, save an example that has come last", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = parseSelfReport(text).text;
        fc.pre(!/`\[ctx: ~?\d{1,2}%\] ?`+[*_]*\s*$/.test(once));
        expect(parseSelfReport(once)).toEqual({ text: once, percent: null });
      }),
      { numRuns: 2_000 },
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
    const since = process.cpuUsage();
    parseSelfReport(text);
    expect(process.cpuUsage(since).user).toBeLessThan(1_000_000);
  });
});
