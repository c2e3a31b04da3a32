import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { refused } from "./answer.ts";
import type { Answer, Params } from "./answer.ts";
import type { Fault } from "./types.ts";

export type DecideFault = (method: string, params: Params) => Fault | undefined;

/** Faults that wait for their calls, by method, and whoever decides about the others. */
export interface Faults {
  add(method: string, fault: Fault, times: number): void;
  decideBy(decide: DecideFault): void;
  next(method: string, params: Params): Fault | undefined;
}

export function createFaults(): Faults {
  const waiting = new Map<string, Fault[]>();
  let decide: DecideFault = () => undefined;
  return {
    add(method, fault, times) {
      const key = method.toLowerCase();
      const added = Array.from({ length: times }, () => fault);
      waiting.set(key, [...(waiting.get(key) ?? []), ...added]);
    },
    decideBy: (next) => void (decide = next),
    next: (method, params) => waiting.get(method.toLowerCase())?.shift() ?? decide(method, params),
  };
}

export function sendJson(response: ServerResponse, answer: Answer): void {
  if (response.destroyed) return;
  const body = Buffer.from(JSON.stringify(answer));
  response.writeHead(answer.ok ? 200 : answer.error_code, headersOf(answer, body));
  response.end(body);
}

function headersOf(answer: Answer, body: Buffer): Record<string, string | number> {
  const wait = answer.ok ? undefined : answer.parameters;
  return {
    "content-type": "application/json",
    "content-length": body.length,
    ...(wait && "retry_after" in wait ? { "retry-after": String(wait.retry_after) } : {}),
  };
}

/**
 * Answers as the fault says and returns what was answered, for the record.
 * `run` lets the call take effect. Ends early when the connection does.
 */
export async function answerWithFault(
  fault: Fault,
  response: ServerResponse,
  signal: AbortSignal,
  run: () => Promise<Answer>,
): Promise<unknown> {
  switch (fault.kind) {
    case "error": {
      const answer = refused(fault.code, fault.description, fault.parameters);
      sendJson(response, answer);
      return answer;
    }
    case "html":
      sendPage(response, fault.status);
      return { fault: "html" };
    case "reset":
      response.socket?.resetAndDestroy();
      return { fault: "reset" };
    case "lost-answer":
      await run();
      response.destroy();
      return { fault: "lost-answer" };
    case "hang":
      await pause(fault.ms, signal);
      response.destroy();
      return { fault: "hang" };
    case "cut-body":
      sendHalf(response, await run());
      return { fault: "cut-body" };
    case "delay": {
      const answer = await run();
      await pause(fault.ms, signal);
      sendJson(response, answer);
      return answer;
    }
  }
}

function sendPage(response: ServerResponse, status: number): void {
  const title = status === 200 ? "Welcome" : `${status} Bad Gateway`;
  const page = `<html>\r\n<head><title>${title}</title></head>\r\n<body><h1>${title}</h1></body>\r\n</html>\r\n`;
  response.writeHead(status, { "content-type": "text/html" });
  response.end(page);
}

function sendHalf(response: ServerResponse, answer: Answer): void {
  const body = Buffer.from(JSON.stringify(answer));
  response.writeHead(answer.ok ? 200 : answer.error_code, headersOf(answer, body));
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}

/** Without `ms` until the connection ends. */
async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  await sleep(ms ?? 2_147_483_647, undefined, { signal }).catch(() => undefined);
}
