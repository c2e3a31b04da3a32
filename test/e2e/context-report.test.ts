import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DriftReport } from "../../src/cli/context-drift.ts";
import { openStore } from "../../src/store/sqlite-store.ts";
import { CHAT, createBench, KEY, type Bench } from "../support/holdfast.ts";

describe("holdfast context-report", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  async function run(...args: readonly string[]) {
    const { child, exited } = bench.launch({}, args);
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (chunk) => (stdout += String(chunk)));
    child.stderr?.on("data", (chunk) => (stderr += String(chunk)));
    const code = await exited();
    return { code, stdout, stderr };
  }

  /** A store as the service leaves it, with turns of `[usage, estimate]`. */
  function storeWith(turns: readonly (readonly [number | null, number | null])[]): void {
    using store = openStore({
      file: join(bench.stateDir, "holdfast.db"),
      clock: { now: () => 0 },
      agentKind: "claude",
    });
    store.ensureSession(KEY, { channel: "telegram", chatId: String(CHAT), topicId: null });
    const facts = turns.map(([sdkPercent, selfReportedPercent]) => ({
      ...{ type: "turn.measured" as const, epoch: 1, model: "claude-opus-5-5" },
      ...{ sdkPercent, selfReportedPercent, inputTokens: null, outputTokens: null },
    }));
    store.write(KEY, { facts, outgoing: [], commandsDone: [] });
  }

  it("prints the drift of the stored turns, as a table or as JSON", async () => {
    storeWith([
      [40, 50],
      [60, 40],
      [20, null],
    ]);
    const table = await run("context-report");
    expect(table).toMatchObject({ code: 0, stderr: "" });
    expect(table.stdout.split("\n").slice(0, 3)).toEqual([
      "model            turns  both  no est.  mean   abs  p50  p95",
      "claude-opus-5-5      3     2        1  -5.0  15.0   10   20",
      "all models           3     2        1  -5.0  15.0   10   20",
    ]);
    const json = await run("context-report", "--json");
    expect(json).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      models: [{ model: "claude-opus-5-5", turns: 3 }],
      total: { compared: 2, withoutEstimate: 1, mean: -5, meanAbsolute: 15, p50: 10, p95: 20 },
    });
  });

  it("reads beside the running service what a turn of the real agent left", async () => {
    await bench.start();
    bench.api.queue({ text: "the answer\n\n[ctx: ~77%]" });
    bench.say("a question");
    expect((await bench.answer("the answer")).text).not.toContain("77");
    const { code, stdout } = await run("context-report", "--json");
    expect(code).toBe(0);
    const { total, models } = JSON.parse(stdout) as DriftReport;
    expect(models).toHaveLength(1);
    expect(total).toMatchObject({ turns: 1, compared: 1, withoutEstimate: 0 });
    expect(total.mean).toBeGreaterThan(50);
    bench.say("another question");
    await bench.answer("ok: another question");
  });

  it("says in one line that no turn has been measured", async () => {
    storeWith([]);
    const stdout = "No turn has been measured yet.\n";
    expect(await run("context-report")).toEqual({ code: 0, stdout, stderr: "" });
    const json = await run("context-report", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ models: [], total: { turns: 0, mean: null } });
  });

  it("says where it looked when there is no store, and makes none", async () => {
    const file = join(bench.stateDir, "holdfast.db");
    const { code, stdout, stderr } = await run("context-report");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(
      `holdfast: There is no store at ${file} yet. Start the service once to make it.\n`,
    );
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(bench.stateDir)).toEqual([]);
  });

  it("is told by --help, and what is no command is a mistake", async () => {
    expect((await run("--help")).stdout).toContain("holdfast context-report [--json]");
    for (const args of [
      ["report"],
      ["context-report", "more"],
      ["serve", "--json"],
      ["serve", "--caption", "x"],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^holdfast: .*See holdfast --help\n$/);
    }
  });
});
