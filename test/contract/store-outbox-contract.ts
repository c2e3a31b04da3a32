import { describe, expect, test } from "vitest";
import type { OutgoingDraft, Store } from "../../src/ports.ts";
import type { StoreUnderTest } from "./store-contract.ts";
import {
  ACCOUNT,
  CHAT,
  KEY,
  OTHER_CHAT,
  TOPIC,
  commandItem,
  draft,
  messageItem,
  only,
} from "./store-fixtures.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";
import { asWritten } from "../../src/words/wording.ts";

const LANE = "telegram/-100";

function put(store: Store, ...outgoing: OutgoingDraft[]): void {
  store.ensureSession(KEY, CHAT);
  store.write(KEY, only({ outgoing }));
}

function nextId(store: Store): number {
  return store.nextOutgoing(LANE)?.id ?? 0;
}

export function outboxContract(use: () => StoreUnderTest): void {
  test("gives a row with everything it was written with", async () => {
    const { store, clock, restart } = use();
    const footer = asWritten("[ctx: 62%]");
    put(store, { kind: "answer", text: "**hi**", footer, replyTo: "m1", dedupe: "answer:1" });
    expect((await restart()).nextOutgoing(LANE)).toEqual({
      id: expect.any(Number),
      key: KEY,
      address: CHAT,
      kind: "answer",
      text: "**hi**",
      footer,
      replyTo: "m1",
      partsSent: 0,
      uncertain: false,
      createdAt: clock.now(),
      dedupe: "answer:1",
      buttons: [],
      edits: false,
    });
  });

  test("keeps what a file holds until it has arrived or is given up", async () => {
    const { store, restart } = use();
    const file = { name: "a.txt", content: Buffer.from([0, 255, 10]) };
    put(store, { ...draft("look"), file }, { ...draft("another"), file });
    const again = await restart();
    expect(again.nextOutgoing(LANE)?.file).toEqual(file);
    again.markSending(nextId(again));
    again.markPartSent(nextId(again), "m7", true);
    again.markDropped(nextId(again), "refused");
    expect(again.nextOutgoing(LANE)).toBeNull();
  });

  test("keeps the order in a chat over its topics, and chats apart", () => {
    const { store } = use();
    store.ensureSession(KEY, CHAT);
    store.ensureSession(sessionKey(TOPIC), TOPIC);
    store.ensureSession(sessionKey(OTHER_CHAT), OTHER_CHAT);
    store.write(KEY, only({ outgoing: [draft("one")] }));
    store.write(sessionKey(OTHER_CHAT), only({ outgoing: [draft("elsewhere")] }));
    store.write(sessionKey(TOPIC), only({ outgoing: [draft("two")] }));
    store.write(KEY, only({ outgoing: [draft("three")] }));
    expect(store.pendingLanes()).toEqual([LANE, "telegram/200"]);

    const seen: unknown[] = [];
    for (let row = store.nextOutgoing(LANE); row !== null; row = store.nextOutgoing(LANE)) {
      seen.push([row.text, row.address.topicId]);
      store.markPartSent(row.id, "p", true);
    }
    expect(seen).toEqual([
      ["one", null],
      ["two", "7"],
      ["three", null],
    ]);
    expect(store.pendingLanes()).toEqual(["telegram/200"]);
    expect(store.nextOutgoing("telegram/300")).toBeNull();
  });

  test("remembers over a restart how far a row was sent, and that a copy may exist", async () => {
    const { store, restart } = use();
    put(store, draft("long"));
    const id = nextId(store);
    store.markSending(id);
    store.markPartSent(id, "p1", false);
    store.markSending(id);
    const again = await restart();
    expect(again.nextOutgoing(LANE)).toMatchObject({ id, partsSent: 1, uncertain: true });
    again.markPartSent(id, "p2", true);
    expect(again.nextOutgoing(LANE)).toBeNull();
  });

  test("is certain again when a part was acknowledged or certainly not delivered", () => {
    const { store } = use();
    put(store, draft("long"));
    const id = nextId(store);
    store.markSending(id);
    store.markUnsent(id);
    expect(store.nextOutgoing(LANE)).toMatchObject({ id, partsSent: 0, uncertain: false });
    store.markSending(id);
    store.markPartSent(id, "p1", false);
    expect(store.nextOutgoing(LANE)).toMatchObject({ id, partsSent: 1, uncertain: false });
  });

  test("goes on with the next row when one is dropped", async () => {
    const { store, restart } = use();
    put(store, draft("refused"), draft("fine"));
    store.markDropped(nextId(store), "message text is empty");
    expect((await restart()).nextOutgoing(LANE)?.text).toBe("fine");
  });

  test("puts a notice about a dropped row where that would have gone, behind what waits", () => {
    const { store } = use();
    const topicKey = sessionKey(TOPIC);
    store.ensureSession(topicKey, TOPIC);
    store.write(topicKey, only({ outgoing: [draft("refused"), draft("fine")] }));
    store.markDropped(nextId(store), "refused", draft("one is missing", "refused:1"));
    expect(store.nextOutgoing(LANE)?.text).toBe("fine");
    store.markPartSent(nextId(store), "p", true);
    expect(store.nextOutgoing(LANE)).toMatchObject({ text: "one is missing", address: TOPIC });
  });

  test("refuses to touch a row that has ended or never was", () => {
    const { store } = use();
    put(store, draft("sent"), draft("dropped"));
    const sent = nextId(store);
    store.markPartSent(sent, "p", true);
    const dropped = nextId(store);
    store.markDropped(dropped, "blocked");
    for (const id of [sent, dropped, 4_711]) {
      expect(() => store.markSending(id)).toThrow(String(id));
      expect(() => store.markUnsent(id)).toThrow(String(id));
      expect(() => store.markPartSent(id, "p", false)).toThrow(String(id));
      expect(() => store.markDropped(id, "again")).toThrow(String(id));
      expect(() => store.markParked(id, "again", draft("alert"))).toThrow(String(id));
    }
    expect(store.nextOutgoing(LANE)).toBeNull();
  });

  test("takes a row of the same dedupe once, even after it was sent", async () => {
    const { store, restart } = use();
    put(store, draft("first", "answer:1"), draft("second", "answer:1"), draft("other", "answer:2"));
    store.markPartSent(nextId(store), "p", true);
    const again = await restart();
    put(again, draft("third", "answer:1"));
    expect(again.nextOutgoing(LANE)?.text).toBe("other");
    again.markPartSent(nextId(again), "p", true);
    expect(again.nextOutgoing(LANE)).toBeNull();
  });

  test("takes every row without a dedupe", () => {
    const { store } = use();
    put(store, draft("same"), draft("same"));
    store.markPartSent(nextId(store), "p", true);
    expect(store.nextOutgoing(LANE)?.text).toBe("same");
  });

  describe("rows for a topic that takes nothing", () => {
    const topicKey = sessionKey(TOPIC);
    const alert = draft("a topic is closed");
    const putInTopic = (store: Store, ...texts: string[]) => {
      store.ensureSession(topicKey, TOPIC);
      store.write(topicKey, only({ outgoing: texts.map((text) => draft(text)) }));
    };
    const park = (store: Store) => store.markParked(nextId(store), "TOPIC_CLOSED", alert);
    const texts = (store: Store): string[] => {
      const seen: string[] = [];
      for (let row = store.nextOutgoing(LANE); row !== null; row = store.nextOutgoing(LANE)) {
        seen.push(row.text);
        store.markDropped(row.id, "read by the test");
      }
      return seen;
    };

    test("are kept out of the lane's way, also over a restart", async () => {
      const { store, restart } = use();
      putInTopic(store, "parked");
      put(store, draft("elsewhere"));
      park(store);
      const again = await restart();
      expect(texts(again)).toEqual(["elsewhere", "a topic is closed"]);
      expect(again.pendingLanes()).toEqual([]);
    });

    test("bring one alert to General, however many are parked", () => {
      const { store } = use();
      putInTopic(store, "one", "two");
      park(store);
      park(store);
      expect(store.nextOutgoing(LANE)).toMatchObject({ text: alert.text, address: CHAT });
      expect(texts(store)).toEqual([alert.text]);
    });

    test("bring none where General itself takes nothing", () => {
      const { store } = use();
      put(store, draft("one"));
      park(store);
      expect(texts(store)).toEqual([]);
    });

    test.each([
      ["message", messageItem(1, { address: TOPIC })],
      ["command", commandItem(1, "status", { address: TOPIC })],
    ])("are to be sent again, in order, when a new %s comes from there", async (_, item) => {
      const { store, restart } = use();
      putInTopic(store, "one", "two");
      store.markSending(nextId(store));
      store.markPartSent(nextId(store), "p1", false);
      park(store);
      park(store);
      texts(store);
      expect(store.intake("telegram", ACCOUNT, [messageItem(9)], 10).lanes).toEqual([]);
      expect(texts(store)).toEqual([]);
      const again = await restart();
      expect(again.intake("telegram", ACCOUNT, [item], 2).lanes).toEqual([LANE]);
      putInTopic(again, "three");
      expect(again.nextOutgoing(LANE)).toMatchObject({ partsSent: 1, uncertain: false });
      expect(texts(again)).toEqual(["one", "two", "three"]);
    });

    test("are to be sent again when a later one arrives there after all", () => {
      const { store } = use();
      putInTopic(store, "one", "two");
      park(store);
      store.markPartSent(nextId(store), "p", true);
      expect(texts(store)).toEqual(["one", alert.text]);
    });

    test("are told of again when the topic closes once more", () => {
      const { store } = use();
      putInTopic(store, "one");
      park(store);
      texts(store);
      store.intake("telegram", ACCOUNT, [messageItem(1, { address: TOPIC })], 2);
      park(store);
      expect(texts(store)).toEqual([alert.text]);
    });

    test("are touched by nothing while they are parked", () => {
      const { store } = use();
      putInTopic(store, "one");
      const id = nextId(store);
      park(store);
      expect(() => store.markSending(id)).toThrow(String(id));
      expect(() => store.markPartSent(id, "p", true)).toThrow(String(id));
      expect(() => store.markParked(id, "again", alert)).toThrow(String(id));
    });

    test("move with their chat", () => {
      const { store } = use();
      putInTopic(store, "one");
      park(store);
      texts(store);
      store.moveChat("telegram", "-100", "-200");
      const address = { ...TOPIC, chatId: "-200" };
      const result = store.intake("telegram", ACCOUNT, [messageItem(1, { address })], 2);
      expect(result.lanes).toEqual(["telegram/-200"]);
      expect(store.nextOutgoing("telegram/-200")).toMatchObject({ text: "one", address });
    });
  });
}
