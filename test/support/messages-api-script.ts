import { z } from "zod";

const usageSchema = z.strictObject({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cache_read_input_tokens: z.number().optional(),
  cache_creation_input_tokens: z.number().optional(),
});

const stepSchema = z.strictObject({
  text: z.string().optional(),
  thinking: z.string().optional(),
  tools: z
    .array(z.strictObject({ name: z.string(), input: z.unknown(), id: z.string().optional() }))
    .optional(),
  /** Overrides of the reported token counts; the input is else a quarter of the request's size. */
  usage: usageSchema.optional(),
  /** Before the response's headers. */
  delayMs: z.number().optional(),
  /** Between two chunks of 24 characters. */
  chunkMs: z.number().optional(),
  /** An HTTP error; `error` is its type, `message` its text. */
  status: z.number().optional(),
  error: z.string().optional(),
  message: z.string().optional(),
  /** 400 `prompt is too long: N tokens > M maximum`. */
  tooLong: z.tuple([z.number(), z.number()]).optional(),
  /** Silence until `release()`: before the headers, after message_start, after the first chunk. */
  hang: z.enum(["headers", "start", "mid"]).optional(),
  /** Destroys the socket: at once, or after the first chunk. */
  reset: z.union([z.literal(true), z.literal("mid")]).optional(),
});

/** What one request of the CLI is answered with. */
export type Step = z.infer<typeof stepSchema>;

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional() });
const messageSchema = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(blockSchema)]),
});

/** The parts of a request that decide about its answer. */
export const requestSchema = z.looseObject({
  model: z.string().optional(),
  stream: z.boolean().optional(),
  messages: z.array(messageSchema).default([]),
  tools: z.array(z.unknown()).default([]),
});

export type ApiRequest = z.infer<typeof requestSchema>;

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

/** The last thing the user said, and how many assistant messages follow it. */
export function newestPrompt(request: ApiRequest): { text: string; answersAfter: number } {
  let answersAfter = 0;
  for (const message of request.messages.toReversed()) {
    if (message.role === "assistant") answersAfter += 1;
    if (message.role !== "user") continue;
    const blocks =
      typeof message.content === "string"
        ? [message.content]
        : message.content.map((block) => (block.type === "text" ? (block.text ?? "") : ""));
    // The CLI merges prompts that got no answer into one message: the last block is the newest.
    const text = blocks.map((block) => block.replace(REMINDER, "").trim()).findLast(Boolean);
    if (text) return { text, answersAfter };
  }
  return { text: "", answersAfter: 0 };
}

const OPENING = "[[fake:";

/**
 * The step an inline `[[fake: STEP or [STEP, …]]]` gives for this request; null without one.
 * Throws on a script that does not parse, so that a typo in a test is seen as an API error.
 */
export function inlineStep(request: ApiRequest): Step | null {
  const { text, answersAfter } = newestPrompt(request);
  const start = text.lastIndexOf(OPENING);
  if (start < 0) return null;
  const steps = z
    .union([stepSchema.transform((step) => [step]), z.array(stepSchema).min(1)])
    .parse(jsonBeforeBrackets(text.slice(start + OPENING.length)));
  return steps[Math.min(answersAfter, steps.length - 1)] ?? null;
}

/** A JSON array may itself end in brackets, so every `]]` is tried as the end. */
function jsonBeforeBrackets(text: string): unknown {
  for (let end = text.indexOf("]]"); end >= 0; end = text.indexOf("]]", end + 1)) {
    try {
      return JSON.parse(text.slice(0, end));
    } catch {
      continue;
    }
  }
  throw new Error(`[[fake: …]] holds no JSON: ${text.slice(0, 80)}`);
}
