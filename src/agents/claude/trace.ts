import { createReadStream } from "node:fs";
import { z } from "zod";
import type { ContextSize, PromptTrace } from "../../../machines/vocabulary.ts";
import { createLineSplitter } from "./lines.ts";
import { contentSchema } from "./protocol.ts";
import type { WireUsage } from "./protocol.ts";
import { parseSelfReport } from "./self-report.ts";
import { contextTokens, isRealModel, textOf } from "./turn.ts";

/** Longer rows are passed over. A prompt of 2 MB makes a row of about the same size. */
const ROW_MAX_BYTES = 33_554_432;

const rowSchema = z.object({
  type: z.string(),
  uuid: z.string(),
  parentUuid: z.string().nullish(),
  /** A compaction cuts the chain and names here what came before it. */
  logicalParentUuid: z.string().nullish(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  isCompactSummary: z.boolean().optional(),
  attachment: z.object({ type: z.string(), source_uuid: z.string().optional() }).optional(),
  message: z
    .object({
      id: z.string().optional(),
      model: z.string().optional(),
      stop_reason: z.string().nullish(),
      content: contentSchema,
      usage: z
        .object({
          input_tokens: z.number().optional(),
          cache_read_input_tokens: z.number().nullish(),
          cache_creation_input_tokens: z.number().nullish(),
        })
        .nullish(),
    })
    .optional(),
});
type Row = z.infer<typeof rowSchema>;
type Message = NonNullable<Row["message"]>;

const FINAL: ReadonlySet<string> = new Set(["end_turn", "stop_sequence", "max_tokens"]);

interface Follower {
  add(row: Row): void;
  trace(): PromptTrace;
  readonly found: boolean;
}

export interface TraceOptions {
  readonly transcript: string;
  readonly uuid: string;
  /** A transcript holds no context windows: what is known about the model's. */
  readonly contextOf: (model: string, used: number) => ContextSize | null;
  readonly onUnreadable: (detail: string) => void;
}

/**
 * What a transcript says about one prompt, read as a stream. A missing file
 * knows no prompt; a file that cannot be read counts as cut short, so that
 * nothing is run twice on its word.
 */
export async function tracePrompt(options: TraceOptions): Promise<PromptTrace> {
  const follower = createFollower(options);
  let skipped = 0;
  const splitter = createLineSplitter(
    ROW_MAX_BYTES,
    (line) => {
      const row = readRow(line);
      if (row !== null) follower.add(row);
    },
    () => {
      skipped += 1;
    },
  );
  try {
    for await (const chunk of createReadStream(options.transcript)) {
      splitter.push(chunk as Buffer);
    }
    splitter.end();
  } catch (error) {
    const failure = error as NodeJS.ErrnoException;
    if (failure.code === "ENOENT" || failure.code === "ENOTDIR") return { found: "absent" };
    options.onUnreadable(failure.message);
    return { found: "unfinished", toolsRan: true };
  }
  if (!follower.found && skipped > 0) {
    options.onUnreadable(`${skipped} rows are too long`);
    return { found: "unfinished", toolsRan: true };
  }
  return follower.trace();
}

/** Whether an answer of the agent's stands in a transcript, so that there is something to resume. */
export async function holdsAnswer(transcript: string): Promise<boolean> {
  let held = false;
  const splitter = createLineSplitter(
    ROW_MAX_BYTES,
    (line) => {
      const row = held ? null : readRow(line);
      held ||= row?.type === "assistant" && row.isSidechain !== true && row.message !== undefined;
    },
    () => undefined,
  );
  try {
    for await (const chunk of createReadStream(transcript)) {
      splitter.push(chunk as Buffer);
      if (held) return true;
    }
    splitter.end();
  } catch {
    return false;
  }
  return held;
}

/** Rows outside the conversation (requests, queue, costs) have no parent and are most of the bytes. */
function readRow(line: string): Row | null {
  if (!line.includes('"parentUuid"')) return null;
  try {
    return rowSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // A crash leaves half a row at the end; the agent's own resume passes over it too.
    return null;
  }
}

function createFollower(options: TraceOptions): Follower {
  const members = new Set<string>();
  let toolsRan = false;
  let last: { message: Message; texts: string[] } | null = null;

  function answer(message: Message): void {
    if (message.content.some((block) => block.type === "tool_use")) toolsRan = true;
    if (!isRealModel(message.model)) return;
    // One row holds one block of the message.
    const same = last !== null && message.id !== undefined && last.message.id === message.id;
    const texts = same && last !== null ? last.texts : [];
    const text = textOf(message.content);
    last = { message, texts: text === "" ? texts : [...texts, text] };
  }

  return {
    get found() {
      return members.size > 0;
    },
    add(row) {
      if (isPromptOf(row, options.uuid)) return void members.add(row.uuid);
      const follows = members.has(row.parentUuid ?? "") || members.has(row.logicalParentUuid ?? "");
      // Another prompt's turn descends from this one's, and is not part of it.
      if (!follows || row.isSidechain === true || startsAnotherTurn(row)) return;
      members.add(row.uuid);
      if (row.type === "assistant" && row.message) answer(row.message);
    },
    trace() {
      if (members.size === 0) return { found: "absent" };
      if (last === null || !FINAL.has(last.message.stop_reason ?? "")) {
        return { found: "unfinished", toolsRan };
      }
      const { text } = parseSelfReport(last.texts.join("\n\n"));
      return { found: "finished", text, context: sizeOf(last.message, options.contextOf) };
    },
  };
}

/** A prompt that was folded into a running turn is an attachment there, with its uuid as source. */
function isPromptOf(row: Row, uuid: string): boolean {
  return row.type === "user" ? row.uuid === uuid : row.attachment?.source_uuid === uuid;
}

/** A user row that is neither a tool's result nor the agent's own: a prompt, a task's end, an interrupt. */
function startsAnotherTurn(row: Row): boolean {
  if (row.type !== "user" || row.isMeta === true || row.isCompactSummary === true) return false;
  return !(row.message?.content ?? []).some((block) => block.type === "tool_result");
}

function sizeOf(message: Message, contextOf: TraceOptions["contextOf"]): ContextSize | null {
  const usage: WireUsage | null | undefined = message.usage;
  return usage && message.model ? contextOf(message.model, contextTokens(usage)) : null;
}
