import { describe, expect, it } from "vitest";
import { OUR_COMMANDS } from "../../src/channels/commands.ts";
import { english } from "../../src/words/english.ts";
import { everyText, NOT_FOR_PEOPLE } from "./every-text.ts";

const ALL = everyText(english);
const IN = (topic: string) => ALL.filter((one) => one.topic === topic);

/** A page, and what stands over text of the agent's. */
const LONGER = /^(?:commands\.help|answers\.(?:partial|relayed)\b)/;

describe("every text", () => {
  it.each(ALL.map((one) => [one.name, one.text]))("is said: %s", (_, text) => {
    expect(text.trim()).not.toBe("");
    expect(text).not.toMatch(NOT_FOR_PEOPLE);
  });

  it.each(ALL.filter((one) => !LONGER.test(one.name)).map((one) => [one.name, one.text]))(
    "has one or two lines, with nothing left open: %s",
    (_, text) => {
      const lines = text.split("\n");
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line).not.toBe("");
    },
  );

  it("is one of a kind in its topic", () => {
    for (const { topic } of ALL) {
      const texts = IN(topic).map((one) => one.text);
      expect(texts.filter((text, at) => texts.indexOf(text) !== at)).toEqual([]);
    }
  });
});

describe("what stands on a button, or is shown to who pressed one", () => {
  it.each(IN("buttons").map((one) => one.text))("is short: %s", (text) => {
    expect(text).not.toContain("\n");
    expect(text.length).toBeLessThanOrEqual(24);
  });

  it.each(IN("presses").map((one) => one.text))("is no longer than Telegram shows: %s", (text) => {
    expect(text.length).toBeLessThanOrEqual(200);
  });
});

describe("the help and the menu", () => {
  const { help, menu } = english.commands;

  it("name only commands that there are", () => {
    const named = [...help.matchAll(/(?<=^|, )\/(\w+)/gm)].map((found) => found[1]);
    expect(named.length).toBeGreaterThan(5);
    for (const name of [...named, ...menu.map((one) => one.command)]) {
      expect(OUR_COMMANDS).toContain(name);
    }
  });

  it("keep to what a command menu may hold", () => {
    for (const { command, description } of menu) {
      expect(command).toMatch(/^[a-z0-9_]{1,32}$/);
      expect(description.length).toBeGreaterThan(0);
      expect(description.length).toBeLessThanOrEqual(256);
    }
    expect(new Set(menu.map((one) => one.command)).size).toBe(menu.length);
  });
});
