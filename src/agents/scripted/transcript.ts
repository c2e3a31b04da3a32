import {
  appendFileSync,
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { transcriptPath } from "../claude/transcript.ts";
import type { Said } from "./companion.ts";
import { withoutScript } from "./script.ts";

const blockSchema = z.looseObject({ type: z.string(), text: z.string().optional() });

const rowSchema = z.object({
  type: z.string(),
  uuid: z.string(),
  parentUuid: z.string().nullish(),
  isSidechain: z.boolean().optional(),
  isMeta: z.boolean().optional(),
  /** Set where the row begins a turn that nobody asked for. */
  origin: z.unknown().optional(),
  message: z
    .object({
      model: z.string().optional(),
      content: z.union([z.string(), z.array(blockSchema)]),
      usage: z
        .object({ input_tokens: z.number(), cache_read_input_tokens: z.number().nullish() })
        .nullish(),
    })
    .optional(),
});
type Row = z.infer<typeof rowSchema>;

/** What is known of a session: from its transcript, and then as it goes on. */
export interface Memory {
  /** Uuid of the last row. */
  leaf: string | null;
  /** Tokens of the context at the last answer; null without one. */
  used: number | null;
  readonly said: Said[];
  /** Prompts that are in the transcript. */
  readonly prompts: Set<string>;
  /** Those of them with at least one whole row of an answer: the agent does not run these again. */
  readonly answered: Set<string>;
}

export function emptyMemory(): Memory {
  return { leaf: null, used: null, said: [], prompts: new Set(), answered: new Set() };
}

/** Reads a transcript, broken rows passed over; null where it holds no row. Throws what reading throws. */
export function readTranscript(path: string): Memory | null {
  const memory = emptyMemory();
  const promptOf = new Map<string, string>();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const row = readRow(line);
    if (row === null || row.isSidechain === true) continue;
    memory.leaf = row.uuid;
    const said = saidIn(row);
    const prompt = said?.role === "user" ? row.uuid : promptOf.get(row.parentUuid ?? "");
    if (prompt !== undefined) promptOf.set(row.uuid, prompt);
    if (said?.role === "user") memory.prompts.add(row.uuid);
    if (row.type === "assistant" && prompt !== undefined) memory.answered.add(prompt);
    if (said !== null) memory.said.push(said);
    const usage = said?.role === "assistant" ? row.message?.usage : null;
    if (usage) memory.used = usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
  }
  return memory.leaf === null ? null : memory;
}

function readRow(line: string): Row | null {
  try {
    return rowSchema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** Tool results, interrupts and the agent's own rows are not things that were said. */
function saidIn(row: Row): Said | null {
  const { message } = row;
  if (message === undefined || message.model === "<synthetic>") return null;
  if (row.type === "assistant") {
    const text = Array.isArray(message.content)
      ? message.content.map((block) => block.text ?? "").join("")
      : message.content;
    return text === "" ? null : { role: "assistant", text };
  }
  const isPrompt = row.type === "user" && row.isMeta !== true && row.origin === undefined;
  if (!isPrompt || typeof message.content !== "string") return null;
  if (/^<(command-|local-command-|task-notification)/.test(message.content)) return null;
  return { role: "user", text: withoutScript(message.content) };
}

/** A session is found from any directory, its own first, as by version 2.1.332 of the real agent. */
export function findTranscript(configDir: string, cwd: string, id: string): string | null {
  const projects = join(configDir, "projects");
  const own = transcriptPath(configDir, id, cwd);
  const others = namesIn(projects).map((name) => join(projects, name, `${id}.jsonl`));
  return [own, ...others].find((path) => exists(path)) ?? null;
}

/** Id of the session of this directory that was written last. */
export function newestSession(configDir: string, cwd: string): string | null {
  const folder = dirname(transcriptPath(configDir, "any", cwd));
  const files = namesIn(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }))
    .toSorted((one, other) => other.at - one.at);
  return files[0]?.name.replace(/\.jsonl$/, "") ?? null;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The rows of another session, for a fork. One that cannot be copied does not stop a turn either. */
export function copyTranscript(from: string, to: string): void {
  try {
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  } catch {
    return;
  }
}

/** Appends a row. A transcript that cannot be written does not stop a turn: the real agent's does not either. */
export function appendRow(path: string, row: object): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${JSON.stringify(row)}\n`, { mode: 0o600 });
  } catch {
    return;
  }
}
