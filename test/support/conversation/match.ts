import { isDeepStrictEqual } from "node:util";
import type { BotCall } from "./bot-call.ts";
import { matches } from "./pattern.ts";
import type { Expects } from "./script.ts";

/** What names and braces stand for in one run. */
export interface Known {
  readonly texts: Readonly<Record<string, string>>;
  messageId(name: string): number;
}

/** What is not as expected; empty where the call is the expected one. */
export function differences(expected: Expects, call: BotCall, known: Known): readonly string[] {
  const found: string[] = [];
  const compare = (what: string, wanted: unknown, actual: unknown, same: boolean): void => {
    if (!same) found.push(`${what}: expected ${show(wanted)}, got ${show(actual)}`);
  };
  const equal = (what: string, wanted: unknown, actual: unknown): void =>
    compare(what, wanted, actual, isDeepStrictEqual(wanted, actual));
  equal("method", expected.bot, call.method);
  equal("refused", expected.refused ?? null, call.refused);
  if (expected.bot !== "answerCallbackQuery" && isPlaced(expected)) {
    equal("place", expected.in, call.place);
  }
  const { text = "" } = expected;
  compare("text", text, call.text, matches(text, call.text, known.texts));
  compare("buttons", expected.buttons, call.buttons, sameButtons(expected, call, known));
  const { of, replyTo, formatted, file } = expected;
  if (of !== undefined) equal(`the message "${of}"`, known.messageId(of), call.messageId);
  if (replyTo !== undefined) {
    equal(`the reply to "${replyTo}"`, known.messageId(replyTo), call.replyTo);
  }
  if (expected.emoji !== undefined) equal("emoji", expected.emoji, call.emoji);
  if (formatted !== undefined) equal("formatted", formatted, call.formatted);
  equal("file", file?.name, call.file?.name);
  if (file !== undefined) {
    const lines = call.file?.content.split("\n") ?? [];
    compare("a line of the file", file.holds, lines.slice(0, 20), lines.includes(file.holds));
  }
  return found;
}

/** Edits and marks name their message, which has its place. */
const isPlaced = ({ of }: Expects): boolean => of === undefined;

function sameButtons({ buttons }: Expects, call: BotCall, { texts }: Known): boolean {
  return (
    buttons.length === call.buttons.length &&
    buttons.every((row, at) => {
      const actual = call.buttons[at] ?? [];
      return (
        row.length === actual.length &&
        row.every((label, column) => matches(label, actual[column] ?? "", texts))
      );
    })
  );
}

const show = (value: unknown): string => JSON.stringify(value) ?? "nothing";

/** Calls of one stream come in order; those of two may overtake each other. */
export function streamOf(expected: Expects, known: Known): string {
  const { bot, of } = expected;
  if (bot === "sendMessage" || bot === "sendDocument") return `send ${expected.in}`;
  return of === undefined ? bot : `${bot} ${known.messageId(of)}`;
}

export function streamOfCall(call: BotCall): string {
  const { method, place, messageId } = call;
  if (method === "sendMessage" || method === "sendDocument") return `send ${place}`;
  const isAboutMessage = method.startsWith("edit") || method === "setMessageReaction";
  return isAboutMessage ? `${method} ${messageId}` : method;
}
