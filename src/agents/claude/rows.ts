import { createReadStream } from "node:fs";
import { z } from "zod";
import { createLineSplitter } from "./lines.ts";
import { contentSchema } from "./protocol.ts";

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
export type Row = z.infer<typeof rowSchema>;

/**
 * Reads the rows of a transcript's conversation until `isEnough`; of those
 * lines only that `mayMatter`. Answers how many rows were too long to be read.
 * Rejects where the file cannot be opened or read.
 */
export async function readRows(
  transcript: string,
  isEnough: (row: Row) => boolean,
  mayMatter: (line: string) => boolean = () => true,
): Promise<number> {
  let skipped = 0;
  let enough = false;
  const splitter = createLineSplitter(
    ROW_MAX_BYTES,
    (line) => {
      const row = enough || !mayMatter(line) ? null : readRow(line);
      if (row !== null) enough = isEnough(row);
    },
    () => {
      skipped += 1;
    },
  );
  for await (const chunk of createReadStream(transcript)) {
    splitter.push(chunk as Buffer);
    if (enough) return skipped;
  }
  splitter.end();
  return skipped;
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

/** A prompt that was folded into a running turn is an attachment there, with its uuid as source. */
export function isPromptOf(row: Row, uuid: string): boolean {
  return row.type === "user" ? row.uuid === uuid : row.attachment?.source_uuid === uuid;
}
