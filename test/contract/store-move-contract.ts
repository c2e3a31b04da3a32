import { expect, test } from "vitest";
import { foldFacts, initialFacts } from "../../machines/fold.ts";
import { messageInFlight } from "../../machines/facts.ts";
import type { SessionFact } from "../../machines/facts.ts";
import type { Address, Store } from "../../src/ports.ts";
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
import { launch } from "./store-session-contract.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";

const MOVED: Address = { ...CHAT, chatId: "-200" };
const MOVED_KEY = sessionKey(MOVED);

/** A session with a completed turn on `session-<epoch>` in `path`. */
function talk(store: Store, address: Address, epoch: number, path: string): void {
  const key = sessionKey(address);
  store.ensureSession(key, address);
  const [agentSessionId, transcript] = [`session-${epoch}`, `/transcripts/${epoch}.jsonl`];
  const agentKind = "claude";
  const facts: SessionFact[] = [
    { type: "workspace.bound", path, agentKind },
    ...launch(epoch),
    { type: "agentSession.bound", agentSessionId, transcript, agentKind, model: "opus" },
    { type: "turn.completed", epoch },
  ];
  store.write(key, only({ facts }));
}

export function moveContract(use: () => StoreUnderTest): void {
  test("takes sessions, topics, messages, commands and outbox rows along", async () => {
    const { store, restart } = use();
    const topicKey = sessionKey(TOPIC);
    const batch = [
      messageItem(1),
      messageItem(2, { address: TOPIC }),
      commandItem(3, "new"),
      messageItem(4, { address: OTHER_CHAT }),
    ];
    const [first] = store.intake("telegram", ACCOUNT, batch, 5).messages;
    store.write(KEY, only({ outgoing: [draft("one")] }));
    store.write(topicKey, only({ outgoing: [draft("two")] }));
    talk(store, CHAT, 1, "/work/a");
    const before = store.facts(KEY);
    store.moveChat("telegram", "-100", "-200");

    const again = await restart();
    expect(again.session(MOVED_KEY)).toEqual({ key: MOVED_KEY, address: MOVED, facts: before });
    expect(again.message(first?.id ?? 0)).toMatchObject({ key: MOVED_KEY, address: MOVED });
    expect(again.pendingCommands()).toMatchObject([{ key: MOVED_KEY, address: MOVED }]);
    const movedTopic = { ...TOPIC, chatId: "-200" };
    expect(again.keysWithWork().toSorted()).toEqual(
      [MOVED_KEY, sessionKey(movedTopic), sessionKey(OTHER_CHAT)].toSorted(),
    );
    expect(again.keysInWorkspace("/work/a")).toEqual([MOVED_KEY]);
    expect(again.pendingLanes()).toEqual(["telegram/-200"]);
    expect(again.nextOutgoing("telegram/-200")).toMatchObject({ text: "one", address: MOVED });
    again.markPartSent(again.nextOutgoing("telegram/-200")?.id ?? 0, "p", true);
    expect(again.nextOutgoing("telegram/-200")).toMatchObject({ text: "two", address: movedTopic });
  });

  test("sends late writes and late updates of the old chat to the new one", async () => {
    const { store, restart } = use();
    const [first] = store.intake("telegram", ACCOUNT, [messageItem(1)], 2).messages;
    store.moveChat("telegram", "-100", "-200");
    const again = await restart();
    const late: SessionFact = { type: "message.answered", id: first?.id ?? 0 };
    again.write(KEY, only({ facts: [late], outgoing: [draft("late answer")] }));
    again.ensureSession(KEY, CHAT);
    const { messages } = again.intake("telegram", ACCOUNT, [messageItem(2)], 3);

    expect(again.nextOutgoing("telegram/-200")).toMatchObject({ text: "late answer" });
    expect(messages).toMatchObject([{ key: MOVED_KEY, address: MOVED, text: "text 2" }]);
    expect(again.session(KEY)).toEqual(again.session(MOVED_KEY));
    expect(again.history(KEY)).toHaveLength(3);
    expect(again.intake("telegram", ACCOUNT, [messageItem(1)], 2).messages).toEqual([]);
  });

  test("can be moved on and back", async () => {
    const { store, restart } = use();
    talk(store, CHAT, 1, "/work/a");
    const before = store.facts(KEY);
    store.moveChat("telegram", "-100", "-200");
    store.moveChat("telegram", "-200", "-300");
    expect(store.session(KEY)?.key).toBe("telegram/-300/-");
    store.moveChat("telegram", "-300", "-100");
    const again = await restart();
    for (const key of [KEY, MOVED_KEY, "telegram/-300/-"]) {
      expect(again.session(key)).toEqual({ key: KEY, address: CHAT, facts: before });
    }
    again.moveChat("telegram", "-100", "-200");
    for (const key of [KEY, MOVED_KEY, "telegram/-300/-"]) {
      expect(again.session(key)).toEqual({ key: MOVED_KEY, address: MOVED, facts: before });
    }
  });

  test("does nothing for a chat that is unknown or stays", () => {
    const { store } = use();
    talk(store, CHAT, 1, "/work/a");
    const before = store.session(KEY);
    store.moveChat("telegram", "-100", "-100");
    store.moveChat("telegram", "-900", "-200");
    store.moveChat("local", "-100", "-200");
    expect(store.session(KEY)).toEqual(before);
    expect(store.session(MOVED_KEY)).toBeNull();
  });

  test("goes on with the old conversation where the new chat has launched nothing", async () => {
    const { store, restart } = use();
    talk(store, CHAT, 7, "/work/a");
    store.intake("telegram", ACCOUNT, [messageItem(1), messageItem(2, { address: MOVED })], 3);
    const bound = { type: "workspace.bound", path: "/default", agentKind: "claude" } as const;
    store.write(MOVED_KEY, only({ facts: [bound], outgoing: [draft("welcome")] }));
    const before = store.facts(KEY);
    store.moveChat("telegram", "-100", "-200");

    const facts = (await restart()).facts(MOVED_KEY);
    expect(facts).toMatchObject({
      workspace: "/work/a",
      epoch: 7,
      bound: before.bound,
      launch: before.launch,
      archived: [],
    });
    expect(facts.messages.map((one) => one.uuid)).toEqual(["uuid-1", "uuid-2"]);
  });

  test("keeps a fresh start that the user asked for in the new chat", () => {
    const { store } = use();
    talk(store, CHAT, 7, "/work/a");
    store.ensureSession(MOVED_KEY, MOVED);
    const asked: SessionFact[] = [
      { type: "workspace.bound", path: "/work/b", agentKind: "claude" },
      { type: "fresh.intended", epoch: 1, reason: "workspace-changed" },
    ];
    store.write(MOVED_KEY, only({ facts: asked }));
    store.moveChat("telegram", "-100", "-200");
    expect(store.facts(MOVED_KEY)).toMatchObject({
      workspace: "/work/b",
      fresh: { reason: "workspace-changed" },
      bound: { agentSessionId: "session-7" },
    });
  });

  test("goes on with the new chat's conversation where it has one, and lists the old one", async () => {
    const { store, restart } = use();
    talk(store, CHAT, 7, "/work/a");
    const [old] = store.intake("telegram", ACCOUNT, [messageItem(1), messageItem(2)], 3).messages;
    const given: SessionFact = {
      type: "message.given",
      id: old?.id ?? 0,
      epoch: 7,
      transcript: null,
    };
    const fresh: SessionFact = { type: "fresh.intended", epoch: 8, reason: "new" };
    store.write(KEY, only({ facts: [given, fresh], outgoing: [draft("old notice")] }));
    talk(store, MOVED, 1, "/default");
    store.intake("telegram", ACCOUNT, [messageItem(3, { address: MOVED })], 4);
    const current = store.facts(MOVED_KEY);
    store.moveChat("telegram", "-100", "-200");

    const again = await restart();
    const facts = again.facts(MOVED_KEY);
    const { bound, launch: launched, workspace, epoch } = current;
    expect(facts).toMatchObject({ bound, launch: launched, workspace, epoch, fresh: null });
    expect(facts.archived).toMatchObject([
      {
        agentSessionId: "session-7",
        transcript: "/transcripts/7.jsonl",
        model: "opus",
        completedTurns: 1,
        reason: "superseded",
      },
    ]);
    expect(facts.messages.map((one) => [one.uuid, one.state])).toEqual([
      ["uuid-1", "parked"],
      ["uuid-2", "received"],
      ["uuid-3", "received"],
    ]);
    expect(messageInFlight(facts)).toBeNull();
    expect(again.nextOutgoing("telegram/-200")).toMatchObject({ text: "old notice" });
    expect(again.keysWithWork()).toEqual([MOVED_KEY]);
    const replayed = again.history(MOVED_KEY).map((one) => one.fact);
    expect(foldFacts(initialFacts("scripted"), replayed)).toEqual(facts);
  });
}
