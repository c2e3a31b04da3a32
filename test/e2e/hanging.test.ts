import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listProcesses, readProcess, withDescendants } from "../../src/agents/process.ts";
import { ALLOWED, CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";
import { until } from "../support/processes.ts";

/** A program that starts another, which never says anything and holds its output open. */
const MUTE = '#!/bin/sh\nnode -e "setInterval(() => {}, 1000)"\nexit 1\n';

function descendants(pid: number): readonly number[] {
  return withDescendants(new Set([pid]), listProcesses())
    .map((info) => info.pid)
    .filter((one) => one !== pid);
}

describe("what hangs beside the service", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const say = (text: string) => bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, text });

  it("as an agent does not keep it from polling, nor from ending", async () => {
    const mute = join(bench.home, "mute");
    writeFileSync(mute, MUTE);
    chmodSync(mute, 0o755);
    const service = await bench.start({ CLAUDE_BIN: mute });
    say("is anybody there?");
    await service.waitForLog((one) => one.msg === "launch.built");
    const asked = Date.now();
    expect(await service.stop()).toBe(0);
    expect(Date.now() - asked).toBeLessThan(15_000);
    await until("no agent is left", () => bench.agents().length === 0, 5_000);
    expect(bench.facts(KEY).messages).toMatchObject([{ id: 1, state: "received" }]);
  });

  it("as the check of an agent nobody has asked for yet does not keep it from ending", async () => {
    const mute = join(bench.home, "mute");
    writeFileSync(mute, MUTE);
    chmodSync(mute, 0o755);
    const service = await bench.start({ CLAUDE_BIN: mute });
    await until("the agent is being checked", () => descendants(service.pid).length === 2);
    const checking = descendants(service.pid);
    const asked = Date.now();
    expect(await service.stop()).toBe(0);
    expect(Date.now() - asked).toBeLessThan(15_000);
    expect(checking.filter((pid) => readProcess(pid) !== null)).toEqual([]);
  });

  it("as Telegram's answer to the menu does not keep it from ending", async () => {
    // The name is not learnt at the start, so that the first poll learns it and sets the menu.
    bench.telegram.fail("getMe", { kind: "error", code: 500, description: "Internal" });
    bench.telegram.fail("setMyCommands", { kind: "hang", ms: 60_000 });
    const service = await bench.start();
    await until("the menu is being set", () =>
      bench.telegram.calls.some((call) => call.method === "setMyCommands"),
    );
    const asked = Date.now();
    expect(await service.stop()).toBe(0);
    expect(Date.now() - asked).toBeLessThan(5_000);
  });
});

describe("a state directory behind a symlink", () => {
  it("is the same one, so that its leftover agents are known", async () => {
    await using bench = await createBench();
    const link = join(bench.home, "state-link");
    symlinkSync(bench.stateDir, link);
    const service = await bench.start({ HOLDFAST_STATE_DIR: link });
    bench.telegram.user({ chatId: CHAT, fromId: ALLOWED, text: "hello" });
    await service.waitForLog((one) => one.msg === "session.ready");
    expect(bench.agents()).toHaveLength(1);
  });
});
