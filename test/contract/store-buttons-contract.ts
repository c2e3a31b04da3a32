import { describe, expect, test } from "vitest";
import { sessionKey } from "../../src/sessions/session-key.ts";
import type { DraftButton, OutgoingDraft, Store } from "../../src/ports.ts";
import { asWritten } from "../../src/words/wording.ts";
import type { StoreUnderTest } from "./store-contract.ts";
import { CHAT, draft, KEY, only, TOPIC } from "./store-fixtures.ts";

const LANE = "telegram/-100";
const BUTTONS: readonly (readonly DraftButton[])[] = [
  [
    { label: asWritten("Allow"), action: "allow" },
    { label: asWritten("Deny"), action: "deny", owner: "ada" },
  ],
  [{ label: asWritten("See more"), action: "more" }],
];

function put(store: Store, ...outgoing: OutgoingDraft[]): void {
  store.ensureSession(KEY, CHAT);
  store.write(KEY, only({ outgoing }));
}

/** Sends the next row as a message of this number. */
function arrive(store: Store, platformMessageId: string): void {
  store.markPartSent(store.nextOutgoing(LANE)?.id ?? 0, platformMessageId, true);
}

const noncesOf = (store: Store): string[] =>
  (store.nextOutgoing(LANE)?.buttons ?? []).flat().map((one) => one.nonce);

export function buttonsContract(use: () => StoreUnderTest): void {
  test("gives each button a short nonce of its own, in its rows, also after a restart", async () => {
    const { store, restart } = use();
    put(store, { ...draft("may I?"), buttons: BUTTONS });
    const before = store.nextOutgoing(LANE);
    const labels = before?.buttons?.map((row) => row.map((one) => one.label));
    expect(labels).toEqual([["Allow", "Deny"], ["See more"]]);
    const nonces = noncesOf(store);
    expect(new Set(nonces).size).toBe(3);
    for (const nonce of nonces) expect(nonce).toMatch(/^[\w-]{12}$/);
    expect((await restart()).nextOutgoing(LANE)).toEqual(before);
  });

  test("knows a button by its nonce, and none that was never given out", async () => {
    const { store, clock, restart } = use();
    put(store, { ...draft("may I?", "ask:1"), buttons: BUTTONS });
    const [, deny = ""] = noncesOf(store);
    const row = store.nextOutgoing(LANE)?.id;
    const again = await restart();
    expect(again.button(deny)).toEqual({
      key: KEY,
      label: "Deny",
      action: "deny",
      owner: "ada",
      createdAt: clock.now(),
      isVoid: false,
      row,
      text: "may I?",
    });
    expect(again.button("never-given")).toBeNull();
  });

  describe("a row that changes another's message", () => {
    test.each([["by its dedupe"], ["by its id"]])("names it %s and takes its place", (how) => {
      const { store } = use();
      put(store, { ...draft("may I?", "ask:1"), buttons: BUTTONS });
      const row = store.nextOutgoing(LANE)?.id ?? 0;
      const [allow = ""] = noncesOf(store);
      arrive(store, "p7");
      put(store, { ...draft("allowed"), edits: how === "by its id" ? row : "ask:1" });
      expect(store.button(allow)?.isVoid).toBe(true);
      expect(store.nextOutgoing(LANE)).toMatchObject({
        text: "allowed",
        edits: true,
        editOf: "p7",
        buttons: [],
      });
    });

    test("changes the last message of a row that needed several", () => {
      const { store } = use();
      put(store, draft("long", "ask:1"));
      store.markPartSent(store.nextOutgoing(LANE)?.id ?? 0, "p1", false);
      arrive(store, "p2");
      put(store, { ...draft("changed"), edits: "ask:1" });
      expect(store.nextOutgoing(LANE)).toMatchObject({ editOf: "p2" });
    });

    test("has buttons of its own, void with the next change", () => {
      const { store } = use();
      put(store, draft("which?", "ask:1"));
      arrive(store, "p1");
      put(store, { ...draft("which? one"), edits: "ask:1", buttons: BUTTONS });
      const [chosen = ""] = noncesOf(store);
      expect(store.button(chosen)?.isVoid).toBe(false);
      put(store, { ...draft("one"), edits: store.button(chosen)?.row ?? 0 });
      expect(store.button(chosen)?.isVoid).toBe(true);
    });

    test("is not sent when a later one waits as well", () => {
      const { store } = use();
      put(store, draft("0 s", "progress"));
      arrive(store, "p1");
      put(store, { ...draft("1 s"), edits: "progress" }, { ...draft("2 s"), edits: "progress" });
      expect(store.nextOutgoing(LANE)?.text).toBe("2 s");
      arrive(store, "p1");
      expect(store.nextOutgoing(LANE)).toBeNull();
    });

    test("has nothing to change while its message has not arrived", () => {
      const { store } = use();
      put(store, draft("refused", "ask:1"));
      store.markDropped(store.nextOutgoing(LANE)?.id ?? 0, "refused");
      put(store, { ...draft("allowed"), edits: "ask:1" });
      const row = store.nextOutgoing(LANE);
      expect(row).toMatchObject({ edits: true });
      expect(row?.editOf).toBeUndefined();
    });

    test("is a new message where there is no such row", () => {
      const { store } = use();
      put(store, { ...draft("allowed"), edits: "ask:of another life" });
      expect(store.nextOutgoing(LANE)).toMatchObject({ text: "allowed", edits: false });
    });

    test("changes the follower of a message that was too old to be changed", () => {
      const { store } = use();
      put(store, draft("may I?", "ask:1"));
      arrive(store, "p1");
      put(store, { ...draft("sent"), edits: "ask:1" });
      arrive(store, "p9");
      put(store, { ...draft("allowed"), edits: "ask:1" });
      expect(store.nextOutgoing(LANE)).toMatchObject({ editOf: "p9" });
    });

    test("waits with a message whose topic takes nothing", () => {
      const { store } = use();
      const key = sessionKey(TOPIC);
      store.ensureSession(key, TOPIC);
      store.write(key, only({ outgoing: [draft("may I?", "ask:1")] }));
      store.markParked(store.nextOutgoing(LANE)?.id ?? 0, "closed", draft("alert"));
      arrive(store, "alert");
      store.write(key, only({ outgoing: [{ ...draft("allowed"), edits: "ask:1" }] }));
      expect(store.nextOutgoing(LANE)).toBeNull();
    });
  });

  test("knows which agent session a sent message belongs to, and forgets it with a move", () => {
    const { store } = use();
    store.ensureSession(KEY, CHAT);
    put(store, draft("before there was one", "first"));
    arrive(store, "p1");
    const session = {
      agentSessionId: "s1",
      transcript: "/t/s1.jsonl",
      agentKind: "claude",
    } as const;
    store.write(
      KEY,
      only({
        facts: [{ type: "agentSession.bound", ...session, model: null }],
        outgoing: [draft("an answer", "answer:1")],
      }),
    );
    arrive(store, "p2");
    expect(store.sent(KEY, "p1")).toEqual({ dedupe: "first", agentSessionId: null });
    expect(store.sent(KEY, "p2")).toEqual({ dedupe: "answer:1", agentSessionId: "s1" });
    expect(store.sent(KEY, "p3")).toBeNull();
    store.moveChat("telegram", "-100", "-200");
    expect(store.sent("telegram/-200/-", "p2")).toBeNull();
  });
}
