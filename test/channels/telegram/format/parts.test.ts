import { describe, expect, it } from "vitest";
import { renderParts } from "../../../../src/channels/telegram/format/parts.ts";
import { chunkPlain } from "../../../../src/channels/telegram/format/plain.ts";
import { faults, marks, squeeze } from "./marked.ts";

const FOOTER = "[ctx: 62%]";
const texts = (parts: readonly { readonly text: string }[]) => parts.map(({ text }) => text);

describe("renderParts", () => {
  it("puts the footer under every part on a line of its own, outside code", () => {
    const parts = renderParts(`\`\`\`ts\n${"let a;\n".repeat(2_000)}\`\`\``, FOOTER);
    expect(parts.length).toBe(4);
    for (const part of parts) {
      expect(part.text.endsWith(`;\n\n${FOOTER}`)).toBe(true);
      expect(marks(part)).toEqual([`pre/ts:${part.text.slice(0, -FOOTER.length - 2)}`]);
    }
    expect(faults(parts)).toEqual([]);
  });

  it("uses what the footer leaves of a message, to the last unit", () => {
    const parts = renderParts("x".repeat(8_000), FOOTER);
    expect(texts(parts).map(({ length }) => length)).toEqual([4_096, 3_928]);
    expect(texts(renderParts("x".repeat(4_096), null))).toEqual(["x".repeat(4_096)]);
  });

  it.each([
    ["", "nothing"],
    [" \n\t\u00a0\u200b ", "blanks"],
    ["```ts\n\n```", "an empty fence"],
    ["&nbsp;", "a blank"],
  ])("has what stands for nothing in the place of %j (%s)", (markdown) => {
    const placeholder = "(nothing)";
    expect(renderParts(markdown, FOOTER, { placeholder })).toEqual([
      { text: `(nothing)\n\n${FOOTER}`, entities: [] },
    ]);
    expect(texts(renderParts(markdown, null, { placeholder }))).toEqual([placeholder]);
    expect(renderParts(markdown, FOOTER)).toEqual([]);
  });

  it("takes a footer that is blank, broken into lines, or longer than a message", () => {
    expect(texts(renderParts("a", " \n"))).toEqual(["a"]);
    expect(texts(renderParts("a", "b\n\n c\ud800\0"))).toEqual(["a\n\nb c\ufffd"]);
    const parts = renderParts("a", "f".repeat(9_000));
    expect(parts).toHaveLength(1);
    expect(faults(parts)).toEqual([]);
  });

  it("gives the same parts for the same text", () => {
    const text = "# a\n\n- **b** `c`\n\n".repeat(900);
    expect(renderParts(text, FOOTER)).toEqual(renderParts(text, FOOTER));
  });
});

describe("a long answer", () => {
  const paragraph =
    "Some **bold** words and `code` in src/foo_bar.ts, see [the page](https://x.yz/p).";

  it("is formatted to its end, pieces and all", () => {
    const markdown = `## Part\n\n${paragraph}\n\n- one\n- two\n\n`.repeat(300);
    const parts = renderParts(markdown, null);
    const shown = `Part${squeeze(paragraph.replaceAll(/\*\*|`|\]\(.*\)|\[/g, ""))}•one•two`;
    expect(squeeze(texts(parts).join(""))).toBe(shown.repeat(300));
    const all = parts.flatMap(marks);
    expect(all.filter((one) => one === "bold:Part")).toHaveLength(300);
    expect(all.filter((one) => one === "code:code")).toHaveLength(300);
    expect(all.filter((one) => one.startsWith("text_link"))).toHaveLength(300);
    expect(faults(parts)).toEqual([]);
  });

  it("keeps fences of any length whole between its pieces", () => {
    const code = "const a = `*b*`;\n\n> no quote\n- no list\n".repeat(400);
    const markdown = `${paragraph}\n\`\`\`ts\n${code}\`\`\`\n${paragraph}\n~~~~\n~~~\n${code}`;
    const parts = renderParts(markdown, null);
    const all = parts.flatMap(marks);
    const typed = all.filter((one) => one.startsWith("pre/ts:")).map((one) => one.slice(7));
    const bare = all.filter((one) => one.startsWith("pre:")).map((one) => one.slice(4));
    expect(squeeze(typed.join(""))).toBe(squeeze(code));
    expect(squeeze(bare.join(""))).toBe(squeeze(`~~~${code}`));
    expect(faults(parts)).toEqual([]);
  });

  it("numbers a long list through, and loses no item of it", () => {
    const items = Array.from({ length: 1_500 }, (_, at) => `${at + 1}. item ${at + 1}`);
    const parts = renderParts(items.join("\n"), null);
    expect(texts(parts).join("\n").split("\n")).toEqual(items);
  });

  it("shows what is too much to parse as it was written, to the last character", () => {
    const line = "| **x** | y |\n";
    const parts = renderParts(line.repeat(20_000), null);
    expect(squeeze(texts(parts).join("")).endsWith(squeeze(line.repeat(10_000)))).toBe(true);
    expect(faults(parts)).toEqual([]);
  });

  it.each([
    ["a quote 10,000 deep", `${">".repeat(10_000)} end`],
    ["a list 10,000 deep", `${"- ".repeat(10_000)}end`],
    ["emphasis 10,000 deep", `${"*a **a ".repeat(5_000)}end${" b** b*".repeat(5_000)}`],
    ["links 10,000 deep", `${"[".repeat(10_000)}end${"](x)".repeat(10_000)}`],
    ["images 2,000 deep", `${"![".repeat(2_000)}end${"](x)".repeat(2_000)}`],
    ["stars", `${"*".repeat(50_000)}end${"*".repeat(50_000)}`],
    ["comments never closed", `${"a <!-- ".repeat(20_000)}end`],
    ["a megabyte of list", `${"- a\n".repeat(250_000)}- end`],
    ["a megabyte of a table", `|a|b|\n|-|-|\n${"|x|y|\n".repeat(160_000)}|end|y|`],
    ["a megabyte of fences", `${"```\n".repeat(250_000)}end`],
    ["a megabyte in one line", `${"word ".repeat(200_000)}end`],
    ["a megabyte of spaces", `a${" ".repeat(1_000_000)}end`],
    ["a megabyte of line breaks", `a${"\n".repeat(1_000_000)}end`],
  ])("does not stumble over %s", (_name, markdown) => {
    const began = performance.now();
    const parts = renderParts(markdown, FOOTER);
    // Under a second each on an idle machine; a stack overflow or a square would be minutes.
    expect(performance.now() - began).toBeLessThan(20_000);
    expect(texts(parts).some((text) => text.includes("end"))).toBe(true);
    expect(faults(parts)).toEqual([]);
  });
});

describe("chunkPlain", () => {
  it("shows the source as it is, the footer under every part", () => {
    const source = "# **a**\n\tb `c`\n\n```ts\n  d\n```";
    expect(texts(chunkPlain(source, FOOTER))).toEqual([
      `# **a**\n    b \`c\`\n\n\`\`\`ts\n  d\n\`\`\`\n\n${FOOTER}`,
    ]);
    const parts = chunkPlain("word ".repeat(2_000), FOOTER, { maxUnits: 1_000 });
    expect(parts.length).toBe(11);
    expect(texts(parts).every((text) => text.endsWith(`word\n\n${FOOTER}`))).toBe(true);
  });

  it("makes no message of a text in which nothing can be seen", () => {
    expect(chunkPlain(" \n", null)).toEqual([]);
  });
});
