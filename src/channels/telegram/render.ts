import type { Button, Outgoing, Part } from "../../ports.ts";
import type { AnswerWords } from "../../words/words.ts";
import type { Rich } from "./format/entities.ts";
import { cutOpening, footerLine, splitWithFooter, type Opening } from "./format/parts.ts";
import { renderMarkdown } from "./format/render.ts";

/** One message of text, within Telegram's limits. */
export interface TextPart extends Part {
  readonly kind: "text";
  readonly rich: Rich;
  /** Only the first part of an answer is a reply. */
  readonly replies: boolean;
  /** Rows of buttons; only the last part has them. */
  readonly buttons: readonly (readonly Button[])[];
}

/** The whole answer as a file. */
export interface DocumentPart extends Part {
  readonly kind: "document";
  readonly fileName: string;
  /** Markdown as the agent wrote it. */
  readonly content: string;
  /** The footer; null where there is none. */
  readonly caption: string | null;
}

/** A file of the agent's. */
export interface FilePart extends Part {
  readonly kind: "file";
  readonly fileName: string;
  readonly content: Uint8Array;
  readonly caption: string | null;
}

export type TelegramPart = TextPart | DocumentPart | FilePart;

/** Telegram's own limit for a caption, in UTF-16 units. */
const CAPTION_MAX = 1_024;

/** What needs more messages is a page to scroll through on a telephone: it is sent as a file. */
const MESSAGES_MAX = 3;

/** Messages, or, where they would be too many, the beginning of the text and a file with all of it. */
export function renderTelegram(words: AnswerWords, outgoing: Outgoing): readonly TelegramPart[] {
  const { text, footer, replyTo, buttons = [], file } = outgoing;
  if (file !== undefined) {
    const caption = text.trim() === "" ? null : text.slice(0, CAPTION_MAX);
    return [{ kind: "file", fileName: file.name, content: file.content, caption }];
  }
  const whole = renderMarkdown(text);
  const messages = splitWithFooter(whole, footer, { placeholder: words.nothingToSee });
  if (messages.length <= MESSAGES_MAX) {
    return messages.map((rich, index) => ({
      ...textPart(rich, index === 0 && replyTo !== null),
      buttons: index === messages.length - 1 ? buttons : [],
    }));
  }
  return [
    { ...textPart(openingOf(words, whole, footer).head, replyTo !== null), buttons },
    { kind: "document", fileName: words.fileName, content: text, caption: footerLine(footer) },
  ];
}

/** What the file stands for: the messages after the beginning. */
export function restOf(words: AnswerWords, { text, footer }: Outgoing): readonly Rich[] {
  return openingOf(words, renderMarkdown(text), footer).rest;
}

function openingOf(words: AnswerWords, whole: Rich, footer: string | null): Opening {
  return cutOpening(whole, words.wholeInFile, footer);
}

function textPart(rich: Rich, replies: boolean): TextPart {
  return { kind: "text", rich, replies, buttons: [] };
}
