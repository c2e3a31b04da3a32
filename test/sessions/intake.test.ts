import { describe, expect, it } from "vitest";
import type { SessionFact } from "../../machines/facts.ts";
import { REPLIED } from "../../src/channels/commands.ts";
import { factsOf, intended, received } from "../support/facts.ts";
import type { Address, Intake } from "../../src/ports.ts";
import { intakeItems, type IntakeOptions } from "../../src/sessions/intake.ts";
import { asWritten } from "../../src/words/wording.ts";
import { english } from "../../src/words/english.ts";
import { ACCOUNT, CHAT, KEY, messageItem, only, TOPIC } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";

function world(limits: Partial<IntakeOptions["limits"]> = {}) {
  const store = openTestStore(tempStoreFile());
  let ids = 0;
  const options: IntakeOptions = {
    store,
    limits: { queueMax: 3, messageBytes: 1_024, ...limits },
    words: english,
    isApprover: (sender) => sender === "ada",
    newId: () => `id-${++ids}`,
  };
  return { store, items: (...intakes: readonly Intake[]) => intakeItems(options, intakes) };
}

const message = (updateId: number, text: string, address: Address = CHAT): Intake => ({
  kind: "message",
  updateId,
  address,
  sender: "ada",
  text,
  platformMessageId: `m${updateId}`,
});

const command = (updateId: number): Intake => ({
  kind: "command",
  updateId,
  address: CHAT,
  sender: "ada",
  name: "stop",
  args: "",
  platformMessageId: null,
});

describe("a message that comes in", () => {
  it("is stored for its session under an id of its own, with no word", () => {
    const { items } = world();
    expect(items(message(1, "hello"), message(2, "there", TOPIC))).toEqual([
      { intake: message(1, "hello"), key: "telegram/-100/-", uuid: "id-1", reply: null },
      { intake: message(2, "there", TOPIC), key: "telegram/-100/7", uuid: "id-2", reply: null },
    ]);
  });

  it.each(["", "  \n\t "])("is answered where there is nothing in it: %j", (text) => {
    const [item] = world().items(message(1, text));
    expect(item?.reply).toMatchObject({ kind: "notice", replyTo: "m1", footer: null });
    expect(item?.reply?.text).toMatch(/nothing in this message/i);
  });

  it("is refused where it has more bytes than the limit, counted as UTF-8", () => {
    const { items } = world({ messageBytes: 1_024 });
    expect(items(message(1, "é".repeat(512)))[0]?.reply).toBeNull();
    expect(items(message(2, "é".repeat(513)))[0]?.reply?.text).toMatch(/too long \(over 1 KiB\)/);
  });

  it("of 100 kB is taken with the default of a megabyte", () => {
    const { items } = world({ messageBytes: 1_048_576 });
    expect(items(message(1, "x".repeat(100_000)))[0]?.reply).toBeNull();
  });

  it("is refused where as many wait as may, those of the same batch included", () => {
    const { items } = world({ queueMax: 3 });
    const batch = items(...[1, 2, 3, 4].map((nth) => message(nth, "x")));
    expect(batch.map((item) => item.reply === null)).toEqual([true, true, true, false]);
    expect(batch[3]?.reply?.text).toMatch(/^3 messages are waiting/);
  });

  it("is refused where as many wait in the store, parked ones included", () => {
    const { store, items } = world({ queueMax: 2 });
    const stored = store.intake("telegram", ACCOUNT, [messageItem(1), messageItem(2)], 3);
    const id = stored.messages[0]?.id ?? 0;
    store.write(KEY, only({ facts: [{ type: "message.parked", id, reason: "quiet" }] }));
    expect(items(message(3, "x"))[0]?.reply).not.toBeNull();
    store.write(KEY, only({ facts: [{ type: "message.cancelled", id }] }));
    expect(items(message(4, "x"))[0]?.reply).toBeNull();
  });

  it("waits in its own session: a full one keeps nobody else out", () => {
    const { items } = world({ queueMax: 1 });
    const batch = items(message(1, "x"), message(2, "x"), message(3, "x", TOPIC));
    expect(batch.map((item) => item.reply === null)).toEqual([true, false, true]);
  });

  it("takes no place in the queue where it is refused for itself", () => {
    const { items } = world({ queueMax: 1 });
    const batch = items(message(1, " "), message(2, "x"));
    expect(batch.map((item) => item.reply === null)).toEqual([false, true]);
  });
});

describe("what else comes in", () => {
  it("is a command, taken even where the queue is full", () => {
    const { items } = world({ queueMax: 1 });
    expect(items(message(1, "x"), command(2))[1]?.reply).toBeNull();
  });

  it("is something that cannot be passed on, which is said", () => {
    const [item] = world().items({
      kind: "unsupported",
      updateId: 1,
      address: CHAT,
      sender: "ada",
      what: "photo",
      platformMessageId: "m1",
    });
    expect(item?.reply).toMatchObject({ kind: "notice", replyTo: "m1", dedupe: null });
    expect(item?.reply?.text).toContain("a photo");
  });

  it("is stored as it was made: the message waits, the refused one is answered and done", () => {
    const { store, items } = world({ queueMax: 1 });
    const stored = store.intake("telegram", ACCOUNT, items(message(1, "x"), message(2, "y")), 3);
    expect(stored.messages).toHaveLength(1);
    expect(store.facts(KEY).messages).toEqual(
      factsOf({ ...received(stored.messages[0]?.id ?? 0), uuid: "id-1" } as never).messages,
    );
    expect(store.nextOutgoing(stored.lanes[0] ?? "")?.text).toMatch(/^1 messages are waiting/);
  });
});

describe("a reply to a message of ours", () => {
  const session = (agentSessionId: string) =>
    ({
      agentSessionId,
      transcript: `/t/${agentSessionId}.jsonl`,
    }) as const;
  const reply = (replyTo: string): Intake => {
    const said = message(1, "go on with that");
    return said.kind === "message" ? { ...said, replyTo } : said;
  };

  /** An answer of the conversation s1, which the chat has left for s2. */
  function left(...more: readonly SessionFact[]) {
    const one = world();
    const { store } = one;
    store.ensureSession(KEY, CHAT);
    const bind = (id: string): SessionFact => ({
      type: "agentSession.bound",
      ...session(id),
      agentKind: "scripted",
      model: null,
    });
    const sent = {
      kind: "answer",
      text: "an answer",
      footer: null,
      replyTo: null,
      dedupe: null,
    } as const;
    store.write(KEY, only({ facts: [bind("s1")], outgoing: [sent] }));
    const row = store.nextOutgoing("telegram/-100");
    store.markPartSent(row?.id ?? 0, "p7", true);
    const archived: SessionFact = {
      type: "agentSession.archived",
      ...session("s1"),
      reason: "new",
    };
    store.write(KEY, only({ facts: [archived, bind("s2"), ...more] }));
    return one;
  }

  it("goes back to the conversation of the message that it replies to", () => {
    const { items, store } = left();
    const [item] = items(reply("p7"));
    expect(item?.before).toEqual({ name: "resume", args: "s1" });
    if (item === undefined) return;
    const stored = store.intake("telegram", ACCOUNT, [item], 2);
    expect(stored.commands).toMatchObject([{ name: "resume", args: "s1" }]);
    expect(stored.commands[0]?.id).toBeLessThan(stored.messages[0]?.id ?? 0);
    expect(store.intake("telegram", ACCOUNT, [item], 2).commands).toEqual([]);
  });

  it("is a message like any other where something waits, or of the present conversation", () => {
    const { store, items } = left();
    const [first] = items(message(8, "one that waits"));
    store.intake("telegram", ACCOUNT, first === undefined ? [] : [first], 9);
    expect(items(reply("p7"))[0]?.before).toBeUndefined();
    expect(left().items(reply("p8"))[0]?.before).toBeUndefined();
  });

  it("that asks something is what was decided, from an approver only", () => {
    const request = {
      requestId: "r:1",
      toolUseId: null,
      kind: "tool",
      tool: "Bash",
      summary: "",
      detail: "",
      always: null,
      questions: [],
    } as const;
    const { store, items } = left(intended(1, "s2"), {
      type: "approval.opened",
      epoch: 1,
      messageId: null,
      request,
    });
    const asks = {
      kind: "notice",
      text: asWritten("may I?"),
      footer: null,
      replyTo: null,
    } as const;
    store.write(KEY, only({ outgoing: [{ ...asks, dedupe: "approval:1:r:1" }] }));
    store.markPartSent(store.nextOutgoing("telegram/-100")?.id ?? 0, "p9", true);
    expect(items(reply("p9"))[0]?.intake).toMatchObject({
      kind: "command",
      name: REPLIED,
      args: "r:1 go on with that",
    });
    expect(items({ ...reply("p9"), sender: "bob" })[0]?.intake.kind).toBe("message");
  });
});
