import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

/** The real CLI works, and the chat sees it. */
describe("a turn that takes a while", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const QUICK = {
    HOLDFAST_LIMIT_PROGRESS_AFTER_MS: "100",
    HOLDFAST_LIMIT_PROGRESS_PRIVATE_MS: "500",
  };
  const stopOf = (message: { readonly replyMarkup: unknown }) =>
    (message.replyMarkup as { inline_keyboard: [[{ callback_data: string }]] })
      .inline_keyboard[0][0].callback_data;

  it("is shown in one message that changes with it, and the answer is another", async () => {
    await bench.start(QUICK);
    const words = "word ".repeat(60).trim();
    bench.say(`[[fake: ${JSON.stringify({ text: `${words} end.`, chunkMs: 150 })}]]`);
    const shown = await bench.answer("Writing");
    await until("the text grows", () =>
      bench.telegram.drafts.some((one) => one.text.includes("word word")),
    );
    const answer = await bench.answer("end.");
    await bench.answer("✓");
    const last = bench.telegram.messages.findLast((one) => one.messageId === shown.messageId);
    expect(last).toMatchObject({ replyMarkup: null });
    expect(last?.text).toMatch(/^✓ \d+ s$/);
    expect(answer.messageId).not.toBe(shown.messageId);
    expect(answer.text).toMatch(/claude · \d+ s · .*\[ctx: \d+%\]$/);
  });

  it("is stopped by its button", async () => {
    await bench.start(QUICK);
    bench.say(`[[fake: ${JSON.stringify({ hang: "start" })}]]`);
    const shown = await bench.answer("Thinking");
    // The transcript comes some 200 ms after the prompt: before that there is no session to keep.
    await until("the session is bound", () => bench.facts(KEY).bound !== null);
    const press = { chatId: CHAT, fromId: ALLOWED, messageId: shown.messageId };
    bench.telegram.callback({ ...press, data: stopOf(shown) });
    await bench.answer("Stopped");
    await until("nothing is open", () => bench.facts(KEY).messages.length === 0);
    expect(bench.facts(KEY).bound).not.toBeNull();
  });
});
