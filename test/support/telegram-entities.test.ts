import { describe, expect, it } from "vitest";
import { checkMessage } from "./telegram-entities.ts";

const span = (type: string, offset: number, length: number, rest: object = {}) => ({
  type,
  offset,
  length,
  ...rest,
});

describe("the judge of messages", () => {
  it.each([
    ["plain text", "hello", []],
    ["styles in one another", "hello", [span("bold", 0, 5), span("italic", 1, 2)]],
    ["code and pre in a quote", "a b c", [span("blockquote", 0, 5), span("code", 0, 1)]],
    ["a quote that is all code", "abc", [span("pre", 0, 3), span("blockquote", 0, 3)]],
    ["a bold link", "abc", [span("text_link", 0, 3, { url: "https://a.b/c" }), span("bold", 0, 3)]],
    ["a whole emoji", "a👍b", [span("bold", 1, 2)]],
    ["4,096 units", "x".repeat(4_096), []],
    ["indented code at the start", "  x", [span("pre", 0, 3)]],
    ["a language", "x", [span("pre", 0, 1, { language: "c++" })]],
    ["an IPv6 host", "x", [span("text_link", 0, 1, { url: "http://[::1]:80/" })]],
    ["a tg link", "x", [span("text_link", 0, 1, { url: "tg://resolve?domain=x" })]],
  ])("accepts %s", (_name, text, entities) => {
    expect(checkMessage(text, entities)).toBeNull();
  });

  it.each([
    ["white space only", " \n\t", [], "empty"],
    ["zero-width characters only", "\u200b\ufeff\u00a0", [], "empty"],
    ["4,097 units", "x".repeat(4_097), [], "at most 4096"],
    ["a lone surrogate", "a\ud800", [], "stands alone"],
    [
      "101 entities",
      "x".repeat(101),
      Array.from({ length: 101 }, (_, at) => span("bold", at, 1)),
      "101",
    ],
    ["white space at the start", " x", [], "white space at an end"],
    ["white space at the end", "x\n", [], "white space at an end"],
    ["a tab", "a\tb", [], "control character"],
    ["what the server takes out", "a\u202eb", [], "U+202e"],
    [
      "a quote in a link",
      "abc",
      [span("text_link", 0, 3, { url: "http://a.b" }), span("blockquote", 1, 1)],
      "inside text_link",
    ],
    ["an unknown type", "x", [span("heading", 0, 1)], "unknown entity"],
    ["an empty entity", "x", [span("bold", 0, 0)], "outside"],
    ["an entity past the end", "x", [span("bold", 0, 2)], "outside"],
    ["a negative offset", "x", [span("bold", -1, 1)], "outside"],
    ["half an emoji", "👍", [span("bold", 0, 1)], "cuts a character"],
    ["an entity over white space", "a b", [span("bold", 1, 1)], "white space only"],
    ["crossing entities", "abc", [span("bold", 0, 2), span("italic", 1, 2)], "cross"],
    ["code in bold", "abc", [span("bold", 0, 3), span("code", 1, 1)], "code inside bold"],
    ["bold in code", "abc", [span("pre", 0, 3), span("bold", 1, 1)], "bold inside pre"],
    [
      "a quote in code",
      "abc",
      [span("pre", 0, 3), span("blockquote", 1, 1)],
      "blockquote inside pre",
    ],
    ["bold over code", "abc", [span("code", 0, 3), span("bold", 0, 3)], "inside"],
    [
      "a quote in a quote",
      "abc",
      [span("blockquote", 0, 3), span("blockquote", 1, 1)],
      "inside itself",
    ],
    ["a link without address", "x", [span("text_link", 0, 1)], "text_link to undefined"],
    ["an address on bold", "x", [span("bold", 0, 1, { url: "http://a.b" })], "bold to http"],
    ["javascript:", "x", [span("text_link", 0, 1, { url: "javascript:alert(1)" })], "text_link to"],
    ["mailto:", "x", [span("text_link", 0, 1, { url: "mailto:a@b.c" })], "text_link to"],
    [
      "a host without a dot",
      "x",
      [span("text_link", 0, 1, { url: "http://localhost:1" })],
      "text_link to",
    ],
    [
      "a port that is none",
      "x",
      [span("text_link", 0, 1, { url: "http://a.b:99999/" })],
      "text_link to",
    ],
    ["a language on bold", "x", [span("bold", 0, 1, { language: "ts" })], "in a language"],
  ])("refuses %s", (_name, text, entities, words) => {
    expect(checkMessage(text, entities)).toContain(words);
  });
});
