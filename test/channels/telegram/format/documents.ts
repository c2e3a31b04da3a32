import fc from "fast-check";

/** A Markdown text, and the words that a reader must see of it, in order. */
export interface Written {
  readonly markdown: string;
  readonly words: readonly string[];
}

const PLAIN = /^[a-z][a-z0-9]{0,9}$/;
const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(PLAIN) },
  fc.constantFrom(
    "snake_case_name",
    "漢字",
    "👨‍👩‍👧‍👦",
    "🇩🇪",
    "שלום",
    "مرحبا",
    "e\u0301",
    "a.b",
    "Größe",
  ),
);
/** Words that stand in marks must not end the marks, nor make a name of Python of them. */
const marked = fc.stringMatching(/^[b-m][a-z0-9]{0,9}$/).map((text) => `q${text}`);

const leaf: fc.Arbitrary<Written> = fc.oneof(
  { weight: 4, arbitrary: word.map((text) => ({ markdown: text, words: [text] })) },
  marked.map((text) => ({ markdown: `\`${text}\``, words: [text] })),
  fc.tuple(marked, marked).map(([label, host]) => ({
    markdown: `[${label}](https://${host}.example/x)`,
    words: [label],
  })),
  fc.tuple(marked, marked).map(([label, path]) => ({
    markdown: `[${label}](./${path}.ts)`,
    words: [label, `(./${path}.ts)`],
  })),
  marked.map((text) => ({ markdown: `<b>${text}</b>`, words: ["<b>", text, "</b>"] })),
  marked.map((text) => ({ markdown: `![${text}](http://x.yz/i.png)`, words: [text] })),
);

const join = (all: readonly Written[], by: string): Written => ({
  markdown: all.map(({ markdown }) => markdown).join(by),
  words: all.flatMap(({ words }) => words),
});

const wrap = (marks: readonly string[], { markdown, words }: Written): Written => ({
  markdown: marks.join("") + markdown + marks.toReversed().join(""),
  words,
});
const styled = fc
  .tuple(fc.subarray(["**", "_", "~~"]), leaf)
  .map(([marks, inner]) => wrap(marks, inner));
const line = fc.array(styled, { minLength: 1, maxLength: 8 }).map((all) => join(all, " "));
const lines = fc.array(line, { minLength: 1, maxLength: 3 }).map((all) => join(all, "\n"));

const prefixed = (text: string, first: string, rest: string) =>
  text
    .split("\n")
    .map((one, index) => (one === "" ? one : (index === 0 ? first : rest) + one))
    .join("\n");

const fence = fc
  .tuple(
    fc.constantFrom("", "ts", "c++"),
    fc.array(fc.tuple(fc.constantFrom("", "  ", "\t"), marked), { minLength: 1, maxLength: 12 }),
  )
  .map(([language, rows]) => ({
    markdown: `\`\`\`${language}\n${rows.map(([by, text]) => by + text).join("\n")}\n\`\`\``,
    words: rows.map(([, text]) => text),
  }));

const table = fc
  .tuple(
    fc.array(marked, { minLength: 2, maxLength: 2 }),
    fc.array(fc.array(leaf, { minLength: 2, maxLength: 2 }), { maxLength: 4 }),
  )
  .map(([head, rows]) => ({
    markdown: [`| ${head.join(" | ")} |`, "| --- | :-: |"]
      .concat(rows.map((cells) => `| ${cells.map(({ markdown }) => markdown).join(" | ")} |`))
      .join("\n"),
    words: head.concat(rows.flatMap((cells) => cells.flatMap(cellWords))),
  }));

/** In a table a link has no entity: its address is shown. */
function cellWords({ markdown, words }: Written): readonly string[] {
  const [, address] = /\]\((https?:[^)]*)\)$/.exec(markdown) ?? [];
  return address === undefined ? words : [...words, `(${address})`];
}

const flat: fc.Arbitrary<Written> = fc.oneof(
  lines,
  lines,
  fc.tuple(fc.constantFrom("#", "##", "######"), line).map(([mark, { markdown, words }]) => ({
    markdown: `${mark} ${markdown}`,
    words,
  })),
  fence,
  table,
);

function nested(depth: number): fc.Arbitrary<Written> {
  if (depth === 0) return flat;
  const inner = nested(depth - 1);
  const inside = fc.array(inner, { minLength: 1, maxLength: 3 }).map((all) => join(all, "\n\n"));
  const quote = inside.map(({ markdown, words }) => ({
    markdown: prefixed(markdown, "> ", "> ").replaceAll(/^$/gm, ">"),
    words,
  }));
  const list = fc
    .tuple(
      fc.constantFrom("- ", "1. ", "- [x] "),
      fc.array(fc.tuple(line, inner), { minLength: 1, maxLength: 3 }),
    )
    .map(([bullet, items]) => {
      const by = " ".repeat(bullet.startsWith("1") ? 3 : 2);
      const all = items.map(([first, below]) => {
        const item = join([first, below], "\n\n");
        return { markdown: prefixed(item.markdown, bullet, by), words: item.words };
      });
      return join(all, "\n");
    });
  return fc.oneof({ weight: 2, arbitrary: flat }, quote, list);
}

/** Documents of paragraphs, headings, code, tables, lists and quotes in one another, short and long. */
export const documents: fc.Arbitrary<Written> = fc
  .array(nested(2), { minLength: 1, maxLength: 8 })
  .chain((blocks) =>
    fc
      .integer({ min: 1, max: 3 })
      .map((times) => join(Array.from({ length: times }, () => blocks).flat(), "\n\n")),
  );

/** Text of nothing but what Markdown gives a meaning to. */
export const junk: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      ..."*_`~[]()!<>#-+|\\&;:.1 \t\n".split(""),
      "\n\n",
      "    ",
      "```",
      "~~~",
      "> ",
      "- ",
      "1. ",
      "[^a]",
      "[^a]: ",
      "[a]: ",
      "|-|",
      "a",
      "bc",
      "é",
      "👍",
      "\0",
      "\ud800",
      "\u200b",
      "\u202e",
      "http://a.bc",
      "www.a.bc",
      "a@b.cd",
      "&nbsp;",
      "&#xd800;",
      "&#9;",
    ),
    { maxLength: 80 },
  )
  .map((all) => all.join(""));
