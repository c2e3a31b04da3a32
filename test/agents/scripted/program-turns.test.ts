import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createScene, scripted } from "./program-driver.ts";
import type { Program, Scene } from "./program-driver.ts";

/** Turns of one living program, as the protocol shows them. */

let scene: Scene;
let program: Program;
const sessionId = randomUUID();

beforeAll(async () => {
  scene = await createScene();
  program = await scene.ready(sessionId);
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
});

describe("initialize", () => {
  it("tells account, commands, models and pid, once and again", async () => {
    program.request({ subtype: "initialize" }, "again");
    const answer = await program.next({ type: "control_response" });
    expect(answer["response"]).toMatchObject({
      subtype: "success",
      request_id: "again",
      response: {
        pid: program.pid,
        account: { apiKeySource: "scripted" },
        commands: expect.arrayContaining([expect.objectContaining({ name: "clear" })]),
        models: [expect.objectContaining({ value: "default" })],
        session_state: "idle",
      },
    });
  });

  it("answers a request it does not know with an error", async () => {
    program.request({ subtype: "no_such_thing" }, "unknown");
    const { response } = await program.next({ type: "control_response" });
    expect(response).toMatchObject({ subtype: "error", request_id: "unknown" });
  });
});

describe("a turn", () => {
  it("goes from queued to completed and is correlated by the prompt's uuid", async () => {
    const from = program.lines.length;
    const uuid = program.prompt(scripted({ text: "Hello.", usage: { used: 50_000 } }));
    await program.next({ type: "command_lifecycle", state: "completed" });
    const lines = program.lines.slice(from);
    expect(lines.map((line) => line.state ?? line.subtype ?? line.type)).toEqual([
      "queued",
      "started",
      "init",
      "assistant",
      "success",
      "completed",
    ]);
    expect(new Set(lines.map((line) => line.session_id))).toEqual(new Set([sessionId]));
    expect(lines.at(-2)).toMatchObject({
      is_error: false,
      terminal_reason: "completed",
      result: "Hello.",
      user_message_uuids: [uuid],
      modelUsage: { "scripted-demo": { contextWindow: 200_000 } },
    });
    program.request({ subtype: "get_context_usage" });
    const { response } = await program.next({ type: "control_response" });
    expect(response).toMatchObject({ response: { totalTokens: 50_000, percentage: 25 } });
  });

  it("says a text, runs a tool and answers in rows of one block each", async () => {
    const tool = { name: "Read", input: { file_path: "a.txt" }, result: "contents" };
    program.prompt(scripted({ say: "I look.", tools: [tool], text: "I have looked." }));
    const first = await program.next({ type: "assistant" });
    expect(first["message"]).toMatchObject({ content: [{ type: "text", text: "I look." }] });
    const second = await program.next({ type: "assistant" });
    expect(second["message"]).toMatchObject({ content: [{ type: "tool_use", name: "Read" }] });
    const { message } = await program.next({ type: "user" });
    expect(message).toMatchObject({ content: [{ type: "tool_result", content: "contents" }] });
    expect(await program.next({ type: "result" })).toMatchObject({
      result: "I have looked.",
      num_turns: 2,
    });
  });

  it.each([
    ["an error", { error: "no such luck" }, "no such luck", "api_error"],
    ["a context that is too large", { tooLarge: true }, "Prompt is too long", "prompt_too_long"],
  ])("reports %s as a success with is_error and lives on", async (_, step, text, reason) => {
    const uuid = program.prompt(scripted(step));
    expect(await program.next({ type: "result" })).toMatchObject({
      subtype: "success",
      is_error: true,
      result: text,
      terminal_reason: reason,
    });
    await program.next({ type: "command_lifecycle", command_uuid: uuid, state: "cancelled" });
    program.prompt(scripted({ text: "still here" }));
    expect(await program.next({ type: "result" })).toMatchObject({ result: "still here" });
  });

  it("merges prompts that come during a turn into one next turn", async () => {
    program.prompt(scripted({ delayMs: 200, text: "first" }));
    await program.next({ type: "system", subtype: "init" });
    const uuids = [program.prompt("second"), program.prompt(scripted({ text: "both" }))];
    expect(await program.next({ type: "result" })).toMatchObject({ result: "first" });
    expect(await program.next({ type: "result" })).toMatchObject({
      result: "both",
      user_message_uuids: uuids,
    });
  });

  it("takes the steps after the first of an inline script for the next prompts", async () => {
    program.prompt(scripted([{ text: "one" }, { text: "two" }]));
    expect(await program.next({ type: "result" })).toMatchObject({ result: "one" });
    program.prompt("next");
    expect(await program.next({ type: "result" })).toMatchObject({ result: "two" });
  });

  it("drops a second prompt with the same uuid without a word", async () => {
    const uuid = program.prompt(scripted({ text: "once" }));
    await program.next({ type: "command_lifecycle", command_uuid: uuid, state: "completed" });
    const before = program.lines.length;
    program.prompt("again", uuid);
    program.request({ subtype: "get_context_usage" });
    await program.next({ type: "control_response" });
    expect(program.lines).toHaveLength(before + 1);
  });

  it("says what is wrong with an inline script", async () => {
    program.prompt(scripted({ txet: "a typo" }));
    const result = await program.next({ type: "result" });
    expect(result["is_error"]).toBe(true);
    expect(result["result"]).toContain("txet");
  });

  it("writes garbage lines between good ones", async () => {
    program.prompt(scripted({ garbage: { bytes: 100_000 }, textBytes: 70_000 }));
    const result = await program.next({ type: "result" });
    expect(result["result"]).toHaveLength(70_000);
    expect(program.garbage.map((line) => line.length)).toEqual([100_000]);
  });
});

describe("a permission", () => {
  const approval = { name: "Write", input: { file_path: "x" }, result: "written" };

  it.each([
    [{ behavior: "allow", updatedInput: {} }, "written", 0],
    [{ behavior: "deny", message: "not now" }, "not now", 1],
  ])("is asked for, and %j decides", async (response, content, denials) => {
    program.prompt(scripted({ approval, text: "As you wish." }));
    const asked = await program.next({ type: "control_request" });
    expect(asked["request"]).toMatchObject({ subtype: "can_use_tool", tool_name: "Write" });
    program.answer("another request", { behavior: "allow" });
    program.answer(asked["request_id"], response);
    const { message } = await program.next({ type: "user" });
    expect(message).toMatchObject({ content: [{ type: "tool_result", content }] });
    const result = await program.next({ type: "result" });
    expect(result).toMatchObject({ result: "As you wish.", is_error: false });
    expect(result["permission_denials"]).toHaveLength(denials);
  });

  it("is withdrawn by an interrupt", async () => {
    program.prompt(scripted({ approval }));
    const asked = await program.next({ type: "control_request" });
    program.request({ subtype: "interrupt" });
    const withdrawn = await program.next({ type: "control_cancel_request" });
    expect(withdrawn["request_id"]).toBe(asked["request_id"]);
    await program.next({ type: "control_response" });
    expect(await program.next({ type: "result" })).toMatchObject({
      subtype: "error_during_execution",
      terminal_reason: "aborted_tools",
    });
  });
});

describe("an interrupt", () => {
  it("ends silence, and the next prompt is answered", async () => {
    const uuid = program.prompt(scripted({ silence: true }));
    await program.next({ type: "system", subtype: "init" });
    program.request({ subtype: "interrupt" });
    const result = await program.next({ type: "result" });
    expect(result).toMatchObject({
      is_error: true,
      terminal_reason: "aborted_streaming",
      user_message_uuids: [uuid],
    });
    expect(result).not.toHaveProperty("result");
    await program.next({ type: "command_lifecycle", command_uuid: uuid, state: "cancelled" });
    program.prompt(scripted({ text: "back" }));
    expect(await program.next({ type: "result" })).toMatchObject({ result: "back" });
  });

  it("leaves queued prompts alone unless it cancels them", async () => {
    program.prompt(scripted({ silence: true }));
    await program.next({ type: "system", subtype: "init" });
    const kept = program.prompt(scripted({ silence: true }));
    program.request({ subtype: "interrupt" });
    const { response } = await program.next({ type: "control_response" });
    expect(response).toMatchObject({ response: { still_queued: [kept] } });
    await program.next({ type: "command_lifecycle", command_uuid: kept, state: "started" });
    const dropped = program.prompt("never seen");
    program.request({ subtype: "interrupt", cancel_queued: true });
    await program.next({ type: "command_lifecycle", command_uuid: dropped, state: "cancelled" });
    await program.next({ type: "command_lifecycle", command_uuid: kept, state: "cancelled" });
  });

  it("does nothing while no turn runs", async () => {
    program.request({ subtype: "interrupt" });
    const { response } = await program.next({ type: "control_response" });
    expect(response).toMatchObject({ subtype: "success", response: { still_queued: [] } });
  });
});

describe("a background task", () => {
  it("begins a turn of its own when it ends", async () => {
    program.prompt(
      scripted({ background: { ms: 120, description: "build", text: "Built." }, text: "Started." }),
    );
    expect(await program.next({ type: "system", subtype: "task_started" })).toMatchObject({
      description: "build",
      is_backgrounded: true,
    });
    expect(await program.next({ type: "result" })).toMatchObject({ result: "Started." });
    await program.next({ type: "system", subtype: "task_notification" });
    const changed = await program.next({ type: "system", subtype: "background_tasks_changed" });
    expect(changed["tasks"]).toEqual([]);
    await program.next({ type: "system", subtype: "init" });
    const result = await program.next({ type: "result" });
    expect(result).toMatchObject({ result: "Built.", origin: { kind: "task-notification" } });
    expect(result).not.toHaveProperty("user_message_uuids");
  });
});

describe("a local command", () => {
  it("/cost is answered without a call of the model", async () => {
    program.prompt("/cost");
    const { message } = await program.next({ type: "assistant" });
    expect(message).toMatchObject({ model: "<synthetic>" });
    const result = await program.next({ type: "result" });
    expect(result).toMatchObject({ is_error: false, num_turns: 0 });
    expect(result["result"]).toContain("Usage:");
    expect(result).not.toHaveProperty("terminal_reason");
  });

  it("/clear goes on under another id, with nothing remembered", async () => {
    program.prompt("/clear");
    await program.next({ type: "conversation_reset", session_id: sessionId });
    const { session_id: id } = await program.next({ type: "result" });
    expect(id).not.toBe(sessionId);
    program.prompt("Who are you?");
    const result = await program.next({ type: "result" });
    expect(result["result"]).toContain("I have noted “Who are you?”");
    expect(result.session_id).toBe(id);
    expect(await scene.rows(id ?? "")).toHaveLength(2);
  });
});
