import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createAdmins, type Admins } from "../../../src/channels/telegram/admins.ts";
import { createBotApi } from "../../../src/channels/telegram/client.ts";
import { manualClock, type ManualClock } from "../../contract/store-fixtures.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { realClock } from "./recording.ts";
import { endFake } from "./support.ts";

const GROUP = -500;

describe("the administrators of a group", () => {
  let fake: FakeTelegram;
  let admins: Admins;
  let clock: ManualClock;
  beforeEach(async () => {
    fake = await startFakeTelegram();
    fake.addChat({ id: GROUP, type: "group", admins: [42] });
    clock = manualClock();
    const { token, apiRoot } = fake;
    const api = createBotApi({ token, apiRoot, clock: realClock });
    admins = createAdmins({ api, clock, timeoutMs: 1_000, log: memoryLog().log });
  });
  afterEach(() => endFake(fake));

  const asked = () => fake.calls.filter(({ method }) => method === "getChatAdministrators").length;

  it("are those that Telegram names, asked for once a minute", async () => {
    expect(await admins.has(String(GROUP), "42")).toBe(true);
    expect(await admins.has(String(GROUP), "43")).toBe(false);
    expect(asked()).toBe(1);
    clock.advance(60_000);
    expect(await admins.has(String(GROUP), "42")).toBe(true);
    expect(asked()).toBe(2);
  });

  it("are nobody where Telegram does not say", async () => {
    fake.fail("getChatAdministrators", { kind: "error", code: 500, description: "no" });
    expect(await admins.has(String(GROUP), "42")).toBe(false);
    expect(await admins.has("-1", "42")).toBe(false);
    expect(await admins.has(String(GROUP), "42")).toBe(true);
  });
});
