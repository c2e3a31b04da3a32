import type { Attachment } from "../../attachment.ts";
import { code, lastLine } from "../code.ts";
import type { AnswerWords, FileWords, MessageWords, TerminalWords } from "../words.ts";
import type { Written } from "../wording.ts";

const ATTACHMENTS: Readonly<Record<Attachment, string>> = {
  animation: "an animation",
  paid_media: "paid media",
  photo: "a photo",
  video: "a video",
  video_note: "a video message",
  voice: "a voice message",
  audio: "an audio file",
  document: "a file",
  sticker: "a sticker",
  story: "a story",
  contact: "a contact",
  venue: "a place",
  location: "a location",
  poll: "a poll",
  checklist: "a checklist",
  dice: "a dice",
  game: "a game",
  invoice: "an invoice",
  giveaway: "a giveaway",
  other: "this kind of message",
};

export const messages: Written<MessageWords> = {
  unsupported: (what) =>
    `📎 I cannot pass on ${ATTACHMENTS[what]} yet. Please send text, a photo or a file.`,
  empty:
    "There is nothing in this message to give to the agent. Please send text, a photo or a file.",
  tooLong: (bytes) =>
    `This message is too long (over ${Math.round(bytes / 1024)} KiB) and was not taken. Please put it into a file in the workspace.`,
  queueFull: (max) =>
    `${max} messages are waiting already; this one was not taken. Send it again later.`,
  edited: "✏️ Changed: it is given to the agent as it reads now.",
  editedTooLate:
    "The agent has this message already, so the change was not passed on.\nSend what has changed as a new message.",
};

export const answers: Written<AnswerWords> = {
  nothingSaid: "(The agent had nothing to say.)",
  nothingToSee: "(empty answer)",
  partial: (text) => `✂️ What there was of an answer:\n\n${text}`,
  relayed: (cause, text) =>
    cause === null ? text : `🔔 ${cause === "" ? "A turn of the agent's own" : cause}\n\n${text}`,
  wholeInFile: "… The whole answer is in the file below.",
  fileName: "answer.md",
  refusedByPlatform: (detail) =>
    `❌ A message could not be delivered because Telegram refused it: ${code(lastLine(detail))}\nThe context is kept. Ask for it again, in other words or as a file in the workspace.`,
  topicClosed:
    "📪 An answer waits for a topic that is closed or deleted; it is kept.\nIt is sent when somebody writes in that topic again. If the topic is gone for good, ask again in another.",
};

export const files: Written<FileWords> = {
  came: "Files that came with this message:",
  missing: "one that could not be passed on",
  cameWith: (what) => `The message came with ${ATTACHMENTS[what]}, which could not be passed on.`,
  tooBig: (name, bytes) =>
    `📎 ${code(name)} is larger than ${Math.round(bytes / 1_048_576)} MiB and was not passed on; the rest of the message was.\nPut it into the workspace yourself.`,
  failed: (name) =>
    `📎 ${code(name)} could not be fetched or saved and was not passed on; the rest of the message was.\nSend it again, or put it into the workspace yourself.`,
};

export const terminal: Written<TerminalWords> = {
  prompt: "you> ",
  holdfast: "holdfast",
  agent: "agent",
  noToken:
    "No TELEGRAM_BOT_TOKEN is set: this is a chat in the terminal. /help tells the commands.",
  logAt: (file) => `The log is ${file}.`,
  demoAgent: (detail) =>
    `No usable Claude Code (${detail}): a scripted demo agent answers instead.`,
};
