import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { createLanes, type Lanes } from "../../src/channels/lanes.ts";
import type { Address, Intake, OutgoingDraft, Store } from "../../src/ports.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { startFakeTelegram, type FakeTelegram } from "../support/fake-telegram/server.ts";
import { memoryLog } from "../support/memory-log.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { realClock } from "./telegram/recording.ts";
import { endFake, FORUM, openChannel, OWNER } from "./telegram/support.ts";

const LANE = `telegram/${FORUM}`;
const GENERAL: Address = { channel: "telegram", chatId: String(FORUM), topicId: null };
const TOPIC: Address = { ...GENERAL, topicId: "7" };

describe("a lane", () => {
  let fake: FakeTelegram;
  let store: Store;
  let lanes: Lanes;
  let records: ReturnType<typeof memoryLog>["records"];

  beforeEach(async () => {
    fake = await startFakeTelegram();
    fake.addChat({ id: FORUM, type: "supergroup", isForum: true, topics: [7] });
    store = openTestStore(tempStoreFile());
    const memory = memoryLog();
    ({ records } = memory);
    const { channel } = openChannel(fake);
    lanes = createLanes({
      store,
      limits: { ...DEFAULT_LIMITS, sendBackoffMinMs: 10, sendBackoffMaxMs: 20 },
      clock: realClock,
      log: memory.log,
      words: english,
      channels: new Map([[channel.name, channel]]),
      chatMoved: () => {},
      failed: (error) => {
        throw error;
      },
    });
  });
  afterEach(async () => {
    await lanes.shutdown(1_000);
    await endFake(fake);
  });

  const put = (address: Address, ...texts: string[]) => {
    const key = sessionKey(address);
    const outgoing = texts.map((text): OutgoingDraft => {
      return { kind: "answer", text, footer: null, replyTo: null, dedupe: null };
    });
    store.ensureSession(key, address);
    store.write(key, { facts: [], outgoing, commandsDone: [] });
  };
  const shown = () => fake.messages.map(({ text, threadId }) => [text, threadId]);
  const logged = (name: string) => records.filter((one) => one.message === name);

  it.each([1, 3])(
    "sends the file only where %i parts have arrived before a restart",
    async (sent) => {
      put(GENERAL, "some words\n\n".repeat(2_000));
      const id = store.nextOutgoing(LANE)?.id ?? 0;
      for (let part = 0; part < sent; part += 1) store.markPartSent(id, `p${part}`, false);
      lanes.filled(LANE);
      await fake.waitForMessage((message) => message.document !== undefined);
      await vi.waitFor(() => expect(store.pendingLanes()).toEqual([]));
      expect(fake.messages).toHaveLength(1);
    },
  );

  it("sets aside what a closed topic does not take, tells General once, and sends the rest", async () => {
    fake.closeTopic(FORUM, 7);
    put(TOPIC, "one", "two");
    put(GENERAL, "elsewhere");
    lanes.filled(LANE);
    await fake.waitForMessage((message) => message.text === english.answers.topicClosed);
    expect(shown()).toEqual([
      ["elsewhere", null],
      [english.answers.topicClosed, null],
    ]);
    expect(logged("send.parked")).toHaveLength(2);
  });

  it("sends in order what a topic did not take once somebody writes there again", async () => {
    fake.closeTopic(FORUM, 7);
    put(TOPIC, "one", "two");
    lanes.filled(LANE);
    await fake.waitForMessage((message) => message.text === english.answers.topicClosed);
    fake.reopenTopic(FORUM, 7);
    const intake: Intake = {
      kind: "message",
      updateId: 1,
      address: TOPIC,
      sender: String(OWNER),
      text: "hello again",
      platformMessageId: null,
    };
    const item = { intake, key: sessionKey(TOPIC), uuid: "u1", reply: null };
    const stored = store.intake("telegram", "bot", [item], 2);
    put(TOPIC, "three");
    for (const lane of stored.lanes) lanes.filled(lane);
    await fake.waitForMessage((message) => message.text === "three");
    expect(shown().slice(1)).toEqual([
      ["one", 7],
      ["two", 7],
      ["three", 7],
    ]);
  });

  it("tells the chat of a message that is refused in every form, and goes on", async () => {
    const description = "Bad Request: SOMETHING_NEW";
    fake.fail("sendMessage", { kind: "error", code: 400, description }, 2);
    put(TOPIC, "refused", "next");
    lanes.filled(LANE);
    await fake.waitForMessage((message) => message.text.includes("SOMETHING_NEW"));
    const notice = `could not be delivered because Telegram refused it: 400: ${description}`;
    expect(shown()).toEqual([
      ["next", 7],
      [expect.stringContaining(notice), 7],
    ]);
    expect(logged("send.refused")).toHaveLength(1);
  });

  it("tells nobody when the notice of a refusal is refused itself", async () => {
    const fault = { kind: "error", code: 400, description: "Bad Request: NO" } as const;
    fake.fail("sendMessage", fault, 4);
    put(TOPIC, "refused");
    lanes.filled(LANE);
    await vi.waitFor(() => expect(logged("send.refused")).toHaveLength(2));
    expect(store.pendingLanes()).toEqual([]);
    expect(fake.messages).toEqual([]);
    expect(fake.calls).toHaveLength(4);
  });
});
