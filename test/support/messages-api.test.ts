import { mkdtemp, mkdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { startMessagesApi } from "./messages-api.ts";
import type { MessagesApi } from "./messages-api.ts";

const CLAUDE = join(import.meta.dirname, "../../node_modules/.bin/claude");

let api: MessagesApi;

beforeEach(async () => {
  api = await startMessagesApi();
});

afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

function post(body: object, path = "/v1/messages"): Promise<Response> {
  return fetch(api.url + path, { method: "POST", body: JSON.stringify(body) });
}

function ask(text: string, more: object = {}): Promise<Response> {
  const messages = [{ role: "user", content: text }];
  return post({ model: "m", tools: [{ name: "Bash" }], messages, ...more });
}

const answerSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string(),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
});

async function textOf(response: Response): Promise<string> {
  const answer = answerSchema.parse(await response.json());
  return answer.content.map((block) => block.text ?? "").join("");
}

describe("an answer", () => {
  test("echoes the newest user text without reminders when nothing is scripted", async () => {
    const reminder = "<system-reminder>\nsecret\n</system-reminder>";
    expect(await textOf(await ask(`${reminder}hello${reminder}`))).toBe("ok: hello");
  });

  test("comes from the queue in order, then from the default", async () => {
    api.queue({ text: "one" }, { text: "two" });
    api.setDefault({ text: "later" });
    const texts = [];
    for (let i = 0; i < 4; i += 1) texts.push(await textOf(await ask("hi")));
    expect(texts).toEqual(["one", "two", "later", "later"]);
  });

  test("does not take a queued step for a request without tools", async () => {
    api.queue({ text: "main" });
    expect(await textOf(await ask("title?", { tools: [] }))).toBe("A short summary");
    expect(await textOf(await ask("hi"))).toBe("main");
    expect(api.requests().map((request) => request.main)).toEqual([false, true]);
  });

  test("follows an inline script by the number of answers after it and repeats the last", async () => {
    const prompt = { role: "user", content: 'go [[fake: [{"text":"a"},{"text":"[b]"}]]]' };
    const said = { role: "assistant", content: "…" };
    const result = { role: "user", content: [{ type: "tool_result", content: "done" }] };
    const more = [said, result];
    const at = async (history: object[]) => textOf(await ask("", { messages: history }));
    expect(await at([prompt])).toBe("a");
    expect(await at([prompt, ...more])).toBe("[b]");
    expect(await at([prompt, ...more, ...more])).toBe("[b]");
    expect(await at([prompt, said, { role: "user", content: "plain" }])).toBe("ok: plain");
  });

  test("tells a mistyped inline script as an error", async () => {
    const response = await ask('[[fake: {"txet":"a"}]]');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("txet");
  });

  test("is streamed as the deltas of its blocks", async () => {
    api.queue({ thinking: "hm", text: "yes", tools: [{ name: "Bash", input: { command: "ls" } }] });
    const body = await (await ask("hi", { stream: true })).text();
    const events = body
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line.slice(6))));
    const block = ["content_block_start", "content_block_delta", "content_block_stop"];
    const signed = block.toSpliced(2, 0, "content_block_delta");
    expect(events.map((event) => event.type)).toEqual([
      "message_start",
      ...[...signed, ...block, ...block],
      "message_delta",
      "message_stop",
    ]);
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "tool_use" } });
    expect(body).toContain(String.raw`"partial_json":"{\"command\":\"ls\"}"`);
  });

  test("counts tokens and refuses unknown paths", async () => {
    const count = await post({ messages: [] }, "/v1/messages/count_tokens");
    expect(await count.json()).toEqual({ input_tokens: expect.any(Number) });
    expect((await post({}, "/v1/other")).status).toBe(404);
  });
});

describe("a failure", () => {
  test.each([
    [{ status: 529 }, 529, "overloaded_error"],
    [{ status: 400, error: "billing_error", message: "no credit" }, 400, "no credit"],
    [{ tooLong: [210, 200] as [number, number] }, 400, "prompt is too long: 210 tokens > 200 max"],
  ])("is sent as the API sends it: %j", async (step, status, text) => {
    api.queue(step);
    const response = await ask("hi");
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(text);
  });

  test("resets the connection before and in the middle of an answer", async () => {
    api.queue({ reset: true }, { reset: "mid", text: "a text of more than one chunk" });
    await expect(ask("hi")).rejects.toThrow();
    await expect(ask("hi", { stream: true }).then((response) => response.text())).rejects.toThrow();
  });

  test.each(["headers", "start", "mid"] as const)("hangs at %s until released", async (hang) => {
    api.queue({ hang, text: "a text of more than one chunk" });
    let ended = false;
    const body = ask("hi", { stream: true })
      .then((response) => response.text())
      .finally(() => {
        ended = true;
      });
    await expect.poll(() => api.requests().length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(ended).toBe(false);
    api.release();
    expect(await body).toContain("message_stop");
  });

  test("of hanging requests ends with the server", async () => {
    api.queue({ hang: "headers" });
    const failing = expect(ask("hi")).rejects.toThrow();
    await expect.poll(() => api.requests().length).toBe(1);
    await api[Symbol.asyncDispose]();
    await failing;
    api = await startMessagesApi();
  });
});

describe("the real CLI", () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "holdfast-api-"));
    await mkdir(join(home, "work"));
  });

  afterEach(async () => {
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });

  function claude(...args: string[]) {
    return execa(CLAUDE, args, {
      cwd: join(home, "work"),
      extendEnv: false,
      stdin: "ignore",
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        ANTHROPIC_API_KEY: "dummy",
        ANTHROPIC_BASE_URL: api.url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_ERROR_REPORTING: "1",
      },
    });
  }

  test("takes its answer to a prompt from here", async () => {
    const { stdout } = await claude("-p", "How are you?");
    expect(stdout).toBe("ok: How are you?");
    expect(api.requests().filter((request) => request.main)).toHaveLength(1);
  });

  test("runs a tool that the script asks for and sends its result back", async () => {
    const tool = { name: "Bash", input: { command: "echo real > made", description: "make" } };
    const steps = [{ text: "I make it.", tools: [tool] }, { text: "Made." }];
    const prompt = `Make a file. [[fake: ${JSON.stringify(steps)}]]`;
    const { stdout } = await claude("-p", prompt, "--allowedTools", "Bash");
    expect(stdout).toBe("Made.");
    expect(await readFile(join(home, "work", "made"), "utf8")).toBe("real\n");
    const last = api.requests().findLast((request) => request.main);
    expect(JSON.stringify(last?.messages)).toContain("tool_result");
  });
});
