import type { Outgoing, Part, SendResult } from "../../ports.ts";
import type { TelegramPart } from "./render.ts";
import { sendDocument, sendFile, type DocumentDeps } from "./send-document.ts";
import { sendText } from "./send-text.ts";

/** Sends one part that `renderTelegram` made, in the form that Telegram takes. Never throws. */
export async function sendPart(
  deps: DocumentDeps,
  out: Outgoing,
  given: Part,
): Promise<SendResult> {
  const chatId = Number(out.address.chatId);
  if (!Number.isSafeInteger(chatId) || chatId === 0) {
    return { outcome: "dropped", detail: `${out.address.chatId} is no chat id of Telegram` };
  }
  const part = given as TelegramPart;
  switch (part.kind) {
    case "text":
      return sendText(deps, out, part);
    case "document":
      return sendDocument(deps, out, part);
    case "file":
      return sendFile(deps, out, part);
  }
}
