import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionFact } from "../../machines/facts.ts";
import { EDITED } from "../../src/channels/commands.ts";
import { laneOf } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { ACCOUNT, CHAT, KEY, messageItem, only } from "../contract/store-fixtures.ts";
import { world } from "./command-world.ts";

describe("a command that holdfast answers itself", () => {
  it.each(["start", "help"])("/%s is the help, to the command's own message, and done", (name) => {
    const { type, store, filled, asked } = world();
    type(name);
    expect(store.nextOutgoing(laneOf(CHAT))).toMatchObject({
      kind: "notice",
      text: english.commands.help,
      footer: null,
      replyTo: "m1",
    });
    expect(store.pendingCommands()).toEqual([]);
    expect(filled).toEqual([KEY]);
    expect(asked).toEqual([]);
  });

  it("/new with a text changes nothing, and says how to send it", () => {
    const { type, said, store, asked } = world();
    type("new", "and fix the build");
    expect(said()).toBe(english.commands.newWithText);
    expect(asked).toEqual([]);
    expect(store.pendingCommands()).toEqual([]);
  });

  it.each(["login", "logout", "exit", "quit"])("/%s is declined in words", (name) => {
    const { type, said, store } = world();
    type(name);
    expect(said()).toBe(english.commands.refused(name));
    expect(store.pendingCommands()).toEqual([]);
  });

  it("/status shows the session as it is stored, the default workspace included", () => {
    const { type, said, store, root } = world("busy");
    const [message] = store.intake("telegram", ACCOUNT, [messageItem(90)], 91).messages;
    type("status");
    expect(said()).toContain("Working");
    type("status");
    const words = said() ?? "";
    expect(words).toContain(`Workspace: \`${join(root, "project")}\``);
    expect(words).toContain("Queue: 1 waiting");
    const id = message?.id ?? 0;
    store.write(KEY, only({ facts: [{ type: "message.parked", id, reason: "quiet" }] }));
    type("status");
    expect(said()).toContain("Waiting for your decision: 1. First: “text 90” (/retry or /skip)");
  });

  it("/status shows the size of the context as it was last measured", () => {
    const { type, said, store } = world("idle");
    store.intake("telegram", ACCOUNT, [messageItem(90)], 91);
    const context = { used: 31, window: 100 };
    store.write(KEY, only({ facts: [{ type: "context.measured", context }] }));
    type("status");
    expect(said()).toContain("Context: 31%");
  });
});

describe("a command for the session", () => {
  it.each<[string, string, object]>([
    ["new", "", { type: "command.new" }],
    ["stop", "", { type: "command.stop" }],
    ["retry", "", { type: "command.retry", messageId: null, uuid: "new-id" }],
    ["skip", "", { type: "command.skip", messageId: null }],
  ])("/%s %s is handed to it, and stays pending until it has handled it", (name, args, command) => {
    const { type, asked, store, said } = world();
    const commandId = type(name, args);
    expect(asked).toEqual([[KEY, { ...command, commandId }]]);
    expect(store.pendingCommands().map((one) => one.id)).toEqual([commandId]);
    expect(said()).toBeNull();
  });
});

describe("a message that is changed where it was written", () => {
  function changed(state: SessionFact["type"] | null, text = "as it should be") {
    const one = world();
    const [message] = one.store.intake("telegram", ACCOUNT, [messageItem(50)], 51).messages;
    const id = message?.id ?? 0;
    if (state === "message.given") {
      const given = { type: state, id, epoch: 1, transcript: null } as const;
      one.store.write(KEY, only({ facts: [given] }));
    } else if (state === "message.parked") {
      one.store.write(KEY, only({ facts: [{ type: state, id, reason: "quiet" }] }));
    } else if (state === "message.answered") {
      one.store.write(KEY, only({ facts: [{ type: state, id }] }));
    }
    one.type(EDITED, text, "m50");
    return { ...one, text: () => one.store.message(id)?.text };
  }

  it.each([null, "message.parked"] as const)(
    "is given as it reads now while it waits (%s)",
    (state) => {
      const { text, said, store } = changed(state);
      expect(text()).toBe("as it should be");
      expect(said()).toBe(english.messages.edited);
      expect(store.pendingCommands()).toEqual([]);
    },
  );

  it.each(["message.given", "message.answered"] as const)(
    "stays as it was given, and the user is told (%s)",
    (state) => {
      const { text, said, store } = changed(state);
      expect(text()).toBe("text 50");
      expect(said()).toBe(english.messages.editedTooLate);
      expect(store.pendingCommands()).toEqual([]);
    },
  );

  it("is nothing to speak of where the text is the same", () => {
    const { text, said, store } = changed(null, "text 50");
    expect([text(), said()]).toEqual(["text 50", null]);
    expect(store.pendingCommands()).toEqual([]);
  });

  it("is refused where it has become too long, and the old text stays", () => {
    const { text, said } = changed(null, "x".repeat(101));
    expect(said()).toContain("too long");
    expect(text()).toBe("text 50");
  });

  it("is nothing to speak of where no message has that number", () => {
    const { type, said, store } = world();
    store.ensureSession(KEY, CHAT);
    type(EDITED, "whatever", "m99");
    expect(said()).toBeNull();
    expect(store.pendingCommands()).toEqual([]);
  });
});

describe("/workspace", () => {
  it("alone shows where the session works and where it may", () => {
    const { type, said, store, root } = world();
    type("workspace");
    expect(said()).toBe(english.workspaces.current(join(root, "project"), [root]));
    store.write(
      KEY,
      only({ facts: [{ type: "workspace.bound", path: "/elsewhere", agentKind: "scripted" }] }),
    );
    type("workspace");
    expect(said()).toContain("`/elsewhere`");
  });

  it.each(["project", "./project/", "link"])("%s is handed on as the directory it is", (named) => {
    const { type, asked, root } = world();
    symlinkSync(join(root, "project"), join(root, "link"));
    const commandId = type("workspace", named);
    const path = join(root, "project");
    expect(asked).toEqual([[KEY, { type: "command.bindWorkspace", commandId, path }]]);
  });

  it.each([
    ["../../etc", /outside the allowed workspace roots/],
    ["/etc", /outside the allowed workspace roots/],
    ["way-out", /outside the allowed workspace roots/],
    ["file", /is a file, not a directory/],
    ["gone", /does not exist/],
  ])("%s is refused in words, and nothing is changed", (named, words) => {
    const { type, said, asked, store, root } = world();
    symlinkSync("/etc", join(root, "way-out"));
    writeFileSync(join(root, "file"), "");
    type("workspace", named);
    expect(said()).toMatch(words);
    expect(asked).toEqual([]);
    expect(store.pendingCommands()).toEqual([]);
    expect(store.facts(KEY).workspace).toBeNull();
  });
});
