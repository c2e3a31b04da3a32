import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderParts } from "../../../../src/channels/telegram/format/parts.ts";
import { chunkPlain } from "../../../../src/channels/telegram/format/plain.ts";
import { documents, junk } from "./documents.ts";
import { faults, squeeze } from "./marked.ts";

const FOOTER = "[ctx: 62%]";
/** What rendering adds: bullets, numbers, boxes, rules, quote marks. */
const DECORATION = /^[•☐☑─│┼>\d.]*$/u;

/** What stands between the words, each found after the last one; a word that is missing is named. */
function between(text: string, words: readonly string[]): string {
  let rest = "";
  let from = 0;
  for (const word of words) {
    const at = text.indexOf(word, from);
    if (at === -1) return `${word} is missing after ${text.slice(Math.max(0, from - 40), from)}`;
    rest += text.slice(from, at);
    from = at + word.length;
  }
  return rest + text.slice(from);
}

describe("any document", () => {
  it("is shown with every word in its order, and nothing that is no word of it", () => {
    fc.assert(
      fc.property(documents, fc.constantFrom(60, 300, 4_096), ({ markdown, words }, maxUnits) => {
        const parts = renderParts(markdown, FOOTER, { maxUnits });
        const bodies = parts.map(({ text }) => {
          expect(text.length).toBeLessThanOrEqual(maxUnits);
          expect(text.endsWith(`\n\n${FOOTER}`)).toBe(true);
          return text.slice(0, -FOOTER.length);
        });
        const shown = squeeze(bodies.join(""));
        expect(between(shown, words.map(squeeze))).toMatch(DECORATION);
        expect(faults(parts)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it("is shown whole as plain text too", () => {
    fc.assert(
      fc.property(documents, ({ markdown }) => {
        const parts = chunkPlain(markdown, null, { maxUnits: 100 });
        expect(squeeze(parts.map(({ text }) => text).join(""))).toBe(squeeze(markdown));
        expect(parts.every(({ entities }) => entities.length === 0)).toBe(true);
        expect(faults(parts)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("any text", () => {
  it("is taken by Telegram, formatted and plain, whole and in small parts", () => {
    fc.assert(
      fc.property(junk, fc.constantFrom(null, FOOTER), (text, footer) => {
        expect(faults(renderParts(text, footer))).toEqual([]);
        expect(faults(renderParts(text, footer, { maxUnits: 48, maxEntities: 3 }))).toEqual([]);
        expect(faults(chunkPlain(text, footer, { maxUnits: 48 }))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps its letters", () => {
    const letters = (text: string) => text.replaceAll(/[^abcé👍]/gu, "");
    // Addresses and references are shown once, or not at all where a link holds them.
    // The word beside a fence names its language and is not shown.
    const plain = junk.filter((text) => !/[[\]&<:]|www|@|```|~~~/.test(text));
    fc.assert(
      fc.property(plain, (text) => {
        const shown = renderParts(text, null).map((part) => part.text);
        expect(letters(shown.join(""))).toBe(letters(text));
      }),
      { numRuns: 1_000 },
    );
  });
});
