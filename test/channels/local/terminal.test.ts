import { PassThrough } from "node:stream";
import { setImmediate as tick } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTerminalChat } from "../../../src/channels/local/terminal.ts";
import { english } from "../../../src/words/english.ts";
import { Screen } from "./screen.ts";

interface Chat {
  readonly lines: string[];
  readonly closes: string[];
}

const events = (): Chat & { onLine(text: string): void; onClose(reason: string): void } => {
  const lines: string[] = [];
  const closes: string[] = [];
  return {
    lines,
    closes,
    onLine: (text) => void lines.push(text),
    onClose: (reason) => void closes.push(reason),
  };
};

function terminal(columns = 40, history: readonly string[] = [], plain = false) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const screen = new Screen(columns);
  const heard = events();
  const chat = openTerminalChat({
    prompt: english.terminal.prompt,
    input,
    output: screen,
    history,
    plain,
    ...heard,
  });
  const type = async (keys: string): Promise<void> => {
    input.write(keys);
    await tick();
  };
  return { chat, screen, type, input, ...heard };
}

function pipe() {
  const input = new PassThrough();
  const output = new PassThrough();
  const heard = events();
  const chat = openTerminalChat({ prompt: english.terminal.prompt, input, output, ...heard });
  const printed = (): string => String(output.read() ?? "");
  return { chat, input, output, printed, ...heard };
}

describe("the chat in a terminal", () => {
  // Readline itself looks at it, and a CI's terminal may be a dumb one.
  beforeEach(() => void vi.stubEnv("TERM", "xterm"));
  afterEach(() => void vi.unstubAllEnvs());

  it("prompts, tells what was typed and prompts again", async () => {
    const { screen, type, lines } = terminal();
    expect(screen.shown()).toEqual(["you>"]);
    await type("hello\r");
    await type("/status\r");
    expect(lines).toEqual(["hello", "/status"]);
    expect(screen.shown()).toEqual(["you> hello", "you> /status", "you>"]);
  });

  it("shows an answer above the line being typed, which goes on where it was", async () => {
    const { chat, screen, type, lines } = terminal();
    await type("hel");
    chat.print("agent> one\ntwo");
    expect(screen.shown()).toEqual(["agent> one", "two", "you> hel"]);
    await type("lo\r");
    expect(lines).toEqual(["hello"]);
    expect(screen.shown()).toEqual(["agent> one", "two", "you> hello", "you>"]);
  });

  it("keeps the cursor inside the line when an answer comes", async () => {
    const { chat, type, lines } = terminal();
    await type("held");
    await type("\u001b[D");
    chat.print("agent> one");
    // Key by key: Node 20 appends a chunk of several keys to the line, wherever the cursor is.
    for (const key of "lo worl\r") await type(key);
    expect(lines).toEqual(["hello world"]);
  });

  it("shows an answer above a line of several rows, and eats neither", async () => {
    const { chat, screen, type, lines } = terminal(20);
    const long = "a line that is longer than the terminal is wide";
    await type(long);
    chat.print("agent> one");
    chat.print("agent> two");
    expect(screen.shown()).toEqual([
      "agent> one",
      "agent> two",
      "you> a line that is",
      "longer than the term",
      "inal is wide",
    ]);
    await type("\r");
    expect(lines).toEqual([long]);
  });

  it("does so for a line that was typed key by key, too", async () => {
    const { chat, screen, type } = terminal(20);
    for (const key of "a line that is longer than it") await type(key);
    chat.print("agent> one");
    await type("!");
    expect(screen.shown()).toEqual(["agent> one", "you> a line that is", "longer than it!"]);
  });

  it("ends at the first Ctrl-C, once, and at Ctrl-D", async () => {
    const interrupted = terminal();
    await interrupted.type("half a line\u0003");
    interrupted.chat.close();
    expect(interrupted.closes).toEqual(["interrupt"]);
    expect(interrupted.lines).toEqual([]);
    const ended = terminal();
    await ended.type("\u0004");
    expect(ended.closes).toEqual(["end"]);
  });

  it("leaves by /exit and /quit, which mean nothing else here", async () => {
    const { type, closes, lines } = terminal();
    await type("/exit\r");
    expect({ closes, lines }).toEqual({ closes: ["exit"], lines: [] });
  });

  it("recalls earlier lines with the arrow key", async () => {
    const { type, lines } = terminal(40, ["newest", "older"]);
    await type("\u001b[A\r");
    expect(lines).toEqual(["newest"]);
  });

  it("still shows what comes after it was closed", async () => {
    const { chat, screen } = terminal();
    chat.close();
    chat.print("holdfast> Shutting down.");
    expect(screen.shown()).toEqual(["you>", "holdfast> Shutting down."]);
  });
});

describe("the chat in a terminal that cannot move its cursor", () => {
  it("writes plain lines and no prompt", async () => {
    const { chat, screen, type, lines } = terminal(40, [], true);
    await type("hel");
    chat.print("agent> one");
    await type("lo\n");
    expect(lines).toEqual(["hello"]);
    expect(screen.shown()).toEqual(["agent> one"]);
  });
});

describe("the chat on pipes", () => {
  it("reads lines without a prompt and ends with its input, the last line included", async () => {
    const { input, printed, lines, closes, chat } = pipe();
    input.write("one\n\n  \ntw");
    await tick();
    chat.print("agent> first");
    expect(printed()).toBe("agent> first\n");
    input.end("o\nthree");
    await tick();
    await tick();
    expect(lines).toEqual(["one", "two", "three"]);
    expect(closes).toEqual(["end"]);
  });

  it("reads no line after /quit", async () => {
    const { input, lines, closes } = pipe();
    input.end("one\n/quit\ntwo\n");
    await tick();
    await tick();
    expect({ lines, closes }).toEqual({ lines: ["one"], closes: ["exit"] });
  });

  it("ends, and does not crash, when nobody reads any more", async () => {
    const { output, closes, chat } = pipe();
    output.destroy(new Error("write EPIPE"));
    await tick();
    expect(closes).toEqual(["end"]);
    expect(() => chat.print("agent> into the void")).not.toThrow();
    await tick();
  });
});
