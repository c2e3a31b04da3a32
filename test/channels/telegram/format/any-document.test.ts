import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Rich } from "../../../../src/channels/telegram/format/entities.ts";
import { renderParts } from "../../../../src/channels/telegram/format/parts.ts";
import { chunkPlain } from "../../../../src/channels/telegram/format/plain.ts";
import { checkMessage } from "../../../support/telegram-entities.ts";

const judge = (parts: readonly Rich[]) =>
  parts
    .map((part) =>
      checkMessage(
        part.text,
        part.entities.map((entity) => ({ ...entity })),
      ),
    )
    .filter((wrong) => wrong !== null);

/** What can be read, whatever the white space. */
const words = (text: string) => text.replaceAll(/\s+/g, "");
const shown = (parts: readonly Rich[]) => words(parts.map((part) => part.text).join(""));

const FAMILY = "👨‍👩‍👧‍👦";
const NASTY: Readonly<Record<string, string>> = {
  "nested fences": "````md\n```ts\nconst a = 1;\n```\n````",
  "an unclosed fence": "```ts\nconst a = 1;\nand so on",
  "a fence in a list": "- one\n  ```sh\n  ls -l\n  ```\n- two",
  "a table": "| a | b |\n|---|:-:|\n| 漢字 | `x` |\n| 👍 | **bold** |",
  "identifiers with underscores": "use snake_case_name and __init__ and a_b_c",
  "nested lists and quotes": "> - a\n>   - b\n>     > c\n\n1. x\n   1. y\n      - z",
  "deep styles around code": "**bold `code` _it ~~gone `more` x~~_**",
  HTML: "<b>bold</b> <script>alert(1)</script> a < b && c > d",
  links:
    "[ok](https://x.y) [js](javascript:alert) [mail](mailto:a@b.c) <https://z.z> ![img](http://i.j/k.png)",
  "right-to-left": "**שלום** עולם\n\n> مرحبا `code`",
  "3,000 emoji": FAMILY.repeat(3000),
  "emoji sequences at a cut": `${"x".repeat(4090)}${FAMILY}${"🇩🇪".repeat(20)}`,
  "a 10,000-line fence": `\`\`\`ts\n${"const line = 1;\n".repeat(10_000)}\`\`\``,
  "100 kB without a space": "x".repeat(100_000),
  "a NUL and half characters": "a\0b \uD83D c \uDE00 d",
  "only white space": " \n\t\n ",
  "a stack of accents": `e${"\u0301".repeat(5000)}`,
  "a thousand styles": "**a** _b_ `c` ".repeat(1000),
  "a deep quote": `${"> ".repeat(5000)}deep`,
  "a deep list": Array.from({ length: 300 }, (_, n) => `${"  ".repeat(n)}- x`).join("\n"),
  "many brackets": "[".repeat(50_000),
  "a reference": "[a][b] and [^1]\n\n[b]: https://x.y\n[^1]: note",
  "task list": "- [x] done\n- [ ] open",
};

describe("every part of a rendered answer", () => {
  it.each(Object.entries(NASTY))("is taken by Telegram for %s", (_, markdown) => {
    for (const footer of [null, "[ctx: 62%]"]) {
      const parts = renderParts(markdown, footer);
      expect(judge(parts)).toEqual([]);
      expect(parts.every((part) => part.text.endsWith(footer ?? ""))).toBe(true);
    }
    expect(judge(chunkPlain(markdown, null))).toEqual([]);
  });

  it("loses nothing of a long fence and keeps its language in each part", () => {
    const code = Array.from({ length: 10_000 }, (_, n) => `const line${n} = ${n};`).join("\n");
    const parts = renderParts(`\`\`\`ts\n${code}\n\`\`\``, null);
    expect(shown(parts)).toBe(words(code));
    expect(parts.length).toBeGreaterThan(40);
    for (const { text, entities } of parts) {
      expect(entities).toEqual([{ type: "pre", language: "ts", offset: 0, length: text.length }]);
    }
  });

  it("cuts at a blank line outside code where there is one", () => {
    const paragraph = `${"word ".repeat(500)}end.`;
    const parts = renderParts([paragraph, paragraph].join("\n\n"), null);
    expect(parts.map((part) => part.text)).toEqual([paragraph, paragraph]);
  });

  it("never cuts a character that people see as one", () => {
    const parts = renderParts(FAMILY.repeat(3000), null);
    for (const part of parts) expect(part.text.replaceAll(FAMILY, "")).toBe("");
  });
});

describe("rendering", () => {
  const one = (markdown: string) => renderParts(markdown, null)[0];

  it("turns styles into entities", () => {
    expect(one("# Head\n\n**b** _i_ ~~s~~ `c` [l](https://x.y)")).toEqual({
      text: "Head\n\nb i s c l",
      entities: [
        { type: "bold", offset: 0, length: 4 },
        { type: "bold", offset: 6, length: 1 },
        { type: "italic", offset: 8, length: 1 },
        { type: "strikethrough", offset: 10, length: 1 },
        { type: "code", offset: 12, length: 1 },
        { type: "text_link", offset: 14, length: 1, url: "https://x.y" },
      ],
    });
  });

  it("keeps identifiers and HTML as they are", () => {
    expect(one("snake_case_name <b>x</b>")).toEqual({
      text: "snake_case_name <b>x</b>",
      entities: [],
    });
  });

  it("shows lists with their marks and indents what is inside", () => {
    expect(one("1. a\n2. b\n   - c\n     d")?.text).toBe("1. a\n2. b\n   • c\n     d");
  });

  it("shows a table as a grid in code", () => {
    const table = one("| name | n |\n|---|--:|\n| 漢字 | 1 |\n| b | 22 |");
    expect(table?.text).toBe("name │  n\n─────┼───\n漢字 │  1\nb    │ 22");
    expect(table?.entities).toMatchObject([{ type: "pre" }]);
  });

  it("links to nothing but web, mail, telephone and Telegram", () => {
    expect(one("[x](javascript:alert(1))")).toEqual({
      text: "x (javascript:alert(1))",
      entities: [],
    });
  });

  it("takes a megabyte in a few seconds", () => {
    const began = performance.now();
    renderParts("The **quick** brown `fox` jumps.\n\n".repeat(30_000), null);
    expect(performance.now() - began).toBeLessThan(8_000);
  });
});

describe("any GFM document", () => {
  const atom = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.constantFrom(
      "word",
      "snake_case",
      "漢字",
      FAMILY,
      "שלום",
      "a\\*b",
      "`c`",
      "<i>",
      "&amp;",
      "|",
    ),
  );
  const inline = fc.oneof(
    atom,
    atom.map((text) => `**${text}**`),
    atom.map((text) => `_${text} \`x\`_`),
    atom.map((text) => `~~${text}~~`),
    atom.map((text) => `[${text}](https://e.x/${text.length})`),
  );
  const line = fc.array(inline, { maxLength: 8 }).map((all) => all.join(" "));
  const block = fc.oneof(
    line,
    line.map((text) => `## ${text}`),
    line.map((text) => `> ${text}\n> - ${text}`),
    fc.array(line, { maxLength: 5 }).map((all) => all.map((text) => `- ${text}`).join("\n")),
    fc.array(line, { maxLength: 5 }).map((all) => `\`\`\`ts\n${all.join("\n")}\n\`\`\``),
    fc
      .array(line, { maxLength: 4 })
      .map((all) => `| a | b |\n|---|---|\n${all.map((text) => `| ${text} | x |`).join("\n")}`),
    line.map((text) => text.repeat(80)),
  );
  const documents = fc.array(block, { maxLength: 12 }).map((all) => all.join("\n\n"));

  it("gives parts that Telegram takes, with and without a footer", () => {
    fc.assert(
      fc.property(documents, fc.constantFrom(null, "[ctx: 62%]"), (markdown, footer) => {
        expect(judge(renderParts(markdown, footer))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  it("shows every plain word in its order", () => {
    const plain = fc.array(fc.stringMatching(/^[a-z0-9]{1,12}$/), { minLength: 1, maxLength: 200 });
    const styled = plain.map((all) => ({
      all,
      markdown: all
        .map(
          (word, n) =>
            [word, `**${word}**`, `\`${word}\``, `_${word}_`, `\n\n- ${word}\n\n`][n % 5],
        )
        .join(" "),
    }));
    fc.assert(
      fc.property(styled, ({ all, markdown }) => {
        const text = shown(renderParts(markdown, null)).replaceAll("•", "");
        expect(text).toBe(all.join(""));
      }),
      { numRuns: 200 },
    );
  });
});
