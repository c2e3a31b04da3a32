import { setTimeout as sleep } from "node:timers/promises";
import { Telegram, TelegramError } from "telegraf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeTelegram } from "./server.ts";
import type { FakeTelegram } from "./server.ts";

interface Update {
  readonly update_id: number;
  readonly message?: { readonly text?: string; readonly entities?: readonly object[] };
}

let fake: FakeTelegram;
let bot: Telegram;

beforeEach(async () => {
  fake = await startFakeTelegram();
  bot = new Telegram(fake.token, { apiRoot: fake.apiRoot });
});

afterEach(async () => {
  await fake[Symbol.asyncDispose]();
});

function poll(params: object, signal?: AbortSignal): Promise<Update[]> {
  const client = bot as unknown as {
    callApi(method: string, payload: object, options: object): Promise<Update[]>;
  };
  return client.callApi("getUpdates", params, signal === undefined ? {} : { signal });
}

/** Another poller: its User-Agent differs from Telegraf's. */
async function otherPoll(params: Record<string, string>): Promise<{ ok: boolean }> {
  const query = new URLSearchParams(params).toString();
  const answer = await fetch(`${fake.apiRoot}/bot${fake.token}/getUpdates?${query}`);
  return (await answer.json()) as { ok: boolean };
}

async function pollIsOpen(): Promise<void> {
  while (fake.openPolls() === 0) await sleep(5);
}

const say = (text: string) => fake.user({ chatId: 7, fromId: 7, text });

describe("offsets", () => {
  it("gives an update again and again until a larger offset confirms it", async () => {
    const first = say("one").updateId;
    const second = say("two").updateId;

    const both = await poll({});
    expect(both.map((update) => update.message?.text)).toEqual(["one", "two"]);
    expect(await poll({ offset: first })).toHaveLength(2);
    expect(fake.pendingUpdates()).toBe(2);

    const left = await poll({ offset: second });
    expect(left.map((update) => update.update_id)).toEqual([second]);
    expect(fake.confirmedOffset()).toBe(second);
    expect(fake.pendingUpdates()).toBe(1);
    expect(fake.violations).toEqual([]);
  });

  it("gives one update at a time to a bot that asks the same at once again", async () => {
    let time = Date.UTC(2030, 0, 1);
    await using slow = await startFakeTelegram({ now: () => time });
    slow.user({ chatId: 7, fromId: 7, text: "one" });
    slow.user({ chatId: 7, fromId: 7, text: "two" });
    const count = async () => {
      const answer = await fetch(`${slow.apiRoot}/bot${slow.token}/getUpdates`);
      return ((await answer.json()) as { result: object[] }).result.length;
    };
    expect(await count()).toBe(2);
    time += 400;
    expect(await count()).toBe(1);
    time += 600;
    expect(await count()).toBe(2);
  });

  it("keeps to the limit", async () => {
    for (const text of ["one", "two", "three"]) say(text);
    expect(await poll({ limit: 2 })).toHaveLength(2);
  });

  it("calls an offset that goes backwards, far ahead or below zero a violation", async () => {
    const { updateId } = say("one");
    await poll({ offset: updateId + 1 });
    say("two");
    await poll({ offset: updateId });
    expect(fake.violations).toEqual([expect.stringContaining("goes backwards")]);
    expect(fake.confirmedOffset()).toBe(updateId + 1);

    const ahead = await poll({ offset: updateId + 1_000 });
    expect(ahead).toHaveLength(1);
    expect(fake.violations[1]).toContain("no update has reached");

    say("three");
    const last = await poll({ offset: -1 });
    expect(last.map((update) => update.message?.text)).toEqual(["three"]);
    expect(fake.pendingUpdates()).toBe(1);
    expect(fake.violations[2]).toContain("throws updates away");
  });

  it("gives the same updates again when the answer was lost", async () => {
    const { updateId } = say("one");
    fake.fail("getUpdates", { kind: "lost-answer" });
    await expect(poll({ timeout: 1 })).rejects.toThrow();
    const again = await poll({ timeout: 1 });
    expect(again.map((update) => update.update_id)).toEqual([updateId]);
  });

  it("gives a confirmed update once more where it is told to, with the next one", async () => {
    const { updateId } = say("one");
    await poll({ offset: updateId + 1 });
    fake.repeatUpdate(updateId);
    const { updateId: next } = say("two");
    const again = await poll({ offset: updateId + 1 });
    expect(again.map((update) => update.update_id)).toEqual([updateId, next]);
    expect(await poll({ offset: next + 1 })).toEqual([]);
  });

  it("forgets updates after 24 hours", async () => {
    let time = Date.UTC(2030, 0, 1);
    await using old = await startFakeTelegram({ now: () => time });
    old.user({ chatId: 7, fromId: 7, text: "yesterday" });
    time += 86_400_000 - 1_000;
    expect(old.pendingUpdates()).toBe(1);
    time += 2_000;
    expect(old.pendingUpdates()).toBe(0);
    const answer = await fetch(`${old.apiRoot}/bot${old.token}/getUpdates`);
    expect(await answer.json()).toEqual({ ok: true, result: [] });
  });

  it("keeps a pushed update's own id, repeated ids too", async () => {
    fake.pushUpdate({ update_id: 500, poll: { id: "1" } });
    fake.pushUpdate({ update_id: 500, poll: { id: "1" } });
    const next = fake.pushUpdate({ something_new: {} });
    const updates = await poll({});
    expect(updates.map((update) => update.update_id)).toEqual([500, 500, next]);
  });
});

describe("long polls", () => {
  it("answers a waiting poll as soon as somebody writes, a burst as one batch", async () => {
    const waiting = poll({ timeout: 50 });
    await pollIsOpen();
    say("one");
    say("two");
    expect((await waiting).map((update) => update.message?.text)).toEqual(["one", "two"]);
    expect(fake.openPolls()).toBe(0);
  });

  it("does not wake a poll for what its offset has confirmed", async () => {
    const { updateId } = say("one");
    const waiting = poll({ timeout: 50, offset: updateId + 1 });
    await pollIsOpen();
    fake.pushUpdate({ update_id: updateId - 1, message: { text: "late" } });
    await sleep(20);
    expect(fake.openPolls()).toBe(1);
    say("two");
    expect((await waiting).map((update) => update.message?.text)).toEqual(["two"]);
  });

  it("answers with nothing after the time-out", async () => {
    const before = performance.now();
    expect(await poll({ timeout: 1 })).toEqual([]);
    expect(performance.now() - before).toBeGreaterThan(900);
  });

  it("slows down a bot that asks for nothing without a time-out", async () => {
    expect(await poll({ timeout: 0 })).toEqual([]);
    const second = poll({ timeout: 0 });
    await pollIsOpen();
    say("one");
    expect(await second).toHaveLength(1);
  });

  it("ends a poll with its connection, and loses nothing", async () => {
    const controller = new AbortController();
    const aborted = poll({ timeout: 50 }, controller.signal).catch((error: unknown) => error);
    await pollIsOpen();
    controller.abort();
    expect(await aborted).toMatchObject({ name: "AbortError" });
    await expect.poll(() => fake.openPolls()).toBe(0);
    say("one");
    expect(await poll({ timeout: 5 })).toHaveLength(1);
    expect(fake.violations).toEqual([]);
  });

  it("does not take the successor of an aborted poll for a conflict", async () => {
    let leave = new AbortController();
    const outcome = (offset: number) =>
      poll({ timeout: 50, offset }, leave.signal).catch((error: unknown) => error);
    const polls = [outcome(0)];
    for (let round = 1; round <= 10; round += 1) {
      await pollIsOpen();
      const arrived = fake.waitForCall((call) => call.params["offset"] === round);
      leave.abort();
      leave = new AbortController();
      polls.push(outcome(round));
      await arrived;
    }
    await pollIsOpen();
    leave.abort();
    for (const ended of await Promise.all(polls)) {
      expect(ended).toMatchObject({ name: "AbortError" });
    }
    expect(fake.violations).toEqual([]);
  });

  it("lets the newer poll win and ends the older with 409", async () => {
    const older = poll({ timeout: 50 }).catch((error: unknown) => error);
    await pollIsOpen();
    const newer = otherPoll({ timeout: "50" });
    const error = await older;
    expect(error).toBeInstanceOf(TelegramError);
    expect(error).toMatchObject({
      code: 409,
      description:
        "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running",
    });
    say("one");
    expect(await newer).toMatchObject({ ok: true, result: [{ message: { text: "one" } }] });
    expect(fake.violations).toEqual([]);
  });

  it("holds the next conflict back for three seconds", async () => {
    const first = otherPoll({ timeout: "50" });
    await pollIsOpen();
    const second = poll({ timeout: 50 }).catch((error: unknown) => error);
    expect(await first).toMatchObject({ error_code: 409 });
    await pollIsOpen();
    const before = performance.now();
    const third = otherPoll({ timeout: "50" });
    expect(await second).toMatchObject({ code: 409 });
    expect(performance.now() - before).toBeGreaterThan(2_900);
    say("one");
    expect(await third).toMatchObject({ ok: true });
  });

  it("calls two polls of the same client at once a violation", async () => {
    const older = poll({ timeout: 50 }).catch((error: unknown) => error);
    await pollIsOpen();
    const newer = poll({ timeout: 50 });
    expect(await older).toMatchObject({ code: 409 });
    say("one");
    await newer;
    expect(fake.violations).toEqual([expect.stringContaining("same client")]);
  });

  it("plays a webhook or a stubborn second poller for the next polls", async () => {
    fake.conflictNextPolls(1);
    fake.conflictNextPolls(1, "poller");
    await expect(poll({ timeout: 50 })).rejects.toThrow(/409: Conflict: can't use getUpdates/);
    await expect(poll({ timeout: 50 })).rejects.toThrow(/409: Conflict: terminated by other/);
    say("one");
    expect(await poll({ timeout: 50 })).toHaveLength(1);
  });

  it("is closed at once although a poll is open", async () => {
    const open = poll({ timeout: 50 }).catch((error: unknown) => error);
    await pollIsOpen();
    const before = performance.now();
    await fake[Symbol.asyncDispose]();
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(await open).toBeInstanceOf(Error);
  });
});

describe("kinds of updates", () => {
  it("delivers what allowed_updates names and remembers it", async () => {
    await poll({ allowed_updates: ["callback_query"], offset: 1 });
    expect(say("unheard").updateId).toBe(0);
    await poll({ allowed_updates: ["message"], offset: 2 });
    const { updateId } = say("heard");
    expect((await poll({ offset: 3 })).map((update) => update.update_id)).toEqual([updateId]);
  });

  it("refuses allowed_updates that is no list, and counts a broken time-out", async () => {
    await expect(poll({ allowed_updates: "message" })).rejects.toThrow(/400.*allowed_updates/);
    say("one");
    await poll({ timeout: 0.5 });
    expect(fake.violations).toEqual([expect.stringContaining("not whole seconds")]);
  });
});
