import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entity, Rich } from "../../../../src/channels/telegram/format/entities.ts";
import { renderMarkdown } from "../../../../src/channels/telegram/format/render.ts";
import { splitRich } from "../../../../src/channels/telegram/format/split.ts";
import { faults, marks, squeeze } from "./marked.ts";

const plain = (text: string): Rich => ({ text, entities: [] });
const texts = (parts: readonly Rich[]) => parts.map(({ text }) => text);

describe("splitRich", () => {
  it.each([
    ["at a blank line before a later line break", "aa\n\nbb\ncc dd", 10, ["aa", "bb\ncc dd"]],
    ["at a line break before a later space", "aa bb\ncc dd", 9, ["aa bb", "cc dd"]],
    ["at a space", "aaa bbb ccc", 8, ["aaa bbb", "ccc"]],
    ["at a space just behind what fits", "aaa bbb ccc", 7, ["aaa bbb", "ccc"]],
    ["inside a word where it must", "aaabbbcc", 3, ["aaa", "bbb", "cc"]],
    ["not at a space that carries an accent", "aa aa \u0301bb", 7, ["aa", "aa \u0301bb"]],
    ["and leaves white space out", "  aa\n \n\n  bb  \n", 4, ["aa", "bb"]],
    ["and leaves out a part that shows nothing", "aaa \u200b\u200b\u200b bbb", 3, ["aaa", "bbb"]],
    ["nothing that fits", "aa\n\nbb", 6, ["aa\n\nbb"]],
    ["white space to nothing", " \n\u200b ", 10, []],
  ])("cuts %s", (_name, text, maxUnits, expected) => {
    expect(texts(splitRich(plain(text), { maxUnits }))).toEqual(expected);
  });

  it.each([
    ["a pair of surrogates", "👍"],
    ["a family", "👨‍👩‍👧‍👦"],
    ["a flag", "🇩🇪"],
    ["a skin tone", "👋🏽"],
    ["a variation selector", "❤️"],
    ["a keycap", "1️⃣"],
    ["a letter with accents", "e\u0301\u0323"],
    ["a Devanagari syllable", "क्षि"],
    ["a Hangul syllable of jamo", "\u1112\u1161\u11ab"],
  ])("never cuts inside %s", (_name, character) => {
    for (let before = 0; before <= character.length; before += 1) {
      const text = "x".repeat(20 - before) + character.repeat(30);
      const parts = texts(splitRich(plain(text), { maxUnits: 20 }));
      expect(parts.join("")).toBe(text);
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(20);
        expect(part.replace(/^x+/, "").replaceAll(character, "")).toBe("");
      }
    }
  });

  it("cuts a character that is longer than a message, between its code points", () => {
    for (const text of [`e${"\u0301".repeat(99)}`, "👨\u200d".repeat(30)]) {
      const parts = texts(splitRich(plain(text), { maxUnits: 10 }));
      expect(parts.join("")).toBe(text);
      expect(parts.every((part) => !/\p{Surrogate}/u.test(part))).toBe(true);
    }
  });

  it("does not take a blank line in code for a place to cut", () => {
    const rich = renderMarkdown("intro\n\n```ts\naaaa\n\nbbbb\ncccc\n```");
    expect(texts(splitRich(rich, { maxUnits: 14 }))).toEqual(["intro", "aaaa\n\nbbbb", "cccc"]);
  });

  it("goes on with every entity in the next part, the language and the address with it", () => {
    const code = renderMarkdown("> ```c++\n> aaaa\n>   bbbb\n>\n> cccc\n> ```");
    expect(splitRich(code, { maxUnits: 6 }).map(marks)).toEqual([
      ["blockquote:aaaa", "pre/c++:aaaa"],
      ["blockquote:  bbbb", "pre/c++:  bbbb"],
      ["blockquote:cccc", "pre/c++:cccc"],
    ]);
    const link = renderMarkdown("[aaa **bbb** ccc](http://x.yz)");
    expect(splitRich(link, { maxUnits: 5 }).map(marks)).toEqual([
      ["text_link(http://x.yz):aaa"],
      ["text_link(http://x.yz):bbb", "bold:bbb"],
      ["text_link(http://x.yz):ccc"],
    ]);
  });

  it("keeps the indentation of code at a cut and drops empty lines of it", () => {
    const rich = renderMarkdown("```\n  aaaa\n\n\n    bbbb\n```");
    expect(texts(splitRich(rich, { maxUnits: 9 }))).toEqual(["  aaaa", "    bbbb"]);
  });

  it("begins a new part where the entities are too many", () => {
    const rich = renderMarkdown("**a** _b_ ".repeat(1_000));
    const parts = splitRich(rich);
    expect(parts.length).toBe(20);
    expect(parts.every(({ entities }) => entities.length === 100)).toBe(true);
    expect(faults(parts)).toEqual([]);
    expect(squeeze(texts(parts).join(""))).toBe("ab".repeat(1_000));
  });

  it("leaves entities out, and no text, where more cover a place than one message may have", () => {
    const rich = renderMarkdown("**_~~a~~_** b");
    expect(splitRich(rich, { maxEntities: 1 }).map(marks)).toEqual([["bold:a"]]);
    expect(texts(splitRich(rich, { maxEntities: 0 })).join(" ")).toBe("a b");
  });

  it("keeps no indentation that no entity holds", () => {
    const indented = { text: " !", entities: [{ type: "code", offset: 0, length: 2 }] } as const;
    expect(splitRich(indented, { maxEntities: 0 })).toEqual([{ text: "!", entities: [] }]);
  });

  it("refuses bounds that no message fits", () => {
    expect(() => splitRich(plain("a"), { maxUnits: 1 })).toThrow(RangeError);
    expect(() => splitRich(plain("a"), { maxUnits: Number.NaN })).toThrow(/maxUnits NaN/);
  });

  it("loses nothing but white space, whatever the text, its entities and the bounds", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 8 }),
      fc.constantFrom(" ", "\n", "\n\n", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷", "e\u0301", "\u200d", "word"),
    );
    const rich = fc.array(fc.tuple(piece, fc.boolean(), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(rich, fc.integer({ min: 2, max: 60 }), fc.nat(12), (pieces, maxUnits, most) => {
        const given = assemble(pieces);
        const parts = splitRich(given, { maxUnits, maxEntities: most });
        expect(visible(texts(parts).join(""))).toBe(visible(given.text));
        for (const { text, entities } of parts) {
          expect(text.length).toBeLessThanOrEqual(maxUnits);
          expect(entities.length).toBeLessThanOrEqual(most);
        }
        expect(faults(parts)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

/** Pieces one after the other, in bold or as code or both ways plain. */
function assemble(pieces: readonly (readonly [string, boolean, boolean])[]): Rich {
  const entities: Entity[] = [];
  let text = "";
  for (const [raw, marked, code] of pieces) {
    const piece = raw.replaceAll(/\p{Cc}|[\u2028-\u202e]|\u030a|\u0333|\u033f/gu, (one) =>
      one === "\n" ? one : "",
    );
    const shown = visible(piece) !== "";
    const edges = code ? piece : piece.trim();
    if (marked && shown) {
      const offset = text.length + piece.indexOf(edges);
      entities.push({ type: code ? "code" : "bold", offset, length: edges.length });
    }
    text += piece;
  }
  return { text, entities };
}

/** A part of nothing but characters that show nothing is left out. */
function visible(text: string): string {
  return squeeze(text).replaceAll(/[\u180e\u200b-\u200f\u2800\ufffc]|[\u{e0000}-\u{e007f}]/gu, "");
}
