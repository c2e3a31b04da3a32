import { once } from "node:events";
import { createServer } from "node:http";
import type { Server } from "node:http";
import { controls } from "./controls.ts";
import { createWorld } from "./create-world.ts";
import { createFaults } from "./faults.ts";
import { serve } from "./serve.ts";
import type { Service } from "./serve.ts";
import type { CallRecord, FakeTelegram, FakeTelegramOptions, SentMessage } from "./types.ts";
import { createWaiters } from "./waiters.ts";

export type { FakeTelegram, FakeTelegramOptions } from "./types.ts";

/** Well-formed, and secret to nobody. */
const DEFAULT_TOKEN = "7000000001:AAFakeTokenOfTheFakeServer-0123456789";
const TOKEN_FORM = /^[1-9]\d*:[\w-]{30,}$/;
const WAIT_MS = 20_000;

/** Starts the strict fake of the Bot API on a free loopback port. */
export async function startFakeTelegram(options: FakeTelegramOptions = {}): Promise<FakeTelegram> {
  const token = options.token ?? DEFAULT_TOKEN;
  if (!TOKEN_FORM.test(token)) {
    throw new Error(`"${token}" is not a token: give <bot id>:<30 or more of A-Z a-z 0-9 _ ->`);
  }
  const messageWaiters = createWaiters<SentMessage>("message", (message) =>
    JSON.stringify({ chatId: message.chatId, text: message.text }),
  );
  const service: Service = {
    token,
    world: createWorld(token, options, (message) => messageWaiters.offer(message)),
    faults: createFaults(),
    calls: [],
    callWaiters: createWaiters<CallRecord>("call", (call) =>
      JSON.stringify([call.method, call.params, call.answered]),
    ),
  };
  const server = createServer((request, response) => {
    serve(service, request, response).catch((error: unknown) => {
      if (!response.destroyed && !request.destroyed)
        service.world.violate(`the fake failed: ${String(error)}`);
      response.destroy();
    });
  });
  // An idle connection that the server closes just when it is used again looks like a fault.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port was given");
  return Object.assign(controls(service, `http://127.0.0.1:${address.port}`), {
    waitForMessage: (predicate, timeoutMs = WAIT_MS) =>
      messageWaiters.wait(service.world.sent, predicate, timeoutMs),
    waitForCall: (predicate, timeoutMs = WAIT_MS) =>
      service.callWaiters.wait(service.calls, predicate, timeoutMs),
    async [Symbol.asyncDispose]() {
      messageWaiters.close();
      service.callWaiters.close();
      await close(server);
    },
  } satisfies Partial<FakeTelegram>);
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
