import { z } from "zod";
import type { FetchedFile, IncomingFile } from "../../ports.ts";
import type { BotApi } from "./client.ts";
import { scrub } from "./scrub.ts";
import type { RawMessage } from "./update-schema.ts";

/** What is taken of a message besides its text: photos and documents. */

const photoSchema = z.array(
  z.object({ file_id: z.string(), file_size: z.int().optional(), width: z.int().optional() }),
);
const documentSchema = z.object({
  file_id: z.string(),
  file_name: z.string().optional(),
  file_size: z.int().optional(),
});

/** A photo in its largest size, or a document; an animation carries a document as well and is none. */
export function filesIn(message: RawMessage): readonly IncomingFile[] {
  const photo = photoSchema.safeParse(message["photo"]).data?.at(-1);
  if (photo !== undefined) {
    const { file_id: fileId, file_size: bytes = null } = photo;
    return [{ fileId, name: "photo.jpg", bytes }];
  }
  if (message["animation"] !== undefined) return [];
  const document = documentSchema.safeParse(message["document"]).data;
  if (document === undefined) return [];
  const { file_id: fileId, file_name: name = "file", file_size: bytes = null } = document;
  return [{ fileId, name, bytes }];
}

const pathSchema = z.object({ file_path: z.string(), file_size: z.int().optional() });

export interface FilesOptions {
  readonly api: BotApi;
  readonly token: string;
  readonly apiRoot: string;
  readonly timeoutMs: number;
}

/** Fetches a file, its address first. Bounded in size and time; never throws, and never tells the token. */
export async function fetchFile(
  { api, token, apiRoot, timeoutMs }: FilesOptions,
  { fileId }: IncomingFile,
  maxBytes: number,
): Promise<FetchedFile> {
  const answer = await api.call("getFile", { file_id: fileId }, { timeoutMs });
  if (!answer.ok) {
    const { detail } = answer.failure;
    return { ok: false, tooBig: /file is too big/i.test(detail), detail };
  }
  const found = pathSchema.safeParse(answer.result).data;
  if (found === undefined) return { ok: false, tooBig: false, detail: "Telegram names no file" };
  if ((found.file_size ?? 0) > maxBytes) return { ok: false, tooBig: true, detail: "too big" };
  const url = `${apiRoot.replace(/\/$/, "")}/file/bot${token}/${found.file_path}`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok || response.body === null) {
      return { ok: false, tooBig: false, detail: `the download answers ${response.status}` };
    }
    return await readBounded(response.body, maxBytes);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { ok: false, tooBig: false, detail: scrub(words, token) };
  }
}

async function readBounded(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<FetchedFile> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return { ok: false, tooBig: true, detail: "too big" };
    chunks.push(chunk);
  }
  return { ok: true, content: Buffer.concat(chunks) };
}
