import { readFile, stat } from "node:fs/promises";
import type { Logger } from "../../log.ts";

/** An image as the agent's prompt holds it. */
export interface ImageBlock {
  readonly type: "image";
  readonly source: {
    readonly type: "base64";
    readonly media_type: string;
    readonly data: string;
  };
}

/** The API refuses a larger one. */
const IMAGE_MAX_BYTES = 5 * 1024 * 1024;
const IMAGES_MAX = 20;

const startsWith = (bytes: Buffer, signature: readonly number[], at = 0): boolean =>
  signature.every((byte, index) => bytes[at + index] === byte);

/** By what a file holds: its name may say anything. */
function mediaTypeOf(bytes: Buffer): string | null {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47])) return "image/png";
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38])) return "image/gif";
  const isRiff = startsWith(bytes, [0x52, 0x49, 0x46, 0x46]);
  return isRiff && startsWith(bytes, [0x57, 0x45, 0x42, 0x50], 8) ? "image/webp" : null;
}

/** Those that can be read and shown, in their order; the others are left out and logged. */
export async function readImages(
  paths: readonly string[],
  log: Logger,
): Promise<readonly ImageBlock[]> {
  const blocks: ImageBlock[] = [];
  for (const path of paths) {
    if (blocks.length === IMAGES_MAX) {
      log.warn({ path, detail: `more than ${IMAGES_MAX} images` }, "agent.imageLeftOut");
      continue;
    }
    const read = await readImage(path);
    if (typeof read === "string") log.warn({ path, detail: read }, "agent.imageLeftOut");
    else blocks.push(read);
  }
  return blocks;
}

async function readImage(path: string): Promise<ImageBlock | string> {
  try {
    const { size } = await stat(path);
    if (size > IMAGE_MAX_BYTES) return `${size} bytes are too many`;
    const bytes = await readFile(path);
    const media_type = mediaTypeOf(bytes);
    if (media_type === null) return "no PNG, JPEG, GIF or WebP";
    return {
      type: "image",
      source: { type: "base64", media_type, data: bytes.toString("base64") },
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
