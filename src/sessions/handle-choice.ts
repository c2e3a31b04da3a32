import type { Choice } from "../../machines/facts.ts";
import type { AgentOffers } from "../../machines/vocabulary.ts";
import { button } from "../buttons.ts";
import type { DraftButton, StoredCommand } from "../ports.ts";
import { choiceLabel } from "../words/labels.ts";
import type { ChoiceWords } from "../words/session-words.ts";
import type { Wording } from "../words/wording.ts";
import type { CommandOptions } from "./command-options.ts";
import { noticeDraft } from "./ledger.ts";

/** `/model`, `/mode`, `/effort` and `/verbose`: what this chat's agent works with, and how much of it is shown. */

/** Names of models and modes, as agents have them; nothing that could be taken for an option of theirs. */
const NAME = /^[\w][\w.:@/[\]-]{0,127}$/;
const LEVELS = ["0", "1", "2"];
/** Until the agent has said what it offers: none of these allows more than a person could allow. */
const SAFE_MODES = ["default", "acceptEdits", "plan"];
/** More buttons than a phone shows at once. */
const OFFERED = 12;

export function handleChoice(
  options: CommandOptions,
  command: StoredCommand,
  choice: Choice,
): void {
  const { choices } = options.words;
  const offered = offeredFor(choices, choice, options.offers());
  const asked = command.args;
  if (asked === "") return ask(options, command, choice, offered);
  const { key, id: commandId } = command;
  const values = offered.map((one) => one.value);
  // A model that the agent does not list may be one that it knows all the same.
  const isKnown = choice === "model" || values.length === 0 || values.includes(asked);
  if (choice === "mode" && !options.isApprover(command.sender)) {
    return answer(options, command, choices.notApprover, []);
  }
  const isOffered = choice !== "effort" || values.length > 0;
  if (!NAME.test(asked) || !isKnown || !isOffered) {
    return answer(options, command, choices.unknown(choice, asked, values), []);
  }
  options.toSession(key, { type: "command.choose", commandId, choice, value: asked });
}

/** `/name TEXT` gives the present conversation a name. */
export function handleName(options: CommandOptions, command: StoredCommand): void {
  const { key, id: commandId, args } = command;
  const name = args.replaceAll(/\s+/g, " ").trim();
  if (name === "" || name.length > NAME_MAX) {
    return answer(options, command, options.words.commands.nameHow, []);
  }
  options.toSession(key, { type: "command.name", commandId, name });
}

const NAME_MAX = 64;

interface Offered {
  readonly value: string;
  readonly label: string;
}

function offeredFor(
  words: ChoiceWords,
  choice: Choice,
  offers: AgentOffers | null,
): readonly Offered[] {
  const plain = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
  switch (choice) {
    case "model":
      return offers?.models ?? [];
    case "mode":
      return plain(offers?.modes ?? SAFE_MODES);
    case "effort":
      return plain(offers?.efforts ?? []);
    case "verbose":
      return LEVELS.map((value) => ({ value, label: words.levels[Number(value)] ?? value }));
  }
}

function ask(
  options: CommandOptions,
  command: StoredCommand,
  choice: Choice,
  offered: readonly Offered[],
): void {
  const facts = options.store.facts(command.key);
  const usual = { model: facts.bound?.model ?? null, verbose: "2", mode: null, effort: null };
  const current = facts.choices[choice] ?? usual[choice];
  const buttons = offered
    .slice(0, OFFERED)
    .map(({ value, label }) => [
      button(choiceLabel(label, value === current), { do: "choose", choice, value }),
    ]);
  answer(options, command, options.words.choices.ask(choice, current, offered.length > 0), buttons);
}

function answer(
  { store, outboxFilled }: CommandOptions,
  { key, id, platformMessageId }: StoredCommand,
  text: Wording,
  buttons: readonly (readonly DraftButton[])[],
): void {
  const outgoing = [{ ...noticeDraft(text, platformMessageId), buttons }];
  store.write(key, { facts: [], outgoing, commandsDone: [id] });
  outboxFilled(key);
}
