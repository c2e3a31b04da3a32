import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TurnOutcome } from "../../machines/vocabulary.ts";
import { createProgress, type ProgressMessages } from "../../src/channels/progress.ts";
import type { Address, Store } from "../../src/ports.ts";
import { english } from "../../src/words/english.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";
import { startFakeTelegram, type FakeTelegram } from "../support/fake-telegram/server.ts";
import { memoryLog } from "../support/memory-log.ts";
import { toolStarted } from "../support/session-harness.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { realClock } from "./telegram/recording.ts";
import { endFake, openChannel, OWNER, says } from "./telegram/support.ts";

const ADDRESS: Address = { channel: "telegram", chatId: String(OWNER), topicId: null };
const KEY = sessionKey(ADDRESS);

describe("the message of a running turn", () => {
  let fake: FakeTelegram;
  let store: Store;
  let progress: ProgressMessages;

  const open = (): ProgressMessages => {
    const { channel } = openChannel(fake, {}, { progressPrivateMs: 20 });
    const limits = { progressAfterMs: 10 };
    const log = memoryLog().log;
    return createProgress({ channel, store, limits, clock: realClock, words: english, log });
  };
  beforeEach(async () => {
    fake = await startFakeTelegram();
    says(fake);
    store = openTestStore(tempStoreFile());
    store.ensureSession(KEY, ADDRESS);
    progress = open();
  });
  afterEach(async () => {
    progress.stop();
    await endFake(fake);
  });

  const begin = () => progress.phaseChanged(KEY, "busy");
  const finish = (outcome: TurnOutcome) => {
    const nothing = { text: "", context: null, usage: null, selfReportedPercent: null };
    progress.observe(KEY, { type: "turn.ended", uuids: [], outcome, ...nothing });
    progress.phaseChanged(KEY, "idle");
  };
  const last = () => fake.messages.at(-1);
  const reads = (part: string) => fake.waitForMessage((message) => message.text.includes(part));

  it("appears after a while, is changed in place, and is closed when the turn is over", async () => {
    begin();
    await reads("Thinking");
    const first = last();
    progress.observe(KEY, toolStarted());
    await reads("Bash make");
    finish("completed");
    await reads("✓");
    expect(new Set(fake.messages.map((one) => one.messageId))).toEqual(new Set([first?.messageId]));
    expect(last()).toMatchObject({ text: "✓ 1 s · 1 tool", replyMarkup: null });
    await vi.waitFor(() => expect(store.leftProgress()).toEqual([]));
  });

  it.each<[string, () => void]>([
    ["was stopped", () => finish("interrupted")],
    ["failed", () => finish("failed")],
    ["was lost with its agent", () => progress.phaseChanged(KEY, null)],
  ])("does not say that a turn is done that %s", async (_what, end) => {
    begin();
    await reads("Thinking");
    end();
    await reads("⏹");
    expect(last()).toMatchObject({ text: "⏹ 1 s", replyMarkup: null });
  });

  it("has a button that stops the turn, void when that is over", async () => {
    begin();
    const { replyMarkup } = await reads("Thinking");
    const [[button]] = (replyMarkup as { inline_keyboard: [[{ callback_data: string }]] })
      .inline_keyboard;
    expect(store.button(button.callback_data)).toMatchObject({
      key: KEY,
      action: '{"do":"stop"}',
    });
    progress.phaseChanged(KEY, "idle");
    await vi.waitFor(() => expect(store.button(button.callback_data)).toBeNull());
  });

  it("is not sent for a turn that is over at once, nor where the chat wants none", async () => {
    begin();
    progress.phaseChanged(KEY, "idle");
    store.write(KEY, {
      facts: [{ type: "choice.made", choice: "verbose", value: "0" }],
      outgoing: [],
      commandsDone: [],
    });
    begin();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(fake.messages).toEqual([]);
  });

  it("is not changed to the same text", async () => {
    begin();
    await reads("Thinking");
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(fake.calls.filter(({ method }) => method === "editMessageText")).toEqual([]);
  });

  it("shows that a person is asked", async () => {
    begin();
    progress.phaseChanged(KEY, "waiting");
    await reads("Waiting for your decision");
    begin();
    expect((await reads("Thinking")).replyMarkup).not.toBeNull();
  });

  it("says nothing while the chat is to be left alone", async () => {
    const parameters = { retry_after: 1 };
    const description = "Too Many Requests: retry after 1";
    fake.fail("sendMessage", { kind: "error", code: 429, description, parameters });
    begin();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(fake.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
    await reads("Thinking");
  });

  it("is given up in a turn where the platform refuses it", async () => {
    fake.fail("sendMessage", {
      kind: "error",
      code: 403,
      description: "Forbidden: bot was blocked",
    });
    begin();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(fake.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
  });

  const saying = (text: string) => progress.observe(KEY, { type: "turn.partial", text });

  it("leaves the text that grows to a draft, which is one for the whole turn", async () => {
    begin();
    saying("The **first**");
    await vi.waitFor(() => expect(fake.drafts.at(-1)?.text).toBe("The first"));
    saying("The **first** words");
    await vi.waitFor(() => expect(fake.drafts.at(-1)?.text).toBe("The first words"));
    await reads("Writing");
    expect(new Set(fake.drafts.map((one) => one.draftId)).size).toBe(1);
    expect(fake.messages.every((one) => !one.text.includes("words"))).toBe(true);
  });

  it.each([404, 400])("shows that text itself where a draft is refused (%i)", async (code) => {
    fake.fail("sendMessageDraft", { kind: "error", code, description: "no" }, 9);
    const drafts = () => fake.calls.filter(({ method }) => method === "sendMessageDraft").length;
    begin();
    saying("The first words");
    await reads("The first words");
    saying("and more");
    await reads("and more");
    finish("completed");
    await reads("✓");
    begin();
    saying("another turn");
    await reads("another turn");
    expect(drafts()).toBe(1);
  });

  it("is closed after a crash", async () => {
    begin();
    await reads("Thinking");
    await vi.waitFor(() => expect(store.leftProgress()[0]?.platformMessageId).not.toBeNull());
    progress.stop();
    progress = open();
    await progress.closeLeft();
    expect(last()).toMatchObject({ text: english.progress.left, replyMarkup: null });
    expect(store.leftProgress()).toEqual([]);
  });
});
