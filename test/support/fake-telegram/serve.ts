import type { IncomingMessage, ServerResponse } from "node:http";
import { badRequest, isRecord, readInteger, refused } from "./answer.ts";
import type { Params } from "./answer.ts";
import { readParams } from "./body.ts";
import type { Call } from "./call.ts";
import { answerCall, judgeCall, methodName } from "./dispatch.ts";
import { answerWithFault, sendJson } from "./faults.ts";
import type { Faults } from "./faults.ts";
import type { CallRecord, Fault } from "./types.ts";
import type { Waiters } from "./waiters.ts";
import type { World } from "./world.ts";

/** What a request needs. */
export interface Service {
  readonly token: string;
  readonly world: World;
  readonly faults: Faults;
  readonly calls: OpenCall[];
  readonly callWaiters: Waiters<CallRecord>;
}

type OpenCall = { -readonly [Key in keyof CallRecord]: CallRecord[Key] };

/** `/bot<token>/<method>` and `/file/bot<token>/<path>`. */
const PATH = /^(\/file)?\/bot([^/]+)\/(.+)$/;

export async function serve(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://loopback");
  const [, file, token, rest] = PATH.exec(decodeURIComponent(url.pathname)) ?? [];
  if (token === undefined || rest === undefined || !/^\d+:[\w-]{30,}$/.test(token)) {
    request.resume();
    return sendJson(response, refused(404, "Not Found"));
  }
  if (file !== undefined) return sendFile(service, token, rest, response);
  const params = await readParams(request, url.searchParams);
  const record: OpenCall = {
    method: methodName(rest),
    params: typeof params === "string" ? {} : params,
    at: service.world.now(),
    answered: undefined,
  };
  service.calls.push(record);
  service.callWaiters.offer(record);
  record.answered = await answer(service, token, record.method, params, request, response);
  service.callWaiters.offer(record);
}

async function answer(
  service: Service,
  token: string,
  method: string,
  params: Params | string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  const { world } = service;
  const connection = new AbortController();
  response.once("close", () => connection.abort());
  if (token !== service.token) return reply(response, refused(401, "Unauthorized"));
  if (typeof params === "string") return reply(response, badRequest(params));
  judgeCall(world, method, params);
  const client = request.headers["user-agent"] ?? "";
  const call: Call = { params, client, signal: connection.signal };
  const run = () => answerCall(world, method, call);
  const fault = service.faults.next(method, params);
  if (fault === undefined) return reply(response, await run());
  gateChat(world, params, fault);
  return answerWithFault(fault, response, connection.signal, run);
}

function reply(response: ServerResponse, answered: Parameters<typeof sendJson>[1]): unknown {
  sendJson(response, answered);
  return answered;
}

/** A 429 on request is watched like the server's own. */
function gateChat(world: World, params: Params, fault: Fault): void {
  if (fault.kind !== "error" || fault.code !== 429 || !isRecord(fault.parameters)) return;
  const chatId = readInteger(params["chat_id"]);
  const retryAfter = fault.parameters["retry_after"];
  if (chatId !== null && typeof retryAfter === "number") {
    world.flood.gate(chatId, retryAfter, false);
  }
}

function sendFile(service: Service, token: string, path: string, response: ServerResponse): void {
  const file = service.world.files.get(path.replace(/^documents\//, ""));
  if (token !== service.token) return sendJson(response, refused(401, "Unauthorized"));
  if (file === undefined || file.bytes === null) {
    return sendJson(response, refused(404, "Not Found"));
  }
  response.writeHead(200, { "content-type": "application/octet-stream" });
  response.end(file.bytes);
}
