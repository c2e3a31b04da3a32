import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../machines/commands.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { Notice } from "../../machines/plan.ts";
import { button, noticeButtons, type ButtonAction } from "../../src/buttons.ts";
import { PRESSED, pressArgs } from "../../src/channels/commands.ts";
import { handleCommand } from "../../src/sessions/handle-command.ts";
import { laneOf } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { asWritten } from "../../src/words/wording.ts";
import {
  ACCOUNT,
  CHAT,
  commandItem,
  draft,
  KEY,
  messageItem,
  only,
  OTHER_CHAT,
} from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { memoryLog } from "../support/memory-log.ts";

/** The message that waits for a decision. */
const PARKED = 1;

/** A chat with a message that was cut short, and one of ours that offers something. */
function world(action: ButtonAction | string, owner?: string) {
  const store = openTestStore(tempStoreFile());
  store.intake("telegram", ACCOUNT, [messageItem(1_000)], 1_001);
  const parked: SessionFact = { type: "message.parked", id: PARKED, reason: "cut-short" };
  store.write(KEY, only({ facts: [parked] }));
  const made =
    typeof action === "string"
      ? { label: asWritten("Old"), action }
      : button(asWritten("Do it"), action);
  const offered = { ...made, ...(owner === undefined ? {} : { owner }) };
  store.write(KEY, only({ outgoing: [{ ...draft("What now?"), buttons: [[offered]] }] }));
  const row = store.nextOutgoing(laneOf(CHAT));
  store.markPartSent(row?.id ?? 0, "p1", true);
  const asked: SessionCommand[] = [];
  const answers: (string | null)[] = [];
  let updates = 0;
  return {
    store,
    asked,
    answers,
    nonce: row?.buttons?.[0]?.[0]?.nonce ?? "",
    press(nonce: string, more: { now?: number; address?: typeof CHAT; approver?: boolean } = {}) {
      updates += 1;
      const { now = row?.createdAt ?? 0, address = CHAT, approver = true } = more;
      const item = commandItem(updates, PRESSED, { address });
      const intake = { ...item.intake, args: pressArgs(nonce, "q1") } as typeof item.intake;
      const [command] = store.intake("telegram", ACCOUNT, [{ ...item, intake }], 9).commands;
      if (command === undefined) throw new Error("The press was not stored");
      handleCommand(
        {
          store,
          words: english,
          defaultWorkspace: "/w",
          roots: ["/w"],
          limits: { messageBytes: 100, buttonMs: 1_000 },
          log: memoryLog().log,
          clock: { now: () => now },
          newId: () => "new-id",
          phase: () => null,
          toSession(_key, one) {
            asked.push(one);
            store.write(KEY, only({ commandsDone: [one.commandId] }));
          },
          outboxFilled: () => undefined,
          isApprover: () => approver,
          offers: () => null,
          answerPress: (_id, text) => answers.push(text),
        },
        command,
      );
      expect(store.pendingCommands()).toEqual([]);
    },
    next: () => store.nextOutgoing(laneOf(CHAT)),
  };
}

describe("a press", () => {
  it("does what its button says, once, and the message says so", () => {
    const one = world({ do: "retry", messageId: PARKED });
    one.press(one.nonce);
    expect(one.asked).toMatchObject([{ type: "command.retry", messageId: PARKED, uuid: "new-id" }]);
    expect(one.answers).toEqual([null]);
    expect(one.next()).toMatchObject({ text: "What now?\n\n→ Do it", editOf: "p1", buttons: [] });
    one.press(one.nonce);
    expect(one.asked).toHaveLength(1);
    expect(one.answers).toEqual([null, english.presses.stale]);
  });

  it.each<[ButtonAction, string]>([
    [{ do: "skip", messageId: PARKED }, "command.skip"],
    [{ do: "new" }, "command.new"],
    [{ do: "stop" }, "command.stop"],
  ])("of %o is the command %s", (action, type) => {
    const one = world(action);
    one.press(one.nonce);
    expect(one.asked).toMatchObject([{ type }]);
  });

  it.each(["retry", "skip"] as const)(
    "of %s does nothing, and does not say that it did, where that is decided already",
    (what) => {
      const one = world({ do: what, messageId: PARKED });
      const skipped: SessionFact = { type: "message.cancelled", id: PARKED };
      one.store.write(KEY, only({ facts: [skipped] }));
      one.press(one.nonce);
      expect(one.asked).toEqual([]);
      expect(one.answers).toEqual([english.presses.stale]);
      expect(one.next()).toBeNull();
    },
  );

  it("of a nonce that nobody was given is answered and ignored", () => {
    const one = world({ do: "new" });
    one.press("AAAAAAAAAAAA");
    expect(one.asked).toEqual([]);
    expect(one.answers).toEqual([english.presses.stale]);
    expect(one.next()).toBeNull();
  });

  it("of another chat's button, of an old one and of one from another version are ignored", () => {
    const one = world({ do: "new" });
    one.press(one.nonce, { address: OTHER_CHAT });
    one.press(one.nonce, { now: Number.MAX_SAFE_INTEGER });
    const other = world('{"do":"something of next year"}');
    other.press(other.nonce);
    expect([...one.answers, ...other.answers]).toEqual(Array(3).fill(english.presses.stale));
    expect([...one.asked, ...other.asked]).toEqual([]);
  });

  it("by somebody else than its owner or an approver changes nothing", () => {
    const owned = world({ do: "new" }, "bob");
    owned.press(owned.nonce);
    const decision = world({ do: "decide", requestId: "r", how: "allow" });
    decision.press(decision.nonce, { approver: false });
    expect([...owned.answers, ...decision.answers]).toEqual(
      Array(2).fill(english.presses.notYours),
    );
    expect([...owned.asked, ...decision.asked]).toEqual([]);
  });
});

describe("the buttons of a notice", () => {
  const offered = (notice: Notice, messageId: number) =>
    noticeButtons(english.buttons, notice, messageId);

  it("offer what a parked message may become", () => {
    const labels = (rows: ReturnType<typeof noticeButtons>) =>
      rows.map((row) => row.map((one) => JSON.parse(one.action).do));
    expect(labels(offered({ code: "parked", reason: "quiet" }, 3))).toEqual([["retry", "skip"]]);
    expect(labels(offered({ code: "parked", reason: "too-large" }, 3))).toEqual([
      ["retry", "skip"],
      ["new"],
    ]);
    expect(labels(offered({ code: "parked", reason: "too-long" }, 3))).toEqual([["retry", "skip"]]);
    expect(offered({ code: "stopped" }, 3)).toEqual([]);
    const lost = { code: "context-lost", reason: "too-large" } as const;
    expect(labels(offered({ ...lost, parked: true }, 3))).toEqual([["retry", "skip"]]);
    expect(offered({ ...lost, parked: false }, 3)).toEqual([]);
  });
});
