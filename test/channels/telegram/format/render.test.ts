import { describe, expect, it } from "vitest";
import { renderMarkdown } from "../../../../src/channels/telegram/format/render.ts";
import { faults, marks } from "./marked.ts";

/** Markdown, the text it becomes, and its entities. */
type Case = readonly [name: string, markdown: string, text: string, marks: readonly string[]];

const CODE: readonly Case[] = [
  ["keeps the language of code", "```ts\nlet a;\n```", "let a;", ["pre/ts:let a;"]],
  ["keeps the language alone of an info string", '```py title="x"\na\n```', "a", ["pre/py:a"]],
  ["keeps the indentation of code", "```\n  a\n\tb\n```", "  a\n    b", ["pre:  a\n    b"]],
  [
    "shows a fence in a longer fence",
    "````\n```\na\n```\n````",
    "```\na\n```",
    ["pre:```\na\n```"],
  ],
  ["takes an unclosed fence to the end", "a\n```sh\nls\n\nb", "a\nls\n\nb", ["pre/sh:ls\n\nb"]],
  ["leaves no entity for empty code", "a\n\n```ts\n\n```\n\nb", "a\n\nb", []],
  ["leaves bold out of code", "**a `b` c**", "a b c", ["bold:a", "code:b", "bold:c"]],
  ["makes code in a heading code", "# Use `x`", "Use x", ["bold:Use", "code:x"]],
  ["shows indented code", "a\n\n    b\n      c", "a\n\nb\n  c", ["pre:b\n  c"]],
  [
    "puts code in a list at the margin",
    "- a\n  ```sh\n  ls\n  ```\n- b",
    "• a\nls\n• b",
    ["pre/sh:ls"],
  ],
];

const STYLES: readonly Case[] = [
  ["nests styles", "**a _b ~~c~~_**", "a b c", ["bold:a b c", "italic:b c", "strikethrough:c"]],
  ["makes one of the same style twice", "# a **b**", "a b", ["bold:a b"]],
  ["keeps underscores in names", "snake_case_name __init__.py", "snake_case_name __init__.py", []],
  ["keeps a dunder name as it is", "def __init__(self)", "def __init__(self)", []],
  ["makes other words bold", "__note__ this", "note this", ["bold:note"]],
  ["shows HTML as it is", "<b>a</b>\n\n<div>\nx\n</div>", "<b>a</b>\n\n<div>\nx\n</div>", []],
  ["decodes references", "&lt;a&gt; &amp; &#x41;", "<a> & A", []],
  ["breaks lines", "a  \nb\\\nc\nd", "a\nb\nc\nd", []],
  ["draws a break between themes", "a\n\n---\n\nb", "a\n\n──────────\n\nb", []],
];

const LINKS: readonly Case[] = [
  ["links", "[a **b**](https://x.yz/q)", "a b", ["text_link(https://x.yz/q):a b", "bold:b"]],
  [
    "links a bare address",
    "see https://x.yz.",
    "see https://x.yz.",
    ["text_link(https://x.yz):https://x.yz"],
  ],
  ["links to Telegram", "[a](tg://resolve?domain=b)", "a", ["text_link(tg://resolve?domain=b):a"]],
  ["resolves references", "[a][1]\n\n[1]: http://x.yz", "a", ["text_link(http://x.yz):a"]],
  ["shows other addresses", "[a](src/b.ts) [c](javascript:d)", "a (src/b.ts) c (javascript:d)", []],
  ["shows a host without a dot", "[a](http://localhost:3000)", "a (http://localhost:3000)", []],
  ["shows an address that hides its host", "[a](https://b.cd@e.fg)", "a (https://b.cd@e.fg)", []],
  ["shows a link to a user", "[a](tg://user?id=1)", "a (tg://user?id=1)", []],
  [
    "leaves mail and phones to Telegram",
    "[a](mailto:b@c.de) <f@g.hi> [j](tel:+1)",
    "a (b@c.de) f@g.hi j (+1)",
    [],
  ],
  ["makes an image a link", "![a](http://x.yz/i.png)", "a", ["text_link(http://x.yz/i.png):a"]],
  [
    "makes an image in a link its label",
    "[![a](http://b.cd)](http://e.fg)",
    "a",
    ["text_link(http://e.fg):a"],
  ],
  [
    "shows the address for want of a label",
    "[](http://x.yz)",
    "http://x.yz",
    ["text_link(http://x.yz):http://x.yz"],
  ],
  ["leaves code in a link plain", "[`a`](http://x.yz)", "a", ["text_link(http://x.yz):a"]],
  ["keeps a text that looks like a definition", "[INFO]: started", "[INFO]: started", []],
  ["shows footnotes", "a[^1]\n\n[^1]: b\n    c", "a[1]\n\n[1] b\n  c", []],
];

const BLOCKS: readonly Case[] = [
  ["indents nested lists", "- a\n  - b\n    c\n- d", "• a\n  • b\n    c\n• d", []],
  ["numbers lists from their start", "3. a\n4. b\n   1. c", "3. a\n4. b\n   1. c", []],
  ["shows tasks", "- [x] a\n- [ ] b\n- c", "☑ a\n☐ b\n• c", []],
  ["keeps empty items", "-\n- a", "•\n• a", []],
  ["keeps the distance of blocks", "# a\nb\n- c\n\n\n- d", "a\nb\n• c\n\n• d", ["bold:a"]],
  ["quotes", "> a **b**\n>\n> c", "a b\n\nc", ["blockquote:a b\n\nc", "bold:b"]],
  [
    "marks a quote in a quote",
    "> a\n>\n> > b\n> > c",
    "a\n\n> b\n> c",
    ["blockquote:a\n\n> b\n> c"],
  ],
  [
    "holds indented code in a quote",
    ">     a\n>       b",
    "a\n  b",
    ["blockquote:a\n  b", "pre:a\n  b"],
  ],
  ["quotes in a list", "- a\n\n  > b", "• a\n\nb", ["blockquote:b"]],
  ["puts a list in a quote", "> - a\n>   - b", "• a\n  • b", ["blockquote:• a\n  • b"]],
];

describe("renderMarkdown", () => {
  it.each([...CODE, ...STYLES, ...LINKS, ...BLOCKS])("%s", (_name, markdown, text, expected) => {
    const rich = renderMarkdown(markdown);
    expect(rich.text).toBe(text);
    expect(marks(rich)).toEqual(expected);
    expect(faults([rich])).toEqual([]);
  });

  it("lays a table out by the width of its cells, wide characters and emoji counted double", () => {
    const table = "|a|漢字|c|\n|:-|-:|:-:|\n|`x`|1|👍|\n|long|~~2~~|[l](http://x.yz)|";
    const rich = renderMarkdown(table);
    expect(rich.text.split("\n")).toEqual([
      "a    │ 漢字 │        c",
      "─────┼──────┼────────────────",
      "x    │    1 │       👍",
      "long │    2 │ l (http://x.yz)",
    ]);
    expect(marks(rich)).toEqual([`pre:${rich.text}`]);
  });

  it("lets one long cell not pad all others", () => {
    const rows = `|${"x".repeat(3_000)}|\n${"|y|\n".repeat(100)}`;
    expect(renderMarkdown(`|h|\n|-|\n${rows}`).text.length).toBeLessThan(10_000);
  });

  it("shows control characters and lone surrogates as what Telegram keeps of them", () => {
    const rich = renderMarkdown("a\u0000b\ud800c\u001bd\r\ne\u202ef A\u030a **\udfff**");
    expect(rich.text).toBe("a b\ufffdc d\nef \u00c5 \ufffd");
    expect(marks(rich)).toEqual(["bold:\ufffd"]);
  });
});
