import { describe, expect, it } from "vitest";
import {
  DEFAULT_REFUSED_COMMANDS,
  OUR_COMMANDS,
  parseCommand,
} from "../../src/channels/commands.ts";

describe("parseCommand", () => {
  it.each([
    ["/new", "new", ""],
    ["/NEW", "new", ""],
    ["/restart", "new", ""],
    ["  /status  ", "status", ""],
    ["/workspace ../other  place ", "workspace", "../other  place"],
    ["/retry\n12", "retry", "12"],
    ["/stop@holdfast_bot", "stop", ""],
    ["/stop@Holdfast_Bot now", "stop", "now"],
    ["/login", "login", ""],
    ["/exit@holdfast_bot", "exit", ""],
  ])("reads %j as one of holdfast's commands", (text, name, args) => {
    expect(parseCommand(text, "holdfast_bot")).toEqual({ kind: "command", name, args });
  });

  it.each([
    ["!stop that and look here", "stop that and look here"],
    ["! look here", "look here"],
    ["  !/compact", "/compact"],
  ])("reads %j as an urgent message", (text, rest) => {
    expect(parseCommand(text, "holdfast_bot")).toEqual({
      kind: "message",
      text: rest,
      urgent: true,
    });
  });

  it.each(["!", "!!!", "!= is not equal", " ! ", "what?!"])("reads %j as it is", (text) => {
    expect(parseCommand(text, "holdfast_bot")).toEqual({ kind: "message", text });
  });

  it.each([
    "hello",
    "what does /new do?",
    "/home/me/file.ts is broken",
    "/newish",
    "/new-thing",
    "/",
    "//new",
    "/ new",
    "/compact keep the plan",
    "  indented text stays indented",
    "/constructor",
    "/__proto__",
    "",
  ])("gives %j to the agent as it is", (text) => {
    expect(parseCommand(text, "holdfast_bot")).toEqual({ kind: "message", text });
  });

  it("takes the bot's name off a command of the agent, which does not know it", () => {
    expect(parseCommand("/compact@holdfast_bot keep it", "holdfast_bot")).toEqual({
      kind: "message",
      text: "/compact keep it",
    });
    expect(parseCommand("/my-plugin:check@holdfast_bot", "holdfast_bot")).toEqual({
      kind: "message",
      text: "/my-plugin:check",
    });
  });

  it.each(["/new@other_bot", "/compact@other_bot x", "/my-plugin:check@other_bot"])(
    "leaves %j to the other bot",
    (text) => {
      expect(parseCommand(text, "holdfast_bot")).toEqual({ kind: "elsewhere" });
    },
  );

  it("hears every name where nobody else could be meant", () => {
    expect(parseCommand("/new@anything", null)).toMatchObject({ kind: "command", name: "new" });
  });

  it("takes the refused commands from its caller", () => {
    expect(parseCommand("/bug", null, new Set(["bug"]))).toMatchObject({ kind: "command" });
    expect(parseCommand("/login", null, new Set(["bug"]))).toMatchObject({ kind: "message" });
  });

  it("refuses no command that is holdfast's own", () => {
    expect([...DEFAULT_REFUSED_COMMANDS].filter((name) => OUR_COMMANDS.has(name))).toEqual([]);
  });
});
