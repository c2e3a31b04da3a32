import { z } from "zod";
import type { ImageBlock } from "./images.ts";
import type { ApprovalDecision } from "../../../machines/vocabulary.ts";

/**
 * The lines of the stream-json protocol that are used, as far as they are
 * used: unknown fields and types pass, so that another version of the agent
 * does not break on an addition.
 */

const count = z.number().nonnegative();

const usageSchema = z.object({
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  cache_read_input_tokens: count.nullish(),
  cache_creation_input_tokens: count.nullish(),
});
export type WireUsage = z.infer<typeof usageSchema>;

const blockSchema = z.object({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
});
export type WireBlock = z.infer<typeof blockSchema>;

/** A message's content is a text or a list of blocks; a text counts as one block. */
export const contentSchema = z.union([
  z.string().transform((text): WireBlock[] => [{ type: "text", text }]),
  z.array(blockSchema),
]);

const assistantSchema = z.object({
  type: z.literal("assistant"),
  message: z.object({
    id: z.string().optional(),
    model: z.string().optional(),
    content: contentSchema,
    usage: usageSchema.nullish(),
  }),
  parent_tool_use_id: z.string().nullish(),
  /** Of a command that the agent carries out without its model. */
  local_command_run: z.object({ command: z.string().optional() }).nullish(),
  local_command_outcome: z.object({ kind: z.string().optional() }).nullish(),
});

const userSchema = z.object({
  type: z.literal("user"),
  message: z.object({ content: contentSchema }),
  parent_tool_use_id: z.string().nullish(),
  /** Output of a local command comes as a replay. */
  isReplay: z.boolean().optional(),
});

const systemSchema = z.object({
  type: z.literal("system"),
  subtype: z.string(),
  session_id: z.string().optional(),
  model: z.string().optional(),
  capabilities: z.array(z.string()).optional(),
  status: z.string().nullish(),
  compact_result: z.string().optional(),
  compact_error: z.string().optional(),
  compact_metadata: z
    .object({ post_tokens: count.optional(), trigger: z.string().optional() })
    .optional(),
  task_id: z.string().optional(),
  is_backgrounded: z.boolean().optional(),
  summary: z.string().optional(),
  patch: z.object({ status: z.string().optional() }).optional(),
  tasks: z.array(z.object({ task_id: z.string() })).optional(),
});
export type WireSystem = z.infer<typeof systemSchema>;

const resultSchema = z.object({
  type: z.literal("result"),
  is_error: z.boolean(),
  num_turns: count.optional(),
  result: z.string().optional(),
  errors: z.array(z.string()).optional(),
  terminal_reason: z.string().nullish(),
  user_message_uuids: z.array(z.string()).optional(),
  origin: z.object({ kind: z.string().optional() }).nullish(),
  total_cost_usd: z.number().optional(),
  duration_ms: z.number().optional(),
  usage: usageSchema.nullish(),
  modelUsage: z.record(z.string(), z.object({ contextWindow: count.optional() })).optional(),
});
export type WireResult = z.infer<typeof resultSchema>;

const lifecycleSchema = z.object({
  type: z.literal("command_lifecycle"),
  command_uuid: z.string(),
  state: z.string(),
});

const controlRequestSchema = z.object({
  type: z.literal("control_request"),
  request_id: z.string(),
  request: z.object({
    subtype: z.string(),
    tool_name: z.string().optional(),
    tool_use_id: z.string().optional(),
    input: z.unknown().optional(),
    permission_suggestions: z.array(z.unknown()).optional(),
  }),
});

/** Only with `--include-partial-messages`: how a message grows. */
const streamSchema = z.object({
  type: z.literal("stream_event"),
  parent_tool_use_id: z.string().nullish(),
  event: z.object({
    type: z.string(),
    content_block: z.object({ type: z.string() }).optional(),
    delta: z.object({ type: z.string().optional(), text: z.string().optional() }).optional(),
  }),
});

const controlCancelSchema = z.object({
  type: z.literal("control_cancel_request"),
  request_id: z.string(),
});

const controlResponseSchema = z.object({
  type: z.literal("control_response"),
  response: z.object({
    subtype: z.string(),
    request_id: z.string(),
    response: z.unknown().optional(),
    error: z.string().optional(),
  }),
});

const resetSchema = z.object({ type: z.literal("conversation_reset") });

const lineSchema = z.discriminatedUnion("type", [
  assistantSchema,
  userSchema,
  systemSchema,
  resultSchema,
  lifecycleSchema,
  controlRequestSchema,
  controlCancelSchema,
  controlResponseSchema,
  resetSchema,
  streamSchema,
]);
export type WireLine = z.infer<typeof lineSchema>;

const KNOWN: ReadonlySet<string> = new Set(
  lineSchema.options.map((option) => option.shape.type.value),
);

export type Decoded =
  | { readonly kind: "line"; readonly line: WireLine }
  /** A type that is not used. */
  | { readonly kind: "other" }
  | { readonly kind: "malformed"; readonly detail: string };

export function decodeLine(text: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: "malformed", detail: "not JSON" };
  }
  const head = z.object({ type: z.string() }).safeParse(value);
  if (!head.success) return { kind: "malformed", detail: "no type" };
  if (!KNOWN.has(head.data.type)) return { kind: "other" };
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return { kind: "line", line: parsed.data };
  return { kind: "malformed", detail: `${head.data.type}: ${z.prettifyError(parsed.error)}` };
}

/** The part of the answer to `initialize` that tells whether the agent can log in. */
export const initializeSchema = z.object({
  account: z
    .object({
      tokenSource: z.string().nullish(),
      apiKeySource: z.string().nullish(),
      apiProvider: z.string().nullish(),
    })
    .nullish(),
});

/** The answer to `get_context_usage`: all of the context, the system prompt and tools included. */
export const contextUsageSchema = z.object({
  totalTokens: count,
  maxTokens: z.number().positive(),
  model: z.string().optional(),
});

// ── What is written to the agent ─────────────────────────────────────────────

export function promptLine(uuid: string, text: string, images: readonly ImageBlock[] = []): object {
  const content = images.length === 0 ? text : [...images, { type: "text", text }];
  return { type: "user", message: { role: "user", content }, uuid };
}

export function controlRequestLine(requestId: string, request: object): object {
  return { type: "control_request", request_id: requestId, request };
}

/** `input` goes back as it came: older versions want it with every permission. */
export function decisionLine(
  requestId: string,
  decision: ApprovalDecision,
  { input, suggestions }: { readonly input: unknown; readonly suggestions: readonly unknown[] },
): object {
  const answers = decision.allow ? decision.answers : {};
  const response = decision.allow
    ? {
        behavior: "allow",
        updatedInput: {
          ...(typeof input === "object" ? input : {}),
          ...(Object.keys(answers).length === 0 ? {} : { answers }),
        },
        ...(decision.always ? { updatedPermissions: suggestions } : {}),
      }
    : { behavior: "deny", message: decision.reason };
  return {
    type: "control_response",
    response: { subtype: "success", request_id: requestId, response },
  };
}

/** Said to a request nobody here can answer, so that the agent does not wait for ever. */
export function declineLine(requestId: string, subtype: string): object {
  const error = `${subtype} is not supported by this client`;
  return { type: "control_response", response: { subtype: "error", request_id: requestId, error } };
}
