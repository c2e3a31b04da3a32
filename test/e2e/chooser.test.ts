import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SentMessage } from "../support/fake-telegram/types.ts";
import { ALLOWED, CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

/** A chat without a workspace, as its user meets it. */
describe("the first message of a chat without a workspace", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
    await bench.start({
      HOLDFAST_WORKSPACE: undefined,
      HOLDFAST_WORKSPACE_ROOTS: bench.root,
      HOLDFAST_AGENT: "scripted",
    });
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const press = (message: SentMessage, label: string) => {
    const { inline_keyboard: rows } = message.replyMarkup as {
      inline_keyboard: { text: string; callback_data: string }[][];
    };
    const row = rows.find((one) => one.some((button) => button.text.includes(label)));
    const button = label === "root" ? row?.at(-1) : row?.find((one) => one.text.includes(label));
    if (button === undefined) throw new Error(`No button "${label}" in ${JSON.stringify(rows)}`);
    const { messageId } = message;
    bench.telegram.callback({
      chatId: CHAT,
      fromId: ALLOWED,
      messageId,
      data: button.callback_data,
    });
  };
  const last = (messageId: number) =>
    bench.telegram.messages.findLast((one) => one.messageId === messageId);

  it("waits for the choice of one, and is answered there", async () => {
    bench.say("hello");
    const asked = await bench.answer("has no workspace yet");
    press(asked, "root");
    await until(
      "it is looked into",
      () => last(asked.messageId)?.text.includes(bench.root) === true,
    );
    press(last(asked.messageId) ?? asked, "project");
    await bench.answer("The workspace is");
    await until("it is answered", () => bench.facts(KEY).messages.length === 0);
    expect(bench.facts(KEY)).toMatchObject({
      workspace: bench.workspace,
      bound: { completedTurns: 1 },
    });
  });

  it("may go to a folder that is made for it", async () => {
    bench.say("hello");
    const asked = await bench.answer("has no workspace yet");
    press(asked, "root");
    await until(
      "it is looked into",
      () => last(asked.messageId)?.text.includes(bench.root) === true,
    );
    press(last(asked.messageId) ?? asked, "New folder");
    const question = await bench.answer("Reply to this message");
    const replyTo = question.messageId;
    bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, text: "../evil", replyTo });
    await bench.answer("Nothing was changed");
    bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, text: "my new thing", replyTo });
    await bench.answer("The workspace is");
    const made = join(bench.root, "my new thing");
    expect(existsSync(made)).toBe(true);
    expect(bench.facts(KEY).workspace).toBe(made);
  });

  it("offers where others work first", async () => {
    mkdirSync(join(bench.root, "busy"));
    bench.say("/workspace busy");
    await bench.answer("The workspace is");
    bench.say("/workspace");
    const listed = await bench.answer("changes it");
    expect(JSON.stringify(listed.replyMarkup)).toContain("🕘 root/busy");
  });
});
