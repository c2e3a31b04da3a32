import { inspect } from "node:util";
import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBotApi, type CallResult } from "../../../src/channels/telegram/client.ts";
import { startFakeTelegram, type FakeTelegram } from "../../support/fake-telegram/server.ts";
import { realClock } from "./recording.ts";

describe("a call of the Bot API", () => {
  let fake: FakeTelegram;
  beforeEach(async () => {
    fake = await startFakeTelegram();
  });
  afterEach(() => fake[Symbol.asyncDispose]());

  const api = (apiRoot = fake.apiRoot, token = fake.token) =>
    createBotApi({ apiRoot, token, clock: realClock });

  const failureOf = (result: CallResult) => {
    if (result.ok) throw new Error("the call was answered");
    return result.failure;
  };

  it("gives the result as it came", async () => {
    expect(await api().call("getMe", {}, { timeoutMs: 5_000 })).toMatchObject({
      ok: true,
      result: { id: fake.botId, username: fake.botUsername },
    });
  });

  it("ends a call without an answer at its time-out, and a body that stalls as well", async () => {
    for (const fault of [{ kind: "hang" }, { kind: "cut-body" }] as const) {
      fake.fail("getMe", fault);
      const began = Date.now();
      const failure = failureOf(await api().call("getMe", {}, { timeoutMs: 300 }));
      expect(failure.kind).toBe("unanswered");
      // node-fetch itself would wait 500 s for the rest of a body.
      expect(Date.now() - began).toBeLessThan(5_000);
    }
  });

  it("ends at its caller's signal, at once", async () => {
    fake.fail("getMe", { kind: "hang" });
    const controller = new AbortController();
    const call = api().call("getMe", {}, { timeoutMs: 60_000, signal: controller.signal });
    await fake.waitForCall(({ method }) => method === "getMe");
    controller.abort();
    expect(failureOf(await call).kind).toBe("aborted");
    const late = await api().call("getMe", {}, { timeoutMs: 60_000, signal: controller.signal });
    expect(failureOf(late).kind).toBe("aborted");
    expect(fake.calls).toHaveLength(1);
  });

  it("leaves no listener on its caller's signal", async () => {
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const counted = new Proxy(signal, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name === "addEventListener") listeners += 1;
        if (name === "removeEventListener") listeners -= 1;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    await api().call("getMe", {}, { timeoutMs: 5_000, signal: counted });
    expect(listeners).toBe(0);
  });

  it("tells what was never written from what may have arrived", async () => {
    const port = await freePort();
    const refused = await api(`http://127.0.0.1:${port}`).call("getMe", {}, { timeoutMs: 5_000 });
    expect(failureOf(refused).kind).toBe("unwritten");
    const noTls = fake.apiRoot.replace("http:", "https:");
    expect(failureOf(await api(noTls).call("getMe", {}, { timeoutMs: 5_000 })).kind).toBe(
      "unwritten",
    );
    for (const kind of ["reset", "lost-answer"] as const) {
      fake.fail("getMe", { kind });
      const failure = failureOf(await api().call("getMe", {}, { timeoutMs: 5_000 }));
      expect(failure.kind).toBe("unanswered");
    }
  });

  it("reads the number of an error, also of one that a proxy words as HTML", async () => {
    fake.fail("getMe", { kind: "html", status: 502 });
    expect(failureOf(await api().call("getMe", {}, { timeoutMs: 5_000 }))).toMatchObject({
      kind: "answered",
      code: 502,
    });
    const other = await api(fake.apiRoot, `${fake.token}x`).call("getMe", {}, { timeoutMs: 5_000 });
    expect(failureOf(other)).toMatchObject({ kind: "answered", code: 401 });
  });

  it("keeps a path of the API root", async () => {
    const result = await api(`${fake.apiRoot}/proxy`).call("getMe", {}, { timeoutMs: 5_000 });
    expect(failureOf(result).code).toBe(404);
  });

  it("never tells the token, whatever goes wrong", async () => {
    const faults = [
      { kind: "html", status: 200 },
      { kind: "html", status: 404 },
      { kind: "html", status: 502 },
      { kind: "cut-body" },
      { kind: "reset" },
      { kind: "lost-answer" },
      { kind: "hang" },
      { kind: "error", code: 400, description: `Bad Request: /bot${fake.token}/getMe` },
    ] as const;
    const secret = fake.token.split(":")[1] ?? "";
    for (const fault of faults) {
      fake.fail("getMe", fault);
      const result = await api().call("getMe", {}, { timeoutMs: 300 });
      expect(result.ok).toBe(false);
      expect(inspect(result, { depth: null, showHidden: true })).not.toContain(secret);
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP port was given");
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}
