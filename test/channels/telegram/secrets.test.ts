import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Outgoing } from "../../../src/ports.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { endFake, live, openChannel, OWNER, says } from "./support.ts";

let fake: FakeTelegram;

beforeEach(async () => {
  fake = await startFakeTelegram();
});
afterEach(() => endFake(fake));

describe("secrets", () => {
  it("stay out of everything that is returned, logged or inspected", async () => {
    const { channel, entries } = openChannel(
      fake,
      {},
      { sendTimeoutMs: 300, pollAbortMs: 300, typingMs: 300 },
    );
    says(fake, "question");
    const address = { channel: "telegram", chatId: String(OWNER), topicId: null };
    const out: Outgoing = { id: 1, address, text: "answer", footer: null, replyTo: null };
    const [part = {}] = channel.render(out);
    const told: unknown[] = [];
    const description = `Bad Request: /bot${fake.token}/x`;
    for (const fault of [
      { kind: "html", status: 200 },
      { kind: "cut-body" },
      { kind: "hang" },
      { kind: "error", code: 400, description },
    ] as const) {
      fake.fail("getMe", fault);
      told.push(await channel.prepare());
    }
    await channel.prepare();
    for (const fault of [
      { kind: "html", status: 200 },
      { kind: "cut-body" },
      { kind: "hang" },
    ] as const) {
      fake.fail("getUpdates", fault);
      told.push(await channel.poll(null, live()));
      fake.fail("sendMessage", fault);
      told.push(await channel.send(out, part));
    }
    const all = inspect([told, entries, channel], { depth: null, showHidden: true });
    expect(all).not.toContain(fake.token.split(":")[1]);
    expect(told.map((one) => Reflect.get(Object(one), "outcome") ?? "not prepared")).toContain(
      "ambiguous",
    );
  });
});
