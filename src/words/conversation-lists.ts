import { excerpt } from "../excerpt.ts";
import type { EarlierConversation } from "../sessions/earlier.ts";
import { code } from "./code.ts";
import { wording, type Wording } from "./wording.ts";
import type { Words } from "./words.ts";

/** More do not fit a phone's screen; the others are found by their id. */
const LISTED = 10;
const EXCERPT = 50;

type ListWords = Pick<Words, "conversations" | "units">;

/** The answer to `/resume` alone. */
export function resumeList(words: ListWords, earlier: readonly EarlierConversation[]): Wording {
  const { conversations } = words;
  if (earlier.length === 0) return conversations.noneEarlier;
  const lines = earlier.slice(0, LISTED).map((one, index) => {
    const facts = [
      ...factsOf(words, one),
      ...(one.workspace === null ? [] : [code(one.workspace)]),
    ];
    // An escaped dot: lists of the platform would renumber and indent.
    return `${index + 1}\\. ${described(words, one, facts)}`;
  });
  const more = earlier.length - lines.length;
  const rest = more > 0 ? ["", conversations.moreById(more)] : [];
  return wording(
    [conversations.earlier, "", ...lines, ...rest, "", conversations.howBack].join("\n"),
  );
}

export interface ListedSession extends EarlierConversation {
  /** Size of its transcript; null where it cannot be looked at. */
  readonly bytes: number | null;
  /** The chat is in it now. */
  readonly isPresent: boolean;
}

/** The answer to `/sessions`. */
export function sessionsList(words: ListWords, listed: readonly ListedSession[]): Wording {
  const { conversations, units } = words;
  if (listed.length === 0) return conversations.none;
  const shown = listed.slice(0, LISTED);
  const line = (one: ListedSession) => {
    const size = one.bytes === null ? [] : [units.size(one.bytes)];
    const mark = one.isPresent ? "▶️" : "•";
    return `${mark} ${described(words, one, [...factsOf(words, one), ...size])}`;
  };
  const workspaces = [...new Set(shown.map((one) => one.workspace))];
  const groups = workspaces.flatMap((workspace) => [
    `📁 ${workspace === null ? conversations.noWorkspace : code(workspace)}`,
    ...shown.filter((one) => one.workspace === workspace).map(line),
    "",
  ]);
  const more = listed.length - shown.length;
  const end = more > 0 ? conversations.moreByResume(more) : conversations.pressOne;
  return wording([...groups, end].join("\n"));
}

function described(words: ListWords, one: EarlierConversation, facts: readonly string[]): string {
  const name = one.name === null ? "" : ` **${one.name}**`;
  const first = one.firstWords.replaceAll(/\s+/g, " ").trim();
  const said = first === "" ? "" : `: ${words.units.quoted(excerpt(first, EXCERPT))}`;
  return `${code(one.agentSessionId.slice(0, 8))}${name} – ${facts.join(", ")}${said}`;
}

function factsOf({ conversations, units }: ListWords, one: EarlierConversation) {
  return [
    conversations.turns(one.turns),
    ...(one.ageMs === null ? [] : [conversations.ago(units.age(one.ageMs))]),
  ];
}
