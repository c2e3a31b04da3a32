import { usageOf, VERSION } from "./session.ts";
import type { World } from "./session.ts";

/** Lines as version 2.1.332 of the real agent writes them, as far as anybody reads them. */

export function initLine(world: World, uuids: readonly string[]): object {
  return {
    type: "system",
    subtype: "init",
    cwd: world.cwd,
    tools: ["Bash", "Read", "Write"],
    mcp_servers: [],
    model: world.model,
    permissionMode: world.permissionMode,
    slash_commands: ["clear", "cost"],
    apiKeySource: "none",
    claude_code_version: VERSION,
    output_style: "default",
    capabilities: ["interrupt_receipt_v1", "interrupt_cancel_queued_v1", "msg_lifecycle_v1"],
    ...(uuids.length === 0 ? {} : { user_message_uuids: uuids }),
  };
}

export function lifecycleLine(uuid: string, state: string): object {
  return { type: "command_lifecycle", command_uuid: uuid, state };
}

export type Block =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: object;
    };

export function assistantMessage(
  world: World,
  options: {
    readonly id: string;
    readonly block: Block;
    readonly used: number;
    readonly stopReason: string | null;
  },
): object {
  return {
    id: options.id,
    type: "message",
    role: "assistant",
    model: world.model,
    content: [options.block],
    stop_reason: options.stopReason,
    stop_sequence: null,
    // On the wire and in the transcript: the count at the message's start.
    usage: usageOf(options.used, 1),
  };
}

/** What the agent itself says in the model's place: errors and local commands. */
export function syntheticMessage(id: string, text: string): object {
  return {
    id,
    type: "message",
    role: "assistant",
    model: "<synthetic>",
    content: [{ type: "text", text }],
    stop_reason: "stop_sequence",
    stop_sequence: "",
    usage: usageOf(0, 0),
  };
}

export function toolResultMessage(toolUseId: string, content: string, isError: boolean): object {
  const block = { tool_use_id: toolUseId, type: "tool_result", content, is_error: isError };
  return { role: "user", content: [block] };
}

export interface ResultParts {
  readonly uuids: readonly string[];
  readonly isError: boolean;
  /** Null for local commands, which have none. */
  readonly terminalReason: string | null;
  readonly numTurns: number;
  /** The answer or the error's text; null where the turn was interrupted. */
  readonly text: string | null;
  readonly apiErrorStatus: number | null;
  /** Tokens of all calls of the turn. */
  readonly used: number;
  readonly outputTokens: number;
  readonly denials: readonly object[];
  readonly durationMs: number;
  readonly origin: object | null;
  readonly localCommand: string | null;
}

/** Failures of the API come as `success` with `is_error`; only interrupts have another subtype. */
export function resultLine(world: World, parts: ResultParts): object {
  const { session } = world;
  const usage = {
    inputTokens: session.inputTokens,
    outputTokens: session.outputTokens,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    costUSD: 0,
    contextWindow: session.window,
    maxOutputTokens: 32_000,
  };
  return {
    duration_api_ms: parts.durationMs,
    stop_reason: parts.terminalReason === "completed" ? "end_turn" : null,
    total_cost_usd: 0,
    usage: usageOf(parts.used, parts.outputTokens),
    modelUsage: session.turns === 0 ? {} : { [world.model]: usage },
    permission_denials: parts.denials,
    ...(parts.terminalReason === null ? {} : { terminal_reason: parts.terminalReason }),
    ...(parts.origin === null ? {} : { origin: parts.origin }),
    is_error: parts.isError,
    num_turns: parts.numTurns,
    ...(parts.text === null
      ? { subtype: "error_during_execution", errors: ["interrupted"] }
      : { subtype: "success", api_error_status: parts.apiErrorStatus, result: parts.text }),
    ...(parts.localCommand === null ? {} : { local_command: parts.localCommand }),
    type: "result",
    duration_ms: parts.durationMs,
    ...(parts.uuids.length === 0
      ? {}
      : { user_message_uuid: parts.uuids[0], user_message_uuids: parts.uuids }),
    queued_turn_count: 0,
    result_index: session.turns,
  };
}

/** A resume that failed: the one line that is said in place of an answer to `initialize`. */
export function refusalLine(sessionId: string, error: string): object {
  return {
    type: "result",
    subtype: "error_during_execution",
    duration_ms: 0,
    duration_api_ms: 0,
    is_error: true,
    num_turns: 0,
    stop_reason: null,
    session_id: sessionId,
    total_cost_usd: 0,
    usage: usageOf(0, 0),
    modelUsage: {},
    permission_denials: [],
    errors: [error],
  };
}

export function initializeResponse(world: World): object {
  return {
    commands: [
      { name: "clear", description: "Start over with an empty context", argumentHint: "" },
      { name: "cost", description: "Show what the session has used", argumentHint: "" },
    ],
    agents: [],
    output_style: "default",
    available_output_styles: ["default"],
    models: [{ value: "default", resolvedModel: world.model, displayName: world.model }],
    // The real agent says "none" with an API key as well: the key's source is what tells.
    account: {
      tokenSource: "none",
      ...(world.loggedIn ? { apiKeySource: "scripted" } : {}),
      apiProvider: "firstParty",
    },
    pid: world.pid,
    claude_code_version: VERSION,
    current_permission_mode: world.permissionMode,
    session_state: "idle",
    capabilities: [],
  };
}

export function contextUsageResponse(world: World): object {
  const { window, memory } = world.session;
  const { used } = memory;
  return {
    categories: [],
    totalTokens: used ?? 0,
    maxTokens: window,
    rawMaxTokens: window,
    percentage: Math.round((100 * (used ?? 0)) / window),
    model: world.model,
    apiUsage: used === null ? null : usageOf(used, 1),
  };
}
