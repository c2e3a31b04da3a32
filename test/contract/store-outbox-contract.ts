import { expect, test } from "vitest";
import type { OutgoingDraft, Store } from "../../src/ports.ts";
import type { StoreUnderTest } from "./store-contract.ts";
import { CHAT, KEY, OTHER_CHAT, TOPIC, draft, only } from "./store-fixtures.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";

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
    const footer = "[ctx: 62%]";
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
    });
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
}
