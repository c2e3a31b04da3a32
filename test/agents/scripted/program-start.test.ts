import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readProcess } from "../../../src/agents/process.ts";
import { createScene, scripted } from "./program-driver.ts";
import type { Program, Scene } from "./program-driver.ts";

/** The command line, scripts in files and the ways to start. */

let scene: Scene;

beforeEach(async () => {
  scene = await createScene();
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

async function play(script: unknown, ...args: string[]): Promise<Program> {
  const program = scene.start({ args: ["--script", await scene.script(script), ...args] });
  program.request({ subtype: "initialize" });
  return program;
}

describe("the command line", () => {
  it("--version is told without a start", async () => {
    const program = scene.start({ args: ["--version"] });
    expect(await program.exit).toEqual({ code: 0, signal: null });
    expect(program.garbage).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+ .*scripted/)]);
  });

  it("--model is the model of init and of the result", async () => {
    const program = scene.start({ args: ["--model", "other-model"] });
    program.prompt("hello");
    const init = await program.next({ type: "system", subtype: "init" });
    expect(init["model"]).toBe("other-model");
    const result = await program.next({ type: "result" });
    expect(Object.keys(result["modelUsage"] as object)).toEqual(["other-model"]);
  });

  it("with an unknown option is refused by name", async () => {
    const program = scene.start({ args: ["--bogus"] });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr()).toContain("--bogus");
  });

  it("--journal keeps all that was said for each answer", async () => {
    const journal = join(scene.configDir, "..", "journal.jsonl");
    const id = randomUUID();
    const program = scene.start({ args: ["--journal", journal, "--session-id", id] });
    for (const text of ["one", "two"]) {
      program.prompt(scripted({ text: `${text}!` }, text));
      await program.next({ type: "result" });
    }
    const lines = (await readFile(journal, "utf8")).trim().split("\n");
    expect(JSON.parse(lines[1] ?? "")).toEqual({
      sessionId: id,
      said: [
        { role: "user", text: "one" },
        { role: "assistant", text: "one!" },
        { role: "user", text: "two" },
        { role: "assistant", text: "two!" },
      ],
    });
  });
});

describe("a script in a file", () => {
  it("is consumed one step a prompt, then the companion answers", async () => {
    const program = await play([{ text: "one" }, { error: "two" }]);
    const results = [];
    for (const text of ["a", "b", "c"]) {
      program.prompt(text);
      results.push((await program.next({ type: "result" }))["result"]);
    }
    expect(results).toEqual(["one", "two", expect.stringContaining("3 things so far")]);
  });

  it("is named by the environment too, and can differ for resumed sessions", async () => {
    const script = await scene.script({ fresh: [{ text: "new" }], resumed: [{ text: "old" }] });
    const id = randomUUID();
    for (const [mode, text] of [
      ["--session-id", "new"],
      ["--resume", "old"],
    ] as const) {
      const program = scene.start({ args: [mode, id], env: { HOLDFAST_SCRIPT: script } });
      program.prompt("go");
      expect(await program.next({ type: "result" })).toMatchObject({ result: text });
      program.closeInput();
      await program.exit;
    }
  });

  it.each([
    ["no JSON", "{", "not JSON"],
    ["no list", '{"steps":[]}', "expected a list of steps"],
    ["an unknown key", [{ text: "a" }, { txet: "b" }], "entry 2"],
    ["a crash in a tool without a tool", [{ crash: "mid-tool" }], "needs a tool"],
    ["an unknown start", [{ start: "later" }], "entry 1"],
  ])("with %s is refused with its name and the cause", async (_, script, cause) => {
    const path = await scene.script(script);
    const program = scene.start({ args: ["--script", path] });
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr()).toContain(path);
    expect(program.stderr()).toContain(cause);
  });
});

describe("a start", () => {
  it("can be refused although the session is new", async () => {
    const id = randomUUID();
    const program = await play([{ start: "refuse" }], "--session-id", id);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.lines).toMatchObject([{ type: "result", is_error: true, session_id: id }]);
    expect(program.stderr()).toContain(`No conversation found with session ID: ${id}`);
  });

  it("can fail at once", async () => {
    const program = await play([{ start: "exit" }]);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.lines).toEqual([]);
    expect(program.stderr()).toContain("told to fail");
  });

  it("can hang without an answer until it is ended", async () => {
    const program = await play([{ start: "hang" }]);
    await expect.poll(() => readProcess(program.pid)).not.toBeNull();
    program.closeInput();
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(readProcess(program.pid)).not.toBeNull();
    expect(program.lines).toEqual([]);
    program.kill("SIGTERM");
    expect((await program.exit).signal).toBe("SIGTERM");
  });

  it("can be slow, and loses no input", async () => {
    const since = Date.now();
    const program = await play([{ start: "slow", ms: 900 }, { text: "at last" }]);
    program.prompt("hello");
    await program.next({ type: "control_response" });
    expect(Date.now() - since).toBeGreaterThanOrEqual(900);
    expect(await program.next({ type: "result" })).toMatchObject({ result: "at last" });
  });

  it("can write garbage before its first answer", async () => {
    const program = await play([{ start: "garbage" }]);
    await program.next({ type: "control_response" });
    expect(program.garbage).toHaveLength(1);
  });

  it("without a login answers initialize and fails every turn", async () => {
    const program = await play([{ start: "not-logged-in" }]);
    const { response } = await program.next({ type: "control_response" });
    expect(response).toMatchObject({ response: { account: { tokenSource: "none" } } });
    expect(JSON.stringify(response)).not.toContain("apiKeySource");
    program.prompt("hello");
    expect(await program.next({ type: "result" })).toMatchObject({
      is_error: true,
      result: "Not logged in · Please run /login",
    });
  });
});
