import https from "node:https";
import { Telegram } from "telegraf";
import type { Clock } from "../../ports.ts";
import { readFailure, type CallFailure } from "./errors.ts";

export type CallResult =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly failure: CallFailure };

export interface CallOptions {
  /** Milliseconds for the whole call, its body included. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface BotApi {
  /** One call, never repeated. Never throws: a failure is a value without the token. */
  call(method: string, payload: object, options: CallOptions): Promise<CallResult>;
}

/** Telegraf types the methods up to Bot API 7.1 and their results as promised; both are checked here instead. */
interface RawClient {
  callApi(method: string, payload: object, options: { signal: AbortSignal }): Promise<unknown>;
}

export interface ClientOptions {
  readonly token: string;
  /** `https://api.telegram.org`, or a Bot API server of one's own; a path is kept. */
  readonly apiRoot: string;
  readonly clock: Clock;
}

export function createBotApi({ token, apiRoot, clock }: ClientOptions): BotApi {
  const client = new Telegram(token, {
    // Telegraf resolves the method against it: without the slash a path would be lost.
    apiRoot: apiRoot.endsWith("/") ? apiRoot : `${apiRoot}/`,
    // Node's own agent gives idle connections up after 5 s. Telegraf's keeps them, and a send on
    // one that died meanwhile looks like a message whose answer was lost.
    agent: https.globalAgent,
  }) as unknown as RawClient;

  return {
    async call(method, payload, { timeoutMs, signal }) {
      // node-fetch 2 waits 500 s for the rest of a body that was cut; its abort covers the body.
      const controller = new AbortController();
      let timedOut = false;
      const timer = clock.setTimeout(() => {
        timedOut = true;
        controller.abort();
      }, timeoutMs);
      const abort = (): void => controller.abort();
      if (signal?.aborted === true) abort();
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const result = await client.callApi(method, payload, { signal: controller.signal });
        return { ok: true, result };
      } catch (error) {
        const failure = readFailure(error, token);
        if (signal?.aborted === true)
          return { ok: false, failure: { ...failure, kind: "aborted" } };
        if (!timedOut) return { ok: false, failure };
        const detail = `no answer to ${method} within ${timeoutMs} ms`;
        return { ok: false, failure: { ...failure, kind: "unanswered", detail } };
      } finally {
        clock.clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      }
    },
  };
}
