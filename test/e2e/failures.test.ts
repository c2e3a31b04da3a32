import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, CHAT, createBench, KEY, STRANGER, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

describe("a failure that the user must know of", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("launches a failing fresh start once, says why, and tries again with the next message", async () => {
    const broken = join(bench.root, "broken-agent");
    writeFileSync(broken, '#!/bin/sh\necho "cannot find my brain" >&2\nexit 1\n');
    chmodSync(broken, 0o755);
    const service = await bench.start({ CLAUDE_BIN: broken });
    bench.say("hello");
    const notice = await bench.answer("❌");
    expect(notice.text).toContain("cannot find my brain");
    await sleep(1_000);
    expect(bench.said("❌")).toHaveLength(1);
    expect(service.logs.filter((one) => one.msg === "launch.intended")).toHaveLength(1);
    expect(bench.facts(KEY).failure?.reason).toBe("start-failed");

    bench.say("/status");
    expect((await bench.answer("Failed")).text).toContain("1 waiting");

    bench.say("hello again");
    await until(
      "it is tried again",
      () => service.logs.filter((one) => one.msg === "launch.intended").length === 2,
    );
    await until("it is said again", () => bench.said("❌").length === 2);
    expect(bench.facts(KEY).messages).toHaveLength(2);
  });

  it("does nothing for a stranger", async () => {
    const service = await bench.start();
    bench.telegram.user({ chatId: STRANGER, fromId: STRANGER, text: "let me in" });
    bench.telegram.user({ chatId: STRANGER, fromId: STRANGER, text: "/status" });
    await service.waitForLog(
      (one) =>
        (one.subsystem === "telegram" && one["user_id"] !== undefined) ||
        JSON.stringify(one).includes(String(STRANGER)),
    );
    bench.say("/status");
    await bench.answer("Asleep");
    expect(bench.telegram.messages.filter((one) => one.chatId === STRANGER)).toEqual([]);
    expect(bench.agents()).toEqual([]);
    const seen = service.logs.filter((one) => JSON.stringify(one).includes(String(STRANGER)));
    expect(seen).toHaveLength(1);
  });

  it("binds only a workspace inside the roots", async () => {
    await bench.start();
    mkdirSync(join(bench.root, "other"));
    symlinkSync("/etc", join(bench.root, "escape"));
    writeFileSync(join(bench.root, "file.txt"), "");
    bench.say("/workspace ../../etc");
    await bench.answer("outside the allowed workspace roots");
    bench.say("/workspace escape");
    await until(
      "both are refused",
      () => bench.said("outside the allowed workspace roots").length === 2,
    );
    bench.say("/workspace file.txt");
    await bench.answer("is a file");
    bench.say("/workspace nowhere");
    await bench.answer("does not exist");
    expect(bench.facts(KEY).workspace).toBeNull();
    bench.say("/workspace other");
    await bench.answer("The workspace is");
    expect(bench.facts(KEY).workspace).toBe(join(bench.root, "other"));
    bench.say("hello");
    await bench.answer("ok: hello");
    expect(bench.transcripts()).toHaveLength(1);
    expect(bench.transcripts()[0]).toContain("root-other");
  });

  it("takes what people send: long texts, agent commands, refused commands, attachments", async () => {
    await bench.start();
    bench.telegram.addChat({ id: CHAT, type: "private" });
    bench.telegram.pushUpdate({
      message: {
        message_id: 800,
        date: 1,
        chat: { id: CHAT, type: "private" },
        from: { id: ALLOWED, is_bot: false, first_name: "A" },
        text: `${"long ".repeat(20_000)}end of it`,
      },
    });
    const { document } = await bench.telegram.waitForMessage((m) => m.document !== undefined);
    expect(document?.bytes.toString()).toMatch(/end of it$/);
    expect(JSON.stringify(bench.api.requests().findLast((one) => one.main)).length).toBeGreaterThan(
      100_000,
    );
    bench.say("/cost");
    await until("the agent's own command is answered", () => bench.telegram.messages.length >= 2);
    bench.say("/login");
    await bench.answer("/login makes no sense here");
    bench.telegram.pushUpdate({
      message: {
        message_id: 900,
        date: 1,
        chat: { id: CHAT, type: "private" },
        from: { id: ALLOWED, is_bot: false, first_name: "A" },
        voice: { file_id: "x", file_unique_id: "x", duration: 1 },
      },
    });
    await bench.answer("I cannot pass on a voice message");
    expect(bench.telegram.violations).toEqual([]);
  });
});
