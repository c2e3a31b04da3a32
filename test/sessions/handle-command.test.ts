import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../machines/commands.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import { EDITED } from "../../src/channels/commands.ts";
import { handleCommand } from "../../src/sessions/handle-command.ts";
import { laneOf } from "../../src/sessions/session-key.ts";
import { WORDS } from "../../src/words.ts";
import { ACCOUNT, CHAT, commandItem, KEY, messageItem, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempDir, tempStoreFile } from "../store/store-files.ts";
import { bound } from "../support/facts.ts";
import { memoryLog } from "../support/memory-log.ts";

/** Commands as they stand in the store, in a chat whose workspaces are in one root. */
function world(phase: SessionPhase | "queued" | null = null) {
  const store = openTestStore(tempStoreFile());
  const root = join(realpathSync(tempDir()), "root");
  mkdirSync(join(root, "project"), { recursive: true });
  const asked: [string, SessionCommand][] = [];
  const filled: string[] = [];
  let updates = 0;
  return {
    store,
    root,
    asked,
    filled,
    type(name: string, args = "", of?: string) {
      updates += 1;
      const item = commandItem(updates, name);
      const intake = {
        ...item.intake,
        args,
        platformMessageId: of ?? `m${updates}`,
      } as typeof item.intake;
      const stored = store.intake("telegram", ACCOUNT, [{ ...item, intake }], updates + 1);
      const [command] = stored.commands;
      if (command === undefined) throw new Error("The command was not stored");
      handleCommand(
        {
          store,
          defaultWorkspace: join(root, "project"),
          roots: [root],
          limits: { messageBytes: 100, buttonMs: 60_000 },
          log: memoryLog().log,
          clock: { now: () => 7_200_000 },
          newId: () => "new-id",
          phase: () => phase,
          toSession: (key, one) => asked.push([key, one]),
          outboxFilled: (key) => filled.push(key),
          isApprover: () => true,
          offers: () => null,
          answerPress: () => undefined,
        },
        command,
      );
      return command.id;
    },
    said(): string | null {
      const row = store.nextOutgoing(laneOf(CHAT));
      if (row !== null) store.markDropped(row.id, "read by the test");
      return row?.text ?? null;
    },
  };
}

describe("a command that holdfast answers itself", () => {
  it.each(["start", "help"])("/%s is the help, to the command's own message, and done", (name) => {
    const { type, store, filled, asked } = world();
    type(name);
    expect(store.nextOutgoing(laneOf(CHAT))).toMatchObject({
      kind: "notice",
      text: WORDS.help,
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
    expect(said()).toBe(WORDS.newWithText);
    expect(asked).toEqual([]);
    expect(store.pendingCommands()).toEqual([]);
  });

  it.each(["login", "logout", "exit", "quit"])("/%s is declined in words", (name) => {
    const { type, said, store } = world();
    type(name);
    expect(said()).toBe(WORDS.refusedCommand(name));
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

describe("/resume and /fork", () => {
  const archived = (agentSessionId: string): SessionFact => ({
    type: "agentSession.archived",
    agentSessionId,
    transcript: `/t/${agentSessionId}.jsonl`,
    reason: "new",
  });
  /** This chat has left `old1`; another one holds `held1` and has left `left1` and `4711`. */
  function chats() {
    const one = world();
    one.store.ensureSession(KEY, CHAT);
    one.store.write(KEY, only({ facts: [archived("old1")] }));
    const address = { ...CHAT, chatId: "777" };
    one.store.ensureSession("telegram/777/-", address);
    const facts = [archived("left1"), archived("4711"), bound("held1")];
    one.store.write("telegram/777/-", only({ facts }));
    return one;
  }

  it("/resume alone lists what can be gone back to", () => {
    const { type, said, asked } = chats();
    type("resume");
    expect(said()).toContain("1\\. `old1`");
    expect(asked).toEqual([]);
  });

  it.each(["1", "old1", "old"])("/resume %s is handed to the session", (named) => {
    const { type, asked } = chats();
    const commandId = type("resume", named);
    expect(asked).toEqual([[KEY, { type: "command.resume", commandId, agentSessionId: "old1" }]]);
  });

  it.each([
    ["resume", "left1"],
    ["fork", "left1"],
    ["fork", "held1"],
    ["fork", "old1"],
    ["fork", "1"],
  ] as const)("/%s %s takes it, or a copy of it", (how, named_) => {
    const named = named_ === "1" ? "old1" : named_;
    const { type, asked } = chats();
    const commandId = type(how, named_);
    expect(asked).toMatchObject([
      [KEY, { type: "command.take", commandId, how, session: { agentSessionId: named } }],
    ]);
  });

  it("/resume of what another chat holds says who holds it, and offers a copy", () => {
    const { type, said, asked, store } = chats();
    type("resume", "held1");
    expect(said()).toMatch(/belongs to another chat now: .*777[\s\S]*\/fork held1/);
    expect(asked).toEqual([]);
    expect(store.pendingCommands()).toEqual([]);
  });

  it.each([
    ["resume", "9", /no earlier conversation `9`/],
    ["resume", "4", /no earlier conversation `4`/],
    ["fork", "4", /no earlier conversation `4`/],
    ["resume", "%", /no earlier conversation `%`/],
    ["fork", "", /Which conversation\?/],
  ])("/%s %s is answered in words", (name, args, words) => {
    const { type, said, asked } = chats();
    type(name, args);
    expect(said()).toMatch(words);
    expect(asked).toEqual([]);
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
      expect(said()).toBe(WORDS.edited);
      expect(store.pendingCommands()).toEqual([]);
    },
  );

  it.each(["message.given", "message.answered"] as const)(
    "stays as it was given, and the user is told (%s)",
    (state) => {
      const { text, said, store } = changed(state);
      expect(text()).toBe("text 50");
      expect(said()).toBe(WORDS.editedTooLate);
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
    expect(said()).toBe(WORDS.workspace(join(root, "project"), [root]));
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
