import { describe, expect, it } from "vitest";
import { plan, type Plan } from "../../machines/plan.ts";
import type { Address, OutboxRow, Store } from "../../src/ports.ts";
import { createLedger } from "../../src/sessions/ledger.ts";
import { laneOf, sessionKey } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { asWritten } from "../../src/words/wording.ts";
import {
  ACCOUNT,
  CHAT,
  commandItem,
  KEY,
  messageItem,
  OTHER_CHAT,
} from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { memoryLog } from "../support/memory-log.ts";

/** A ledger on a real store that holds one message and one command. */
function world() {
  const store = openTestStore(tempStoreFile());
  const { log, records } = memoryLog();
  const filled: string[] = [];
  const ledger = createLedger({
    chooser: () => ({ text: asWritten("where?"), buttons: [] }),
    store,
    log,
    words: english,
    outboxFilled: (key) => filled.push(key),
  });
  const stored = store.intake("telegram", ACCOUNT, [messageItem(1), commandItem(2, "new")], 3);
  return {
    store,
    records,
    filled,
    messageId: stored.messages[0]?.id ?? 0,
    commandId: stored.commands[0]?.id ?? 0,
    commit: (written: Plan, key = KEY) => ledger.commit(key, written),
    outbox: (address: Address = CHAT) => drain(store, laneOf(address)),
  };
}

function drain(store: Store, lane: string): readonly OutboxRow[] {
  const rows: OutboxRow[] = [];
  for (let row = store.nextOutgoing(lane); row !== null; row = store.nextOutgoing(lane)) {
    rows.push(row);
    store.markDropped(row.id, "read by the test");
  }
  return rows;
}

const answer = (messageId: number, text: string, percent: number | null) =>
  plan([], [{ kind: "answer", messageId, text, percent, agentKind: "claude", usage: null }]);

describe("a plan that is committed", () => {
  it("is facts, rows and ended commands in one transaction, and gives the facts after it", () => {
    const { commit, outbox, store, filled, commandId } = world();
    const facts = commit(
      plan(
        [{ type: "fresh.intended", epoch: 1, reason: "new" }],
        [{ kind: "notice", notice: { code: "stopped" }, messageId: null }],
        [commandId],
      ),
    );
    expect(facts).toEqual(store.facts(KEY));
    expect(facts.fresh).toEqual({ epoch: 1, reason: "new" });
    expect(outbox()).toHaveLength(1);
    expect(store.pendingCommands()).toEqual([]);
    expect(filled).toEqual([KEY]);
  });

  it("writes nothing at all where one part of it cannot be written", () => {
    const { commit, outbox, store, filled } = world();
    const before = store.facts(KEY);
    const impossible = plan(
      [{ type: "fresh.intended", epoch: 1, reason: "new" }],
      [{ kind: "notice", notice: { code: "stopped" }, messageId: null }],
      [999],
    );
    expect(() => commit(impossible)).toThrow(/999/);
    expect(store.facts(KEY)).toEqual(before);
    expect([outbox(), filled]).toEqual([[], []]);
  });

  it("wakes no lane where it says nothing", () => {
    const { commit, filled } = world();
    commit(plan([{ type: "fresh.intended", epoch: 1, reason: "new" }]));
    expect(filled).toEqual([]);
  });

  it("tells the log each fact under its own name, what went wrong louder", () => {
    const { commit, records, messageId: id } = world();
    commit(
      plan([
        { type: "message.given", id, epoch: 1, transcript: null },
        { type: "message.accepted", id },
        { type: "message.parked", id, reason: "quiet" },
        { type: "session.failed", reason: "start-failed", detail: "exit 1" },
      ]),
    );
    expect(records.map((one) => [one.level, one.message])).toEqual([
      ["info", "message.given"],
      ["debug", "message.accepted"],
      ["warn", "message.parked"],
      ["error", "session.failed"],
    ]);
    expect(records[3]?.fields).toEqual({
      session_key: KEY,
      reason: "start-failed",
      detail: "exit 1",
    });
  });
});

describe("an answer", () => {
  it("replies to its message and carries the size of the context", () => {
    const { commit, outbox, messageId } = world();
    commit(answer(messageId, "done", 62));
    expect(outbox()).toMatchObject([
      { kind: "answer", text: "done", footer: "[ctx: 62%]", replyTo: "m1" },
    ]);
  });

  it("carries nothing while the size of the context is unknown", () => {
    const { commit, outbox, messageId } = world();
    commit(answer(messageId, "done", null));
    expect(outbox()).toMatchObject([{ footer: null }]);
  });

  it("goes out once, however often it is written", () => {
    const { commit, outbox, messageId } = world();
    commit(answer(messageId, "done", null));
    commit(answer(messageId, "done again", null));
    expect(outbox().map((row) => row.text)).toEqual(["done"]);
  });

  it("says so where the agent had nothing to say", () => {
    const { commit, outbox, messageId } = world();
    commit(answer(messageId, " \n", null));
    expect(outbox()[0]?.text).toMatch(/nothing to say/);
  });
});

describe("what else is said", () => {
  it("is a relay: with its cause and the size of the context, each time", () => {
    const { commit, outbox } = world();
    const relay = plan(
      [],
      [
        {
          kind: "relay",
          text: "all green",
          cause: "make",
          percent: 5,
          agentKind: "claude",
          usage: null,
        },
      ],
    );
    commit(relay);
    commit(relay);
    expect(outbox()).toMatchObject([
      { kind: "answer", text: "🔔 make\n\nall green", footer: "[ctx: 5%]", replyTo: null },
      { text: "🔔 make\n\nall green" },
    ]);
  });

  it("is a notice: without the size of the context, to its message where it has one", () => {
    const { commit, outbox, messageId } = world();
    commit(plan([], [{ kind: "notice", notice: { code: "stopped" }, messageId }]));
    commit(plan([], [{ kind: "notice", notice: { code: "stopped" }, messageId: null }]));
    expect(outbox()).toMatchObject([
      { kind: "notice", footer: null, replyTo: "m1" },
      { kind: "notice", footer: null, replyTo: null },
    ]);
  });
});

describe("a workspace that two chats share", () => {
  const bind = plan([{ type: "workspace.bound", path: "/w", agentKind: "scripted" }]);
  const otherKey = sessionKey(OTHER_CHAT);

  it("is told to the second, once, and never to the first", () => {
    const { commit, outbox, store } = world();
    store.ensureSession(otherKey, OTHER_CHAT);
    commit(bind);
    expect(outbox()).toEqual([]);
    commit(bind, otherKey);
    commit(bind, otherKey);
    expect(outbox(OTHER_CHAT).map((row) => row.text)).toEqual([
      expect.stringMatching(/Another chat works in `\/w` too/),
    ]);
    expect(outbox()).toEqual([]);
  });

  it("is not one where the directories differ", () => {
    const { commit, outbox, store } = world();
    store.ensureSession(otherKey, OTHER_CHAT);
    commit(bind);
    commit(plan([{ type: "workspace.bound", path: "/v", agentKind: "scripted" }]), otherKey);
    expect(outbox(OTHER_CHAT)).toEqual([]);
  });
});
