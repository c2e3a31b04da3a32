import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALLOWED, CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

/** What people send besides text, to the real CLI. */
describe("what comes with a message", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const sends = (extra: object) => bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, extra });
  const photo = (name: string, more: object = {}) => {
    const fileId = bench.telegram.addFile({ name, content: PIXEL });
    const size = { file_id: fileId, file_unique_id: fileId, width: 1, height: 1 };
    return sends({ photo: [size], ...more });
  };
  const inbox = () => readdirSync(join(bench.workspace, ".holdfast", "inbox")).toSorted();
  const lastRequest = () =>
    JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);

  it("is a photo that the agent sees, with its caption, and a file that it may read", async () => {
    await bench.start();
    bench.api.queue({ text: "A pixel." });
    photo("p.png", { caption: "what is this?" });
    await bench.answer("A pixel.");
    expect(lastRequest()).toContain("what is this?");
    expect(lastRequest()).toContain('"media_type":"image/png"');
    const fileId = bench.telegram.addFile({ name: "n.txt", content: Buffer.from("the notes") });
    sends({ document: { file_id: fileId, file_unique_id: fileId, file_name: "../n.txt" } });
    await until("it is answered", () => bench.telegram.messages.length >= 2);
    expect(lastRequest()).toMatch(/\.holdfast\/inbox\/\d+-1-n\.txt/);
    const saved = inbox().find((name) => name.endsWith("n.txt")) ?? "";
    expect(readFileSync(join(bench.workspace, ".holdfast", "inbox", saved), "utf8")).toBe(
      "the notes",
    );
  });

  it("is one turn where it is an album, under its one caption", async () => {
    const album = { media_group_id: "album-1" };
    photo("1.png", { ...album, caption: "all three" });
    photo("2.png", album);
    photo("3.png", album);
    bench.api.queue({ text: "Three pixels." });
    await bench.start();
    await bench.answer("Three pixels.");
    expect(lastRequest()).toContain("all three");
    expect(lastRequest().match(/"type":"image"/g)).toHaveLength(3);
    expect(inbox()).toHaveLength(3);
    expect(bench.facts(KEY)).toMatchObject({ messages: [], bound: { completedTurns: 1 } });
  });

  it("is one turn where the parts of an album come one after the other, and a message before it does not wait", async () => {
    await bench.start();
    bench.api.queue({ text: "First things first." }, { text: "Two pixels." });
    bench.say("look at what I send next");
    const album = { media_group_id: "album-2" };
    photo("1.png", { ...album, caption: "both" });
    await sleep(300);
    photo("2.png", album);
    await bench.answer("First things first.");
    await bench.answer("Two pixels.");
    expect(lastRequest().match(/"type":"image"/g)).toHaveLength(2);
    expect(bench.facts(KEY)).toMatchObject({ messages: [], bound: { completedTurns: 2 } });
  });

  it("is one turn where several messages are forwarded in one go", async () => {
    await bench.start();
    const forward = (text: string) =>
      sends({ text, forward_origin: { type: "hidden_user", sender_user_name: "Ann", date: 1 } });
    forward("first of Ann's");
    forward("second of Ann's");
    await sleep(300);
    forward("/new is Ann's third");
    const { text } = await bench.answer("ok: first of Ann's");
    expect(text).toContain("second of Ann's\n\n/new is Ann's third");
    expect(bench.facts(KEY)).toMatchObject({ messages: [], bound: { completedTurns: 1 } });
  });

  it("has its answer in a file that the agent sends, and nobody is asked for it", async () => {
    await bench.start();
    const run = (command: string) => ({
      tools: [{ name: "Bash", input: { command, description: "send it" } }],
    });
    writeFileSync(join(bench.workspace, "report.txt"), "all is well");
    bench.api.queue(
      run("holdfast send report.txt --caption 'the report'"),
      run("holdfast send /etc/hostname"),
      { text: "It is sent." },
    );
    bench.say("write a report");
    await bench.answer("It is sent.");
    const sent = bench.telegram.messages.find((one) => one.document !== undefined);
    expect(sent).toMatchObject({ text: "the report", document: { fileName: "report.txt" } });
    expect(sent?.document?.bytes.toString()).toBe("all is well");
    expect(lastRequest()).toContain("report.txt is on its way to the chat");
    expect(lastRequest()).toContain("/etc/hostname was not sent: it is not in the workspace");
    expect(bench.said("needs your permission")).toEqual([]);
  });

  it("is named where it is too large, and the rest is given", async () => {
    await bench.start({ HOLDFAST_LIMIT_FILE_BYTES: "1024" });
    const fileId = bench.telegram.addFile({ name: "big.bin", content: Buffer.alloc(5_000) });
    sends({
      document: { file_id: fileId, file_unique_id: fileId, file_name: "big.bin" },
      caption: "read this",
    });
    await bench.answer("larger than");
    await bench.answer("ok: read this");
    expect(lastRequest()).toContain("could not be passed on");
  });

  it("is fetched again after a crash of the service", async () => {
    const first = await bench.start();
    bench.api.queue({ hang: "headers" });
    photo("p.png", { caption: "look" });
    await until("it is given", () => bench.facts(KEY).messages[0]?.state === "accepted");
    // Accepted comes before the request: what hangs must be there to be let go.
    await until("it is asked for", () => bench.api.requests().some((one) => one.main));
    await first.kill();
    bench.api.release();
    await bench.start();
    await until("it is settled", () =>
      bench.facts(KEY).messages.every((one) => one.state === "parked"),
    );
    expect(inbox()).toHaveLength(1);
  });
});
