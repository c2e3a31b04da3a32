import type { ContextSize, TurnOutcome, TurnUsage } from "../../../machines/vocabulary.ts";
import type { WireBlock, WireResult, WireUsage } from "./protocol.ts";

const SUMMARY_MAX = 200;
/** Fields that say best what a tool is asked to do, in this order. */
const TELLING = [
  "command",
  "file_path",
  "path",
  "pattern",
  "url",
  "query",
  "description",
  "prompt",
];

/** Short form of a tool's input: a path, a command; one line, at most 200 characters. */
export function summarizeInput(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const fields = new Map<string, unknown>(Object.entries(input));
  const telling = TELLING.map((name) => fields.get(name)).find(
    (value) => typeof value === "string",
  );
  const text = typeof telling === "string" ? telling : fields.size > 0 ? JSON.stringify(input) : "";
  const line = text
    .slice(0, 4 * SUMMARY_MAX)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > SUMMARY_MAX ? `${line.slice(0, SUMMARY_MAX - 1)}…` : line;
}

/** An API call that did not happen: error texts and the output of local commands. */
const SYNTHETIC = "<synthetic>";

export function isRealModel(model: string | undefined): model is string {
  return model !== undefined && model !== SYNTHETIC;
}

export function textOf(content: readonly WireBlock[]): string {
  return content
    .filter((block) => block.type === "text")
    .map((block) => block.text ?? "")
    .join("");
}

const TOO_LARGE = "Prompt is too long";

/**
 * `subtype` says nothing: API failures come as `success` with `is_error`.
 * `real`: the turn had a main-thread assistant row that is not synthetic.
 */
export function outcomeOf(result: WireResult, real: boolean): TurnOutcome {
  const reason = result.terminal_reason ?? "";
  if (reason === "prompt_too_long") return "too-large";
  if (result.is_error && result.result?.startsWith(TOO_LARGE) === true) return "too-large";
  if (reason.startsWith("aborted_")) return "interrupted";
  if (result.is_error) return "failed";
  return result.num_turns === 0 || !real ? "local" : "completed";
}

/** All tokens a call had as its input: the main thread's context. */
export function contextTokens(usage: WireUsage): number {
  return (
    (usage.input_tokens ?? 0) +
    (usage.cache_read_input_tokens ?? 0) +
    (usage.cache_creation_input_tokens ?? 0)
  );
}

/** Some versions add a suffix (`[1m]`) to a model's name in some places. */
export function baseModel(model: string): string {
  return model.replace(/\[.*\]$/, "");
}

/** Windows by model, from a result. */
export function windowsOf(result: WireResult): ReadonlyMap<string, number> {
  return new Map(
    Object.entries(result.modelUsage ?? {}).flatMap(([model, { contextWindow }]) =>
      contextWindow ? [[baseModel(model), contextWindow] as const] : [],
    ),
  );
}

export function contextSize(
  used: number | null,
  model: string | null,
  windows: ReadonlyMap<string, number>,
): ContextSize | null {
  const window = model === null ? undefined : windows.get(baseModel(model));
  return used === null || used === 0 || window === undefined ? null : { used, window };
}

/**
 * Sums over the turn. The agent's cost is the process's so far, hence the
 * difference; null while the sum before it is not known (after a resume).
 */
export function usageOf(result: WireResult, costBefore: number | null): TurnUsage | null {
  const { usage, total_cost_usd: cost } = result;
  if (!usage) return null;
  return {
    inputTokens: contextTokens(usage),
    outputTokens: usage.output_tokens ?? 0,
    // A `/clear` starts the sum again.
    costUsd:
      cost === undefined || costBefore === null
        ? null
        : cost < costBefore
          ? cost
          : cost - costBefore,
    durationMs: result.duration_ms ?? null,
  };
}
