import { stripVTControlCharacters } from "node:util";
import type { Address, Button, Channel, Intake, Outgoing, Part } from "../../ports.ts";
import type { Words } from "../../words/words.ts";
import { parseCommand, PRESSED, pressArgs } from "../commands.ts";

/** The one chat of a terminal. */
export const LOCAL_ADDRESS: Address = { channel: "local", chatId: "terminal", topicId: null };

/** Whose update ids `translateLine` is given, beside the channel's name. */
export const LOCAL_ACCOUNT = "terminal";

type LocalWords = Pick<Words, "answers" | "terminal">;

export interface LocalOptions {
  /** Shows a text of one or more lines. A throw means that the terminal is gone. */
  write(text: string): void;
  readonly words: LocalWords;
}

/** A chat in the terminal. What is shown is delivered: there is no network that could lose it. */
export interface LocalChannel extends Channel {
  readonly name: "local";
  /** The nonce of a button of the last message that had some, by the number shown with it, from 1. */
  buttonAt(number: number): string | null;
}

export function createLocalChannel({ write, words }: LocalOptions): LocalChannel {
  let printed = 0;
  let offered: readonly Button[] = [];
  return {
    name: "local",
    buttonAt: (number) => offered[number - 1]?.nonce ?? null,
    async answerPress(_pressId, text) {
      if (text !== null) write(`${words.terminal.holdfast}> ${text}`);
    },
    render: (outgoing) => [{ text: renderLocal(words, outgoing) }],
    async send(outgoing, part) {
      const buttons = (outgoing.buttons ?? []).flat();
      if (buttons.length > 0) offered = buttons;
      try {
        write(textOf(part));
      } catch (error) {
        // The row waits in the outbox for the next terminal.
        const detail = error instanceof Error ? error.message : String(error);
        return { outcome: "retry", detail };
      }
      printed += 1;
      return { outcome: "sent", platformMessageId: String(printed) };
    },
  };
}

/** Rows of the outbox say what they are; a notice must not look like the agent's own words. */
function renderLocal(
  { answers, terminal }: LocalWords,
  outgoing: Outgoing & { readonly kind?: unknown },
): string {
  const text = printable(outgoing.text).trim();
  const name = outgoing.kind === "notice" ? terminal.holdfast : terminal.agent;
  const { file } = outgoing;
  const said = file === undefined ? text : `📎 ${printable(file.name)} ${text}`.trim();
  const lines = [`${name}> ${said === "" ? answers.nothingToSee : said}`];
  if (outgoing.footer !== null) lines.push(printable(outgoing.footer));
  const offered = (outgoing.buttons ?? []).flat();
  if (offered.length > 0) {
    lines.push(offered.map(({ label }, at) => `#${at + 1} ${printable(label)}`).join("   "));
  }
  return lines.join("\n");
}

/** An agent's text must not move the cursor, retitle the terminal or hide what was written before. */
function printable(text: string): string {
  const plain = stripVTControlCharacters(text.replaceAll("\r\n", "\n"));
  return plain.replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

function textOf(part: Part): string {
  const text = part["text"];
  return typeof text === "string" ? text : "";
}

/**
 * A typed line as an intake, `#2` a press of the second button; null for an empty one. `updateId` must grow from line
 * to line and over restarts, for the inbox drops a number that it has seen.
 */
export function translateLine(
  line: string,
  updateId: number,
  refusedCommands?: ReadonlySet<string>,
  buttonAt: LocalChannel["buttonAt"] = () => null,
): Intake | null {
  if (line.trim() === "") return null;
  const common = {
    updateId,
    address: LOCAL_ADDRESS,
    sender: "local",
    platformMessageId: null,
  };
  const number = /^\s*#(?<number>\d{1,3})\s*$/.exec(line)?.groups?.["number"];
  const nonce = number === undefined ? null : buttonAt(Number(number));
  if (nonce !== null) {
    return { kind: "command", name: PRESSED, args: pressArgs(nonce, String(updateId)), ...common };
  }
  const parsed = parseCommand(line, null, refusedCommands);
  switch (parsed.kind) {
    case "command":
      return { ...parsed, ...common };
    case "message":
      return { ...parsed, ...common };
    case "elsewhere":
      return { kind: "message", text: line, ...common };
  }
}
