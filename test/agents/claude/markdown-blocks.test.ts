import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsedCode } from "../../../src/agents/claude/code-reader.ts";
import { cutBlocks } from "../../../src/agents/claude/markdown-blocks.ts";

const starts = fc.constantFrom(
  ...["", "", "", " ", "  ", "   ", "    ", "      ", "\t"],
  ...["- ", "* ", "1. ", "1) ", "> ", "> - ", "- > ", "  - ", "   1. ", "[^a]: ", "# ", "| "],
);
const contents = fc.constantFrom(
  ...["X", "X", "X a", "`X", "`X`", "X ``", "X [^a]", "---", "|-|-|", "| X | `X`|", "[a]: X"],
  ...["```", "```X", "````", "~~~", "~~~ X", "``` `X`", "```X```"],
  ...["<pre>", "<pre>X</pre>", "</pre>", "<PRE", "<script>", "<!-- X", "-->", "<!-->"],
  ...["<?X", "?>", "<!X", "<!X>", "<![CDATA[", "]]>", "<div>", "<div>X", "</div>", "<b>", "<code>"],
);
const lines = fc.tuple(starts, contents).map(([start, content]) => start + content);
const ends = fc.constantFrom("\n", "\n", "\n", "\n\n", "\n\n", "\r\n", "\n \n", "\n\n\n");
const texts = fc.array(fc.tuple(lines, ends), { maxLength: 12 }).map((all) => all.flat().join(""));

const inCode = (text: string): readonly number[] => {
  const code = parsedCode(text) ?? [];
  return [...text.matchAll(/X/g)].flatMap(({ index }) =>
    code.some(({ start, end }) => start <= index && index < end) ? [index] : [],
  );
};

describe("the blocks of a Markdown text", () => {
  it("are all of it, in order", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const blocks = cutBlocks(text).map(({ start, end }) => text.slice(start, end));
        expect(blocks.join("")).toBe(text);
        expect(blocks).not.toContain("");
      }),
    );
  });

  it("hold the same code by themselves as in the whole text", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const apart = cutBlocks(text).flatMap(({ kind, start, end }) => {
          const block = text.slice(start, end);
          const all = [...block.matchAll(/X/g)].map(({ index }) => index);
          return (kind === "fence" ? all : inCode(block)).map((index) => index + start);
        });
        expect(apart).toEqual(inCode(text));
      }),
      { numRuns: 400 },
    );
  });
});
