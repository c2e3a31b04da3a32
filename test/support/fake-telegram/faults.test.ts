import { setTimeout as sleep } from "node:timers/promises";
import { Telegram } from "telegraf";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFakeTelegram } from "./server.ts";
import type { FakeTelegram } from "./server.ts";

const PERSON = 7;

let fake: FakeTelegram;
let bot: Telegram;
let time: number;

beforeEach(async () => {
  time = Date.UTC(2030, 0, 1);
  fake = await startFakeTelegram({ now: () => time });
  bot = new Telegram(fake.token, { apiRoot: fake.apiRoot });
  fake.addChat({ id: PERSON, type: "private" });
  fake.addChat({ id: -40, type: "group" });
});

afterEach(async () => {
  await fake[Symbol.asyncDispose]();
});

const send = (text = "x", chatId = PERSON) => bot.sendMessage(chatId, text);

async function raw(signal?: AbortSignal): Promise<Response> {
  return fetch(`${fake.apiRoot}/bot${fake.token}/sendMessage?chat_id=${PERSON}&text=x`, {
    ...(signal === undefined ? {} : { signal }),
  });
}

describe("faults", () => {
  it("refuses as often as asked, for that method only", async () => {
    const parameters = { migrate_to_chat_id: -1 };
    fake.fail("sendMessage", { kind: "error", code: 400, description: "no", parameters }, 2);
    await expect(send()).rejects.toMatchObject({ code: 400, description: "no", parameters });
    await bot.getMe();
    await expect(send()).rejects.toThrow("400: no");
    await send();
    expect(fake.messages).toHaveLength(1);
  });

  it("are decided about call by call where nothing waits for one", async () => {
    fake.fail("sendMessage", { kind: "error", code: 400, description: "waited" });
    fake.failBy((_method, { text }) =>
      text === "bad" ? { kind: "error", code: 400, description: "decided" } : undefined,
    );
    await expect(send("good")).rejects.toThrow("waited");
    await expect(send("bad")).rejects.toThrow("decided");
    await send("good");
  });

  it("shows a proxy's page", async () => {
    fake.fail("sendMessage", { kind: "html", status: 502 });
    const answer = await raw();
    expect(answer.status).toBe(502);
    expect(answer.headers.get("content-type")).toBe("text/html");
    expect(await answer.text()).toContain("<html>");
    fake.fail("sendMessage", { kind: "html", status: 200 });
    await expect(send()).rejects.toThrow(/invalid json/);
    expect(fake.messages).toEqual([]);
  });

  it("resets the connection before the call takes effect", async () => {
    fake.fail("sendMessage", { kind: "reset" });
    await expect(send()).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(fake.messages).toEqual([]);
    expect(fake.calls).toMatchObject([{ answered: { fault: "reset" } }]);
  });

  it("loses the answer of a call that took effect", async () => {
    fake.fail("sendMessage", { kind: "lost-answer" });
    await expect(send()).rejects.toThrow(/socket hang up/);
    expect(fake.messages).toHaveLength(1);
  });

  it("hangs until the client leaves, without an effect", async () => {
    fake.fail("sendMessage", { kind: "hang" });
    const leave = new AbortController();
    const hanging = raw(leave.signal).catch((error: unknown) => error);
    await fake.waitForCall((call) => call.method === "sendMessage");
    leave.abort();
    expect(await hanging).toMatchObject({ name: "AbortError" });
    await fake.waitForCall((call) => call.answered !== undefined);
    expect(fake.messages).toEqual([]);
  });

  it("hangs for a time and closes the connection", async () => {
    fake.fail("sendMessage", { kind: "hang", ms: 50 });
    await expect(send()).rejects.toThrow(/socket hang up/);
    expect(fake.messages).toEqual([]);
  });

  it("cuts the answer after the headers and half the body", async () => {
    fake.fail("sendMessage", { kind: "cut-body" });
    const answer = await raw();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect(fake.messages).toHaveLength(1);
  });

  it("answers late what took effect at once", async () => {
    fake.fail("sendMessage", { kind: "delay", ms: 200 });
    const before = performance.now();
    let answered = false;
    const late = send().then(() => (answered = true));
    await fake.waitForMessage((message) => message.text === "x");
    expect(answered).toBe(false);
    await late;
    expect(performance.now() - before).toBeGreaterThan(190);
  });

  it("is closed at once although a call hangs", async () => {
    fake.fail("sendMessage", { kind: "hang" });
    const hanging = send().catch((error: unknown) => error);
    await fake.waitForCall((call) => call.method === "sendMessage");
    await fake[Symbol.asyncDispose]();
    expect(await hanging).toBeInstanceOf(Error);
  });
});

describe("floods", () => {
  it("watches a chat after a 429 that a test asked for, and lets the calls pass", async () => {
    fake.fail("sendMessage", {
      kind: "error",
      code: 429,
      description: "Too Many Requests: retry after 5",
      parameters: { retry_after: 5 },
    });
    const answer = await raw();
    expect(answer.status).toBe(429);
    expect(answer.headers.get("retry-after")).toBe("5");
    time += 1_000;
    await send("elsewhere", -40);
    expect(fake.violations).toEqual([]);
    await bot.sendChatAction(PERSON, "typing");
    expect(fake.violations).toEqual([`sendChatAction into chat ${PERSON} while its 429 lasts`]);
    await send("too early");
    expect(fake.violations).toHaveLength(2);
    time += 4_000;
    await send();
    expect(fake.violations).toHaveLength(2);
    expect(fake.messages.map((message) => message.text)).toEqual(["elsewhere", "too early", "x"]);
  });

  it("accepts any pace until limits are set", async () => {
    for (let count = 0; count < 50; count += 1) await send(`${count}`);
    expect(fake.messages).toHaveLength(50);
  });

  it("enforces the limit of a chat, edits included, until the penalty is over", async () => {
    fake.setFloodLimits({ perChatPerSecond: 2, retryAfter: 3 });
    const { message_id: id } = await send("one");
    await bot.editMessageText(PERSON, id, undefined, "two");
    await expect(send("three")).rejects.toMatchObject({
      code: 429,
      description: "Too Many Requests: retry after 3",
      parameters: { retry_after: 3 },
    });
    await send("another chat", -40);
    time += 2_000;
    await expect(send("too early")).rejects.toMatchObject({ parameters: { retry_after: 1 } });
    expect(fake.violations).toHaveLength(1);
    time += 1_000;
    await send("four");
    expect(fake.messages.map((message) => message.text)).toEqual([
      "one",
      "two",
      "another chat",
      "four",
    ]);
    fake.setFloodLimits(null);
    for (let count = 0; count < 5; count += 1) await send(`${count}`);
  });

  it("counts a group by the minute and all chats together by the second", async () => {
    fake.setFloodLimits({ perGroupPerMinute: 2 });
    await send("one", -40);
    time += 20_000;
    await send("two", -40);
    await expect(send("three", -40)).rejects.toMatchObject({ parameters: { retry_after: 40 } });
    for (let count = 0; count < 3; count += 1) await send(`${count}`);
    time += 60_000;
    fake.setFloodLimits({ overallPerSecond: 1 });
    await send("four", -40);
    await expect(send("five")).rejects.toMatchObject({ parameters: { retry_after: 1 } });
  });
});

describe("waiting", () => {
  it("finds what came before and what comes later", async () => {
    await send("early");
    expect(await fake.waitForMessage((message) => message.text === "early")).toBeTruthy();
    const later = fake.waitForMessage((message) => message.text === "late");
    const call = fake.waitForCall((made) => made.params["text"] === "late");
    await send("late");
    expect(await later).toMatchObject({ text: "late" });
    expect(await call).toMatchObject({ method: "sendMessage" });
  });

  it("says what came instead when the time is over", async () => {
    await send("something else");
    const missing = fake.waitForMessage((message) => message.text === "never", 20);
    await expect(missing).rejects.toThrow(/no such message within 20 ms.*something else/s);
    await expect(fake.waitForCall(() => false, 20)).rejects.toThrow(/no such call/);
  });

  it("ends with the fake", async () => {
    const waiting = fake.waitForMessage(() => false);
    await sleep(1);
    await fake[Symbol.asyncDispose]();
    await expect(waiting).rejects.toThrow(/closed/);
  });
});
