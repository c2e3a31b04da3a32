import type { ContextSize, PromptTrace } from "../../../machines/vocabulary.ts";
import type { WireUsage } from "./protocol.ts";
import { isPromptOf, readRows, type Row } from "./rows.ts";
import { parseSelfReport } from "./self-report.ts";
import { contextTokens, isRealModel, textOf } from "./turn.ts";

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
  try {
    skipped = await readRows(options.transcript, (row) => {
      follower.add(row);
      return false;
    });
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
  const isAnswer = (row: Row) =>
    row.type === "assistant" && row.isSidechain !== true && row.message !== undefined;
  try {
    await readRows(transcript, (row) => (held ||= isAnswer(row)));
  } catch {
    return false;
  }
  return held;
}

/**
 * Whether a conversation lacks one of these prompts. What cannot be read whole
 * is not said to lack anything, nor what holds none at all: that is no resume.
 */
export async function lacksPrompt(transcript: string, uuids: readonly string[]): Promise<boolean> {
  const sought = new Set(uuids);
  let isConversation = false;
  try {
    const skipped = await readRows(
      transcript,
      (row) => {
        isConversation = true;
        for (const uuid of sought) if (isPromptOf(row, uuid)) sought.delete(uuid);
        return sought.size === 0;
      },
      // One row of any kind, and then only those that may be the sought ones.
      (line) => !isConversation || uuids.some((uuid) => line.includes(uuid)),
    );
    return isConversation && skipped === 0 && sought.size > 0;
  } catch {
    return false;
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

/** A user row that is neither a tool's result nor the agent's own: a prompt, a task's end, an interrupt. */
function startsAnotherTurn(row: Row): boolean {
  if (row.type !== "user" || row.isMeta === true || row.isCompactSummary === true) return false;
  return !(row.message?.content ?? []).some((block) => block.type === "tool_result");
}

function sizeOf(message: Message, contextOf: TraceOptions["contextOf"]): ContextSize | null {
  const usage: WireUsage | null | undefined = message.usage;
  return usage && message.model ? contextOf(message.model, contextTokens(usage)) : null;
}
