import type { IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { isRecord } from "./answer.ts";
import type { Params } from "./answer.ts";

/** A file of a multipart body. */
export interface UploadedFile {
  readonly kind: "file";
  readonly fileName: string;
  readonly bytes: Buffer;
}

export function isUploadedFile(value: unknown): value is UploadedFile {
  return isRecord(value) && value["kind"] === "file" && Buffer.isBuffer(value["bytes"]);
}

/** Parameters that are objects or arrays. */
const JSON_PARAMS = new Set([
  "allowed_updates",
  "caption_entities",
  "commands",
  "entities",
  "link_preview_options",
  "reaction",
  "reply_markup",
  "reply_parameters",
  "scope",
]);

/** The call's parameters from query and body, or what is wrong with the body. */
export async function readParams(
  request: IncomingMessage,
  query: URLSearchParams,
): Promise<Params | string> {
  const body = await buffer(request);
  const type = request.headers["content-type"] ?? "";
  const parsed = parseBody(body, type);
  if (typeof parsed === "string") return parsed;
  const params: Record<string, unknown> = {};
  for (const [name, value] of [...query.entries(), ...Object.entries(parsed)]) {
    const isJson = typeof value === "string" && JSON_PARAMS.has(name);
    params[name] = isJson ? decodeJson(value) : value;
  }
  return params;
}

/** Forms carry them as JSON text, and the server takes that in JSON bodies as well. */
function decodeJson(value: string): unknown {
  try {
    const decoded: unknown = JSON.parse(value);
    return decoded;
  } catch {
    return value;
  }
}

function parseBody(body: Buffer, type: string): Params | string {
  if (body.length === 0) return {};
  if (type.startsWith("application/json")) return parseJson(body.toString("utf8"));
  if (type.startsWith("application/x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(body.toString("utf8")));
  }
  const boundary = /^multipart\/form-data;.*boundary="?([^";]+)"?/.exec(type)?.[1];
  if (boundary === undefined) return `unsupported content type "${type}"`;
  return parseMultipart(body, boundary) ?? "broken multipart body";
}

function parseJson(text: string): Params | string {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : "the body is not a JSON object";
  } catch {
    return "the body is not JSON";
  }
}

function parseMultipart(body: Buffer, boundary: string): Params | null {
  const params: Record<string, unknown> = {};
  const mark = `--${boundary}`;
  let at = body.indexOf(mark);
  while (at >= 0) {
    const start = at + mark.length;
    if (body.toString("latin1", start, start + 2) === "--") return params;
    const end = body.indexOf(`\r\n${mark}`, start);
    const blank = body.indexOf("\r\n\r\n", start);
    if (end < 0 || blank < 0 || blank > end) return null;
    const headers = body.toString("utf8", start, blank);
    const name = /\bname="([^"]*)"/i.exec(headers)?.[1];
    if (name === undefined) return null;
    const fileName = /\bfilename="([^"]*)"/i.exec(headers)?.[1];
    const bytes = Buffer.from(body.subarray(blank + 4, end));
    params[name] = fileName === undefined ? bytes.toString("utf8") : file(fileName, bytes);
    at = end + 2;
  }
  return null;
}

function file(fileName: string, bytes: Buffer): UploadedFile {
  return { kind: "file", fileName, bytes };
}
