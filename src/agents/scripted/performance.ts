import type { ScriptedTool } from "./script.ts";
import { estimateTokens, record, say } from "./session.ts";
import type { World } from "./session.ts";
import type { Ending, Progress, Stage, Turn } from "./turn.ts";
import { assistantMessage, syntheticMessage, toolResultMessage } from "./wire.ts";
import type { Block } from "./wire.ts";

/** Says one block of an answer and writes it down, each as a row of its own. */
export function sayBlock(
  world: World,
  turn: Turn,
  progress: Progress,
  block: Block,
  stopReason: string,
  id = `msg_${world.newId()}`,
): void {
  const { session } = world;
  progress.used = turn.step.usage?.used ?? estimateTokens(session);
  session.window = turn.step.usage?.window ?? session.window;
  const message = (stop: string | null): object =>
    assistantMessage(world, { id, block, used: progress.used, stopReason: stop });
  const uuids = turn.prompts.map((prompt) => prompt.uuid);
  if (world.partials && block.type === "text") {
    for (const event of growing(block.text)) {
      say(world, { type: "stream_event", event, parent_tool_use_id: null });
    }
  }
  const said = { type: "assistant", message: message(null), parent_tool_use_id: null };
  say(world, uuids.length === 0 ? said : { ...said, user_message_uuids: uuids });
  record(world, { type: "assistant", message: message(stopReason) });
  for (const uuid of uuids) session.memory.answered.add(uuid);
  if (progress.messageId !== id) progress.calls += 1;
  progress.messageId = id;
}

/** A text as it grows, in two halves. */
function growing(text: string): readonly object[] {
  const half = Math.ceil(text.length / 2);
  const delta = (part: string) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "text_delta", text: part },
  });
  return [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    delta(text.slice(0, half)),
    delta(text.slice(half)),
    { type: "content_block_stop", index: 0 },
  ];
}

export function beginTool(
  stage: Stage,
  turn: Turn,
  progress: Progress,
  tool: { readonly name: string; readonly input: object },
): string {
  const { world } = stage;
  const messageId = `msg_${world.newId()}`;
  const { say: text } = turn.step;
  if (text !== undefined && !progress.said) {
    progress.said = true;
    sayBlock(world, turn, progress, { type: "text", text }, "tool_use", messageId);
  }
  const id = `toolu_${world.newId()}`;
  sayBlock(world, turn, progress, { type: "tool_use", id, ...tool }, "tool_use", messageId);
  progress.tool = id;
  return id;
}

export function endTool(
  world: World,
  progress: Progress,
  id: string,
  content: string,
  isError: boolean,
): void {
  const message = toolResultMessage(id, content, isError);
  const result = isError ? `Error: ${content}` : { stdout: content, stderr: "" };
  say(world, { type: "user", message, parent_tool_use_id: null, tool_use_result: result });
  record(world, { type: "user", message, toolUseResult: result });
  progress.tool = null;
}

/** Runs a tool, after a permission where one is asked for; gives the reason of a denial. */
export async function useTool(
  stage: Stage,
  turn: Turn,
  progress: Progress,
  tool: ScriptedTool,
  ask: boolean,
): Promise<string | null> {
  const { world } = stage;
  const { name, input } = tool;
  const id = beginTool(stage, turn, progress, { name, input });
  if (ask) {
    const decision = await stage.approvals.ask({ name, input, id }, turn.signal);
    if (!decision.allow) {
      progress.denials.push({ tool_name: name, tool_use_id: id, tool_input: input });
      endTool(world, progress, id, decision.reason, true);
      return decision.reason;
    }
  }
  if (tool.durationMs > 0) {
    const child = stage.children.start(tool.durationMs);
    if (turn.step.crash === "mid-tool") await stage.die();
    await unlessAborted(turn.signal, child.gone).finally(() => {
      child.kill();
    });
  }
  if (turn.step.crash === "mid-tool") await stage.die();
  endTool(world, progress, id, tool.result, false);
  return null;
}

export function fail(
  world: World,
  text: string,
  terminalReason: string,
  apiErrorStatus: number,
): Ending {
  const message = syntheticMessage(world.newId(), text);
  const error = { is_api_error_message: true, api_error_status: apiErrorStatus };
  say(world, { type: "assistant", message, parent_tool_use_id: null, ...error });
  record(world, { type: "assistant", message, isApiErrorMessage: true });
  return { isError: true, terminalReason, text, apiErrorStatus };
}

export function interrupted(world: World, progress: Progress): Ending {
  const duringTool = progress.tool !== null;
  if (progress.tool !== null) {
    endTool(
      world,
      progress,
      progress.tool,
      "The user doesn't want to proceed with this tool use.",
      true,
    );
  }
  const text = `[Request interrupted by user${duringTool ? " for tool use" : ""}]`;
  const message = { role: "user", content: [{ type: "text", text }] };
  say(world, { type: "user", message, parent_tool_use_id: null });
  record(world, { type: "user", message });
  const terminalReason = duringTool ? "aborted_tools" : "aborted_streaming";
  return { isError: true, terminalReason, text: null, apiErrorStatus: null };
}

/** The work's outcome, or the signal's reason as soon as it aborts. */
export function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    void work.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", abort);
    });
  });
}
