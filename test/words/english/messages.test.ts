import { describe, expect, it } from "vitest";
import { english } from "../../../src/words/english.ts";

const { answers, commands, messages } = english;

describe("a message that is not taken", () => {
  it("is told with the figure that it is about", () => {
    expect(messages.tooLong(1_048_576)).toContain("1024 KiB");
    expect(messages.queueFull(500)).toMatch(/^500 messages/);
    expect(commands.refused("login")).toContain("/login");
    expect(messages.unsupported("photo")).toContain("a photo");
  });
});

describe("an answer", () => {
  it("that is refused is told with what is kept and what can be done, in two lines", () => {
    const words = answers.refusedByPlatform("400: Bad Request: `x`\n");
    expect(words.split("\n")).toHaveLength(2);
    expect(words).toMatch(/refused it: `400: Bad Request: 'x'`\n.*kept\. Ask for it again/);
  });

  it("that a topic does not take is told with what is kept and what can be done, in two lines", () => {
    expect(answers.topicClosed.split("\n")).toHaveLength(2);
    expect(answers.topicClosed).toMatch(/kept\.\n.*writes in that topic again.*ask again/);
  });

  it("that nobody asked for has its cause above its text, where there is one", () => {
    expect(answers.relayed("make has ended", "all green")).toBe("🔔 make has ended\n\nall green");
    expect(answers.relayed("", "all green")).toMatch(/^🔔 [^\n]+\n\nall green$/);
    expect(answers.relayed(null, "all green")).toBe("all green");
  });
});
