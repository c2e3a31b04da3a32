import { z } from "zod";

const milliseconds = z.number().nonnegative();

const toolSchema = z.strictObject({
  name: z.string().default("Bash"),
  input: z.record(z.string(), z.unknown()).default({}),
  /** A child process lives that long; 0 ends at once, without one. */
  durationMs: milliseconds.default(0),
  /** What the tool gives back. */
  result: z.string().default("done"),
});
export type ScriptedTool = z.infer<typeof toolSchema>;

const CRASH_POINTS = [
  "before-accept",
  "after-accept",
  "mid-tool",
  "after-answer-before-result",
] as const;

const stepSchema = z
  .strictObject({
    /** Before anything else of the turn is done. */
    delayMs: milliseconds.default(0),
    /** A text before the first tool. */
    say: z.string().optional(),
    tools: z.array(toolSchema).default([]),
    /** A tool that asks for a permission first; the answer decides whether it runs. */
    approval: toolSchema.optional(),
    /** Starts a task that ends after `ms` and then begins a turn of its own. */
    background: z
      .strictObject({
        ms: milliseconds,
        description: z.string().default("a task"),
        text: z.string().default("The task in the background has ended."),
      })
      .optional(),
    /** The answer; the companion's own without it. */
    text: z.string().optional(),
    /** An answer of that many bytes instead, for lines that are too long. */
    textBytes: z.int().positive().optional(),
    /** The turn fails with this text. */
    error: z.string().optional(),
    /** The turn fails because the context is too large. */
    tooLarge: z.literal(true).optional(),
    /** Accepts the prompt and says nothing until it is interrupted. */
    silence: z.literal(true).optional(),
    /** The same, and no request or end of input is heard either; `SIGTERM` still ends it. */
    deaf: z.literal(true).optional(),
    /** Kills its own process with SIGKILL. */
    crash: z.enum(CRASH_POINTS).optional(),
    /** A line that is no JSON, of that many bytes where given, before the answer. */
    garbage: z.union([z.literal(true), z.strictObject({ bytes: z.int().positive() })]).optional(),
    /** Tokens of the context after the turn, and the model's window. */
    usage: z
      .strictObject({ used: z.int().positive(), window: z.int().positive().default(200_000) })
      .optional(),
  })
  .refine((step) => step.crash !== "mid-tool" || step.tools.length > 0 || step.approval, {
    message: 'crash "mid-tool" needs a tool',
  });

/** How one turn goes. */
export type Step = z.infer<typeof stepSchema>;

const startSchema = z.strictObject({
  /**
   * - refuse: as if the session were not there
   * - exit: an error on stderr and code 1, before any answer
   * - hang: nothing is ever answered
   * - slow: the start takes `ms`
   * - garbage: lines that are no JSON before the first answer
   * - not-logged-in: starts, and every turn fails
   */
  start: z.enum(["refuse", "exit", "hang", "slow", "garbage", "not-logged-in"]),
  ms: milliseconds.default(1_500),
});
export type Start = z.infer<typeof startSchema>;

/** What one process plays: how it starts, then one step a turn. */
export interface Script {
  readonly start: Start | null;
  readonly steps: readonly Step[];
}

export class ScriptError extends Error {
  override name = "ScriptError";
}

export const PLAIN_STEP: Step = stepSchema.parse({});

const itemsSchema = z.array(z.record(z.string(), z.unknown()));
const scriptSchema = z.union([
  itemsSchema,
  z.strictObject({ fresh: itemsSchema.default([]), resumed: itemsSchema.default([]) }),
]);

/**
 * Reads a script: a list of steps with at most one `{"start": …}` among them,
 * or `{"fresh": […], "resumed": […]}` where new and resumed sessions differ.
 * Throws a ScriptError that names the entry and what is wrong with it.
 */
export function parseScript(text: string, resumed: boolean): Script {
  const value = scriptSchema.safeParse(parseJson(text));
  if (!value.success) {
    throw new ScriptError("expected a list of steps, or {fresh: [steps], resumed: [steps]}");
  }
  const items = Array.isArray(value.data) ? value.data : value.data[resumed ? "resumed" : "fresh"];
  const starts = items.flatMap((item, index) =>
    "start" in item ? [parseAs(startSchema, item, `entry ${index + 1}`)] : [],
  );
  const steps = items.flatMap((item, index) =>
    "start" in item ? [] : [parseAs(stepSchema, item, `entry ${index + 1}`)],
  );
  return { start: starts[0] ?? null, steps };
}

const INLINE = "[[script:";

/**
 * The steps in `[[script: STEP or [STEP, …]]]`: the first is for this prompt,
 * the others for the next ones; null where the text holds none. Throws a ScriptError.
 */
export function inlineSteps(text: string): readonly Step[] | null {
  const start = text.lastIndexOf(INLINE);
  if (start < 0) return null;
  const value = jsonBeforeBrackets(text.slice(start + INLINE.length));
  const items = Array.isArray(value) ? value : [value];
  return items.map((item, index) => parseAs(stepSchema, item, `step ${index + 1}`));
}

/** What the user said, without the stage directions. */
export function withoutScript(text: string): string {
  const start = text.lastIndexOf(INLINE);
  return (start < 0 ? text : text.slice(0, start)).trim();
}

/** A list of steps ends in a bracket itself, so every `]]` is tried as the end. */
function jsonBeforeBrackets(text: string): unknown {
  for (let end = text.indexOf("]]"); end >= 0; end = text.indexOf("]]", end + 1)) {
    try {
      return JSON.parse(text.slice(0, end));
    } catch {
      continue;
    }
  }
  throw new ScriptError("[[script: …]] holds no JSON that ends before ]]");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ScriptError(`it is not JSON: ${String(cause)}`, { cause });
  }
}

function parseAs<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ScriptError(`${where}: ${z.prettifyError(parsed.error)}`, { cause: parsed.error });
}
