import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { inlineStep, newestPrompt, requestSchema } from "./messages-api-script.ts";
import type { ApiRequest, Step } from "./messages-api-script.ts";

export type { Step } from "./messages-api-script.ts";

export interface RecordedRequest {
  readonly path: string;
  readonly model?: string;
  readonly messages: unknown[];
  /** Number of tools the request offers. */
  readonly tools: number;
  /** A request of the agent's own loop: it carries tools. Titles and summaries do not. */
  readonly main: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The Messages API on loopback, played from a script for the real CLI. */
export interface MessagesApi extends AsyncDisposable {
  /** For `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  /** Every request so far, token counts and retries included. */
  requests(): readonly RecordedRequest[];
  /** Answers to the next main requests in order. A retry of the CLI takes one as well. */
  queue(...steps: Step[]): void;
  /** Once the queue is empty; without it the newest user text is echoed as `ok: …`. */
  setDefault(step: Step): void;
  /** Lets hanging requests go on with their answer. */
  release(): void;
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Characters a chunk where a test looks at the middle of a stream; whole texts otherwise. */
const SMALL_CHUNK = 24;
const LARGE_CHUNK = 16_384;

interface Script {
  readonly queue: Step[];
  fallback: Step;
  /** Resolves on `release()`; replaced by it. */
  hanging: { promise: Promise<void>; release: () => void };
  readonly closed: AbortController;
}

function newHanging(): Script["hanging"] {
  let release = (): void => undefined;
  const promise = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { promise, release };
}

export async function startMessagesApi(): Promise<MessagesApi> {
  const recorded: RecordedRequest[] = [];
  const script: Script = {
    queue: [],
    fallback: {},
    hanging: newHanging(),
    closed: new AbortController(),
  };
  const server = createServer((request, response) => {
    handle(script, recorded, request, response).catch((error: unknown) => {
      // The client went away, or the script is wrong: the latter must be seen by the CLI.
      if (script.closed.signal.aborted || response.destroyed) return;
      if (response.headersSent) response.destroy();
      else sendError(response, 400, { message: `scripted Messages API: ${String(error)}` });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const closed = once(server, "close");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port was given");
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests: () => recorded,
    queue: (...steps) => void script.queue.push(...steps),
    setDefault: (step) => void (script.fallback = step),
    release: () => {
      script.hanging.release();
      script.hanging = newHanging();
    },
    async [Symbol.asyncDispose]() {
      script.closed.abort();
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  script: Script,
  recorded: RecordedRequest[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? "/", "http://loopback").pathname;
  const raw = await readText(request);
  const body = requestSchema.parse(raw === "" ? {} : JSON.parse(raw));
  const isMessages = request.method === "POST" && path === "/v1/messages";
  const main = isMessages && body.tools.length > 0;
  recorded.push({
    path,
    ...(body.model === undefined ? {} : { model: body.model }),
    messages: body.messages,
    tools: body.tools.length,
    main,
    at: Date.now(),
  });
  if (isMessages) {
    const step = main ? (inlineStep(body) ?? script.queue.shift() ?? script.fallback) : SIDE_STEP;
    await answer(script, response, body, raw.length, step);
  } else if (path === "/v1/messages/count_tokens") {
    sendJson(response, 200, { input_tokens: tokensOf(raw.length) });
  } else if (path === "/") {
    response.end();
  } else {
    sendError(response, 404, { message: `scripted Messages API: there is no ${path}` });
  }
}

/** Titles and summaries that the CLI asks for beside the conversation. */
const SIDE_STEP: Step = { text: "A short summary" };

async function answer(
  script: Script,
  response: ServerResponse,
  body: ApiRequest,
  size: number,
  step: Step,
): Promise<void> {
  if (step.delayMs) await pause(script, response, step.delayMs);
  if (step.hang === "headers") await hang(script, response);
  if (step.reset === true) return void response.destroy();
  if (step.tooLong) {
    const [tokens, maximum] = step.tooLong;
    const message = `prompt is too long: ${tokens} tokens > ${maximum} maximum`;
    return sendError(response, 400, { message });
  }
  if (step.status !== undefined || step.error !== undefined) {
    return sendError(response, step.status ?? 500, step);
  }
  const message = composeMessage(body, size, step);
  if (body.stream === true) await stream(script, response, message, step);
  else sendJson(response, 200, message);
}

type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "tool_use"; id: string; name: string; input: unknown };

type Message = ReturnType<typeof composeMessage>;

function composeMessage(body: ApiRequest, size: number, step: Step) {
  const text = step.text ?? (step.tools ? "" : `ok: ${newestPrompt(body).text}`);
  const content: Block[] = [];
  if (step.thinking) {
    content.push({ type: "thinking", thinking: step.thinking, signature: "c2ln" });
  }
  if (text !== "") content.push({ type: "text", text });
  for (const tool of step.tools ?? []) {
    content.push({
      type: "tool_use",
      id: tool.id ?? newId("toolu"),
      name: tool.name,
      input: tool.input ?? {},
    });
  }
  return {
    id: newId("msg"),
    type: "message",
    role: "assistant",
    model: body.model ?? "unknown",
    content,
    stop_reason: step.tools ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: tokensOf(size),
      output_tokens: tokensOf(text.length),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      ...step.usage,
    },
  };
}

async function stream(
  script: Script,
  response: ServerResponse,
  message: Message,
  step: Step,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": newId("req") });
  const send = (event: { type: string; [key: string]: unknown }): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  const usage = { ...message.usage, output_tokens: 1 };
  const start = { ...message, content: [], stop_reason: null, usage };
  send({ type: "message_start", message: start });
  if (step.hang === "start") await hang(script, response);
  const small = step.chunkMs !== undefined || step.hang === "mid" || step.reset === "mid";
  let chunks = 0;
  for (const [index, block] of message.content.entries()) {
    send({ type: "content_block_start", index, content_block: emptied(block) });
    for (const delta of deltas(block, small ? SMALL_CHUNK : LARGE_CHUNK)) {
      send({ type: "content_block_delta", index, delta });
      chunks += 1;
      if (chunks === 1 && step.hang === "mid") await hang(script, response);
      if (chunks === 1 && step.reset === "mid") {
        await pause(script, response, 30);
        return void response.destroy();
      }
      if (step.chunkMs) await pause(script, response, step.chunkMs);
    }
    send({ type: "content_block_stop", index });
  }
  const delta = { stop_reason: message.stop_reason, stop_sequence: null };
  send({ type: "message_delta", delta, usage: message.usage });
  send({ type: "message_stop" });
  response.end();
}

function emptied(block: Block): Block {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function* deltas(block: Block, size: number): Generator<object> {
  const whole =
    block.type === "text"
      ? block.text
      : block.type === "thinking"
        ? block.thinking
        : JSON.stringify(block.input);
  for (let at = 0; at < whole.length; at += size) {
    const part = whole.slice(at, at + size);
    if (block.type === "text") yield { type: "text_delta", text: part };
    else if (block.type === "thinking") yield { type: "thinking_delta", thinking: part };
    else yield { type: "input_json_delta", partial_json: part };
  }
  if (block.type === "thinking") yield { type: "signature_delta", signature: block.signature };
}

/** Ends early, by throwing, when the server or the connection is closed. */
async function pause(script: Script, response: ServerResponse, ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: script.closed.signal });
  if (response.destroyed) throw new Error("the client went away");
}

async function hang(script: Script, response: ServerResponse): Promise<void> {
  await Promise.race([script.hanging.promise, once(response, "close")]);
  if (response.destroyed) throw new Error("the client went away");
}

function sendError(response: ServerResponse, status: number, step: Step): void {
  const type = step.error ?? ERROR_TYPES[status] ?? "api_error";
  const message = step.message ?? type;
  sendJson(response, status, { type: "error", error: { type, message } });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": newId("req") });
  response.end(JSON.stringify(body));
}

function tokensOf(characters: number): number {
  return Math.max(1, Math.ceil(characters / 4));
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}
