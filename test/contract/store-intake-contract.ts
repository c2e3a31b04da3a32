import { expect, test } from "vitest";
import type { StoreUnderTest } from "./store-contract.ts";
import {
  ACCOUNT,
  CHAT,
  KEY,
  OTHER_CHAT,
  commandItem,
  draft,
  messageItem,
  only,
  unsupportedItem,
} from "./store-fixtures.ts";

const NOTHING = { messages: [], commands: [], lanes: [] };

export function intakeContract(use: () => StoreUnderTest): void {
  test("stores a message with its fact and the offset, and keeps them over a restart", async () => {
    const { store, clock, restart } = use();
    const { messages, commands, lanes } = store.intake("telegram", ACCOUNT, [messageItem(5)], 6);
    const [message] = messages;
    expect(message).toEqual({
      id: expect.any(Number),
      key: KEY,
      address: CHAT,
      sender: "ada",
      text: "text 5",
      files: [],
      platformMessageId: "m5",
      receivedAt: clock.now(),
    });
    expect({ commands, lanes }).toEqual({ commands: [], lanes: [] });

    const again = await restart();
    const id = message?.id ?? 0;
    expect(again.message(id)).toEqual(message);
    expect(again.offset("telegram", ACCOUNT)).toBe(6);
    expect(again.history(KEY)).toEqual([
      { at: clock.now(), fact: { type: "message.received", id, uuid: "uuid-5" } },
    ]);
    expect(again.facts(KEY).messages).toMatchObject([
      { id, uuid: "uuid-5", state: "received", transcript: null, epoch: 0, toolsRan: false },
    ]);
  });

  test("finds a message by its number on the platform, and keeps its new text", async () => {
    const { store, restart } = use();
    const [message] = store.intake(
      "telegram",
      ACCOUNT,
      [messageItem(5), commandItem(6, "new")],
      7,
    ).messages;
    const id = message?.id ?? 0;
    expect(store.messageOnPlatform(KEY, "m5")?.id).toBe(id);
    expect(store.messageOnPlatform(KEY, "m6")).toBeNull();
    expect(store.messageOnPlatform("telegram/1/-", "m5")).toBeNull();
    store.write(KEY, { facts: [], outgoing: [], commandsDone: [], edited: { id, text: "new" } });
    const again = await restart();
    expect(again.message(id)?.text).toBe("new");
    const wrong = { facts: [], outgoing: [], commandsDone: [], edited: { id: 99, text: "new" } };
    expect(() => again.write(KEY, wrong)).toThrow(/message 99 is not one of/);
  });

  test("stores an update once, however often it comes", async () => {
    const { store, restart } = use();
    const batch = [messageItem(5), messageItem(5, { text: "changed" }), commandItem(6, "status")];
    expect(store.intake("telegram", ACCOUNT, batch, 7).messages).toHaveLength(1);
    expect(store.intake("telegram", ACCOUNT, batch, 7)).toEqual(NOTHING);

    const again = await restart();
    expect(again.intake("telegram", ACCOUNT, batch, 7)).toEqual(NOTHING);
    expect(again.facts(KEY).messages).toHaveLength(1);
    expect(again.pendingCommands()).toHaveLength(1);
  });

  test("tells the updates and offsets of channels and accounts apart", () => {
    const { store } = use();
    store.intake("telegram", ACCOUNT, [messageItem(5)], 6);
    expect(store.intake("telegram", "bot-2", [messageItem(5)], 60).messages).toHaveLength(1);
    expect(store.intake("local", ACCOUNT, [messageItem(5)], null).messages).toHaveLength(1);
    expect(store.offset("telegram", ACCOUNT)).toBe(6);
    expect(store.offset("telegram", "bot-2")).toBe(60);
    expect(store.offset("local", ACCOUNT)).toBeNull();
  });

  test("follows the platform's offset, a lower one after it renumbered included", () => {
    const { store } = use();
    store.intake("telegram", ACCOUNT, [], 10);
    store.intake("telegram", ACCOUNT, [], null);
    expect(store.offset("telegram", ACCOUNT)).toBe(10);
    store.intake("telegram", ACCOUNT, [], 11);
    expect(store.offset("telegram", ACCOUNT)).toBe(11);
    store.intake("telegram", ACCOUNT, [messageItem(3)], 4);
    expect(store.offset("telegram", ACCOUNT)).toBe(4);
  });

  test("keeps the order of a batch over several sessions", () => {
    const { store } = use();
    const batch = [messageItem(1), messageItem(2, { address: OTHER_CHAT }), messageItem(3)];
    const { messages } = store.intake("telegram", ACCOUNT, batch, 4);
    expect(messages.map((one) => one.text)).toEqual(["text 1", "text 2", "text 3"]);
    expect(store.facts(KEY).messages.map((one) => one.uuid)).toEqual(["uuid-1", "uuid-3"]);
  });

  test("lets commands wait until they are handled", async () => {
    const { store, restart } = use();
    const batch = [commandItem(1, "new"), messageItem(2), commandItem(3, "status")];
    const { commands } = store.intake("telegram", ACCOUNT, batch, 4);
    expect(commands[0]).toEqual({
      id: expect.any(Number),
      key: KEY,
      address: CHAT,
      sender: "ada",
      name: "new",
      args: "some args",
      about: null,
      platformMessageId: null,
    });
    expect(store.pendingCommands()).toEqual(commands);
    expect(store.message(commands[0]?.id ?? 0)).toBeNull();

    const again = await restart();
    again.write(KEY, only({ commandsDone: [commands[0]?.id ?? 0] }));
    expect(again.pendingCommands().map((one) => one.name)).toEqual(["status"]);
    expect(again.facts(KEY).messages).toHaveLength(1);
  });

  test("answers at once what needs no session, and only the first time", async () => {
    const { store, restart } = use();
    const batch = [
      unsupportedItem(1, { reply: draft("No attachments yet.") }),
      messageItem(2, { reply: draft("The queue is full."), address: OTHER_CHAT }),
      commandItem(3, "login", { reply: draft("Not here.") }),
      unsupportedItem(4),
    ];
    const expected = { messages: [], commands: [], lanes: ["telegram/-100", "telegram/200"] };
    expect(store.intake("telegram", ACCOUNT, batch, 5)).toEqual(expected);
    expect(store.intake("telegram", ACCOUNT, batch, 5)).toEqual(NOTHING);

    const again = await restart();
    expect(again.pendingCommands()).toEqual([]);
    expect(again.keysWithWork()).toEqual([]);
    expect(again.nextOutgoing("telegram/200")).toMatchObject({
      address: OTHER_CHAT,
      text: "The queue is full.",
      partsSent: 0,
      uncertain: false,
    });
    const texts: string[] = [];
    for (let row = again.nextOutgoing("telegram/-100"); row !== null;) {
      texts.push(row.text);
      again.markPartSent(row.id, "p", true);
      row = again.nextOutgoing("telegram/-100");
    }
    expect(texts).toEqual(["No attachments yet.", "Not here."]);
  });

  test("stores nothing of a batch that holds a bad item, the offset included", () => {
    const { store } = use();
    const bad = { ...messageItem(2), key: "telegram/somewhere/else" };
    expect(() => store.intake("telegram", ACCOUNT, [messageItem(1), bad], 3)).toThrow(
      /telegram\/somewhere\/else/,
    );
    expect(store.offset("telegram", ACCOUNT)).toBeNull();
    expect(store.session(KEY)).toBeNull();
    expect(store.facts(KEY).messages).toEqual([]);
    expect(store.intake("telegram", ACCOUNT, [messageItem(1)], 2).messages).toHaveLength(1);
  });

  test("gives a text back as it came, however odd or long", async () => {
    const { store, restart } = use();
    const odd = "nul \0 end, emoji 👩‍🚀, quote ' \" ; DROP TABLE inbox; --\r\n";
    const long = "ä".repeat(524_288);
    const batch = [messageItem(1, { text: odd }), messageItem(2, { text: long })];
    const ids = store.intake("telegram", ACCOUNT, batch, 3).messages.map((one) => one.id);
    const again = await restart();
    expect(ids.map((id) => again.message(id)?.text)).toEqual([odd, long]);
  });

  test("knows no message that never came", () => {
    const { store } = use();
    expect(store.message(4_711)).toBeNull();
    expect(store.offset("telegram", ACCOUNT)).toBeNull();
    expect(store.pendingCommands()).toEqual([]);
  });
}
