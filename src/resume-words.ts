import { excerpt } from "./excerpt.ts";
import type { EarlierConversation } from "./sessions/earlier.ts";
import { code } from "./words.ts";

/** More do not fit a phone's screen; the others are found by their id. */
const LISTED = 10;
const EXCERPT = 50;

/** The answer to `/resume` alone. */
export function resumeList(earlier: readonly EarlierConversation[]): string {
  if (earlier.length === 0) return "There is no earlier conversation in this chat yet.";
  const lines = earlier.slice(0, LISTED).map(line);
  const more = earlier.length - lines.length;
  return [
    "↩️ Earlier conversations of this chat, the latest first:",
    "",
    ...lines,
    ...(more > 0 ? ["", `… and ${more} more, by their id.`] : []),
    "",
    "/resume 1 goes back to the first; the present one is kept.",
  ].join("\n");
}

function line(one: EarlierConversation, index: number): string {
  const facts = [
    one.turns === 1 ? "1 turn" : `${one.turns} turns`,
    ...(one.ageMs === null ? [] : [`${age(one.ageMs)} ago`]),
    ...(one.workspace === null ? [] : [code(one.workspace)]),
  ];
  const words = one.firstWords.replaceAll(/\s+/g, " ").trim();
  const said = words === "" ? "" : `: “${excerpt(words, EXCERPT)}”`;
  // An escaped dot: lists of the platform would renumber and indent.
  return `${index + 1}\\. ${code(one.agentSessionId.slice(0, 8))} – ${facts.join(", ")}${said}`;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** `3 d`, `2 h`, `5 min`; under a minute `1 min`. */
export function age(ms: number): string {
  const [unit, size] = UNITS.find(([, size_]) => ms >= size_) ?? (["min", 60_000] as const);
  return `${Math.max(1, Math.floor(ms / size))} ${unit}`;
}
