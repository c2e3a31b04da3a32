import type { AnswerWords } from "../../words/words.ts";
import type { CallResult } from "./client.ts";
import type { Outgoing, SendResult } from "../../ports.ts";
import { classifySendError, type CallFailure } from "./errors.ts";
import { restOf, type DocumentPart, type FilePart } from "./render.ts";
import { target } from "./payload.ts";
import { acknowledged, sendText, type SendDeps } from "./send-text.ts";

/** How slow a line may be before an upload counts as unanswered: half a Mbit/s. */
const UPLOAD_BYTES_PER_MS = 64;

export interface DocumentDeps extends SendDeps {
  readonly words: AnswerWords;
  /**
   * How many messages have arrived in place of a document that was refused, by
   * the row's id: a 429 among them must not bring all of them again. Kept in
   * memory only, so that a restart in between does.
   */
  readonly arrived: Map<number, number>;
}

/** Sends a file; where Telegram takes none, the text that it stands for. Never throws. */
export async function sendDocument(
  deps: DocumentDeps,
  out: Outgoing,
  part: DocumentPart,
): Promise<SendResult> {
  if (deps.arrived.has(out.id)) return sendRest(deps, out);
  const answer = await upload(deps, out, {
    fileName: part.fileName,
    content: Buffer.from(part.content, "utf8"),
    caption: part.caption,
  });
  if (answer.ok) return acknowledged(answer.result);
  const kept = standing(answer.failure);
  if (kept !== null) return kept;
  deps.log.warn({ outgoing: out.id, detail: answer.failure.detail }, "send.documentRefused");
  return sendRest(deps, out);
}

/** Sends a file of the agent's. One that Telegram takes in no form is given up, and the chat told. Never throws. */
export async function sendFile(
  deps: DocumentDeps,
  out: Outgoing,
  part: FilePart,
): Promise<SendResult> {
  const answer = await upload(deps, out, part);
  if (answer.ok) return acknowledged(answer.result);
  const { detail } = answer.failure;
  return standing(answer.failure) ?? { outcome: "refused", detail: `${part.fileName}: ${detail}` };
}

interface Upload {
  readonly fileName: string;
  readonly content: Uint8Array;
  readonly caption: string | null;
}

function upload(deps: SendDeps, out: Outgoing, part: Upload): Promise<CallResult> {
  const source = Buffer.from(part.content);
  // No reply: Telegraf leaves objects out of a multipart body, and the part before it replies.
  const payload = {
    ...target(out.address),
    document: { source, filename: part.fileName },
    ...(part.caption === null ? {} : { caption: part.caption }),
  };
  const timeoutMs = deps.timeoutMs + Math.ceil(source.length / UPLOAD_BYTES_PER_MS);
  return deps.api.call("sendDocument", payload, { timeoutMs });
}

/**
 * What a failure says beyond the document; null where it may be about the
 * document only. Then the messages in its place find out what is true of the
 * chat: a group may forbid files alone, and an unknown method is a server's.
 */
function standing(failure: CallFailure): SendResult | null {
  const verdict = classifySendError(failure);
  switch (verdict.outcome) {
    case "gated":
    case "ambiguous":
    case "moved":
    case "topicClosed":
      return verdict;
    case "retry":
    case "disabled":
      return failure.code === 400 || failure.code === 404 ? null : verdict;
    default:
      return null;
  }
}

async function sendRest(deps: DocumentDeps, out: Outgoing): Promise<SendResult> {
  const { arrived } = deps;
  const rest = restOf(deps.words, out);
  let last: SendResult = { outcome: "dropped", detail: "nothing to send" };
  for (let index = arrived.get(out.id) ?? 0; index < rest.length; index += 1) {
    arrived.set(out.id, index);
    const piece = rest[index];
    if (piece === undefined) break;
    last = await sendText(deps, out, { rich: piece, replies: false, buttons: [] });
    if (last.outcome !== "sent") break;
  }
  const ended = ["sent", "refused", "dropped"].includes(last.outcome);
  if (ended) arrived.delete(out.id);
  return last;
}
