import type { TurnOutcome } from "../../../machines/vocabulary.ts";
import type { WireLine, WireResult } from "./protocol.ts";
import type { TurnInFlight } from "./translate-state.ts";
import { textOf } from "./turn.ts";

type Line<T extends WireLine["type"]> = Extract<WireLine, { type: T }>;

const OUTPUT = /^<local-command-std(?:out|err)>([\s\S]*)<\/local-command-std(?:out|err)>$/;

/** What a command printed that the agent carries out without its model; null for any other line. */
export function localOutput(line: Line<"user">): string | null {
  const output = line.isReplay === true ? OUTPUT.exec(textOf(line.message.content)) : null;
  return output === null ? null : (output[1] ?? "").trim();
}

/** It may print twice, to stdout and to stderr, and what it prints may have been told before. */
export function withLocalText(turn: TurnInFlight, text: string): TurnInFlight {
  const before = turn.localText ?? "";
  if (before.includes(text)) return { ...turn, localText: before };
  return { ...turn, localText: before === "" ? text : `${before}\n${text}` };
}

/**
 * Why a `/compact` did not even begin. One that has begun and fails tells it in
 * a status; this one, of a session that has no messages yet, only in a row of
 * the conversation (measured on 2.1.332).
 */
export function compactionRefused(line: Line<"assistant">): string | null {
  const { local_command_run: run, local_command_outcome: outcome, message } = line;
  if (run?.command !== "compact" || outcome?.kind !== "failed") return null;
  return textOf(message.content).replace(/^Error: /, "");
}

/**
 * What a turn leaves to be told. A local command that fails has an empty result:
 * what it said stands in the turn's last text.
 */
export function lastWords(turn: TurnInFlight, result: WireResult, outcome: TurnOutcome): string {
  const { result: answer, errors = [] } = result;
  const { heldText, localText } = turn;
  const reason = errors.join("\n");
  switch (outcome) {
    case "interrupted":
      return firstSaid(answer, heldText);
    case "failed":
    case "too-large":
      return firstSaid(answer, localText, reason, heldText);
    default:
      return firstSaid(answer, heldText, localText, reason);
  }
}

function firstSaid(...texts: readonly (string | null | undefined)[]): string {
  return texts.find((text) => (text ?? "").trim() !== "") ?? "";
}
