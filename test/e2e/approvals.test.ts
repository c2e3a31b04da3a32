import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SentMessage } from "../support/fake-telegram/types.ts";
import { ALLOWED, CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

/** The real CLI asks, a person presses. */
describe("a permission that the agent asks for", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const write = (file: string, then: string) =>
    `[[fake: ${JSON.stringify([
      {
        tools: [
          { name: "Write", input: { file_path: join(bench.workspace, file), content: "x\n" } },
        ],
      },
      { text: then },
    ])}]]`;

  const press = (message: SentMessage, label: string, fromId = ALLOWED) => {
    const rows = (
      message.replyMarkup as { inline_keyboard: { text: string; callback_data: string }[][] }
    ).inline_keyboard;
    const found = rows.flat().find((one) => one.text.includes(label));
    if (found === undefined) throw new Error(`No button "${label}" in ${JSON.stringify(rows)}`);
    bench.telegram.callback({
      chatId: CHAT,
      fromId,
      messageId: message.messageId,
      data: found.callback_data,
    });
  };
  const asked = () => bench.answer("needs your permission");
  /** What a message says now. */
  const reads = (messageId: number) =>
    bench.telegram.messages.findLast((one) => one.messageId === messageId);

  it("is put to the chat, carried out when it is allowed, and its message says so", async () => {
    await bench.start();
    bench.say(write("a.txt", "It is written."));
    const question = await asked();
    expect(question.text).toContain("Write");
    expect(existsSync(join(bench.workspace, "a.txt"))).toBe(false);
    press(question, "Allow");
    await bench.answer("It is written.");
    expect(existsSync(join(bench.workspace, "a.txt"))).toBe(true);
    await until(
      "the message says so",
      () => reads(question.messageId)?.text.startsWith("✅") === true,
    );
    expect(reads(question.messageId)?.replyMarkup).toBeNull();
    press(question, "Deny");
    await bench.telegram.waitForCall(
      ({ method, params }) => method === "answerCallbackQuery" && params["text"] !== undefined,
    );
    expect(bench.facts(KEY).approvals).toEqual([]);
  });

  it("is denied with the reason that is written in reply", async () => {
    await bench.start();
    bench.say(write("b.txt", "Then not."));
    const question = await asked();
    bench.telegram.user({
      chatId: CHAT,
      fromId: ALLOWED,
      text: "use another folder",
      replyTo: question.messageId,
    });
    await bench.answer("Then not.");
    expect(existsSync(join(bench.workspace, "b.txt"))).toBe(false);
    await until(
      "it says why",
      () => reads(question.messageId)?.text.includes("use another folder") === true,
    );
    const told = bench.api
      .requests()
      .some((one) => JSON.stringify(one.messages).includes("use another folder"));
    expect(told).toBe(true);
  });

  it("queues what is typed meanwhile, and says so", async () => {
    await bench.start();
    bench.say(write("c.txt", "Done first."));
    const question = await asked();
    bench.say("and another thing");
    await bench.answer("Queued");
    press(question, "Allow");
    await bench.answer("Done first.");
    await bench.answer("ok: and another thing");
    expect(existsSync(join(bench.workspace, "c.txt"))).toBe(true);
  });

  it("is put to the chat by a task in the background too, while messages go on", async () => {
    await bench.start();
    const task = {
      description: "write it",
      prompt: write("background.txt", "The task has written it."),
      subagent_type: "general-purpose",
      run_in_background: true,
    };
    bench.api.queue({ tools: [{ name: "Agent", input: task }] }, { text: "The task is started." });
    bench.say("have it written");
    const question = await asked();
    await bench.answer("The task is started.");
    await until("nothing is in flight", () => bench.facts(KEY).messages.length === 0);
    bench.say("meanwhile");
    await bench.answer("ok: meanwhile");
    expect(bench.facts(KEY).approvals).toHaveLength(1);
    press(question, "Allow");
    await until("it is written", () => existsSync(join(bench.workspace, "background.txt")));
    await until(
      "the message says so",
      () => reads(question.messageId)?.text.startsWith("✅") === true,
    );
    expect((await bench.answer("🔔")).text).toContain("The task has written it.");
  });

  it("is shown as expired after a crash of the service, and its buttons do nothing", async () => {
    const service = await bench.start();
    bench.say(write("d.txt", "never"));
    const question = await asked();
    await service.kill();
    await bench.start();
    // The kill may have come before the question was acknowledged; then a second copy of it is changed.
    await bench.answer("Expired");
    press(question, "Allow");
    await bench.telegram.waitForCall(
      ({ method, params }) =>
        method === "answerCallbackQuery" && String(params["text"]).includes("not valid"),
    );
    expect(existsSync(join(bench.workspace, "d.txt"))).toBe(false);
  });

  it("is denied at once where the service is told to", async () => {
    await bench.start({ HOLDFAST_APPROVALS: "deny" });
    bench.say(write("e.txt", "Not allowed."));
    await bench.answer("it was denied");
    await bench.answer("Not allowed.");
    expect(existsSync(join(bench.workspace, "e.txt"))).toBe(false);
  });
});

describe("a choice", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("of a model reaches the running agent, and the one after a restart", async () => {
    const service = await bench.start();
    bench.say("hello");
    await bench.answer("ok: hello");
    bench.say("/model haiku");
    await bench.answer("The model is");
    bench.say("who are you");
    await bench.answer("ok: who are you");
    expect(bench.api.requests().findLast((one) => one.main)?.model).toContain("haiku");
    await service.stop();
    await bench.start();
    bench.say("and now");
    await bench.answer("ok: and now");
    expect(bench.api.requests().findLast((one) => one.main)?.model).toContain("haiku");
  });

  it("of a permission mode decides what is asked", async () => {
    await bench.start();
    bench.say("/mode acceptEdits");
    await bench.answer("The permission mode is");
    const file = join(bench.workspace, "f.txt");
    const write = { tools: [{ name: "Write", input: { file_path: file, content: "x" } }] };
    bench.say(`[[fake: ${JSON.stringify([write, { text: "It is written." }])}]]`);
    await bench.answer("It is written.");
    expect(existsSync(file)).toBe(true);
    expect(bench.said("needs your permission")).toEqual([]);
  });
});
