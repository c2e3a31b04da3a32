import { excerpt } from "../excerpt.ts";
import type { EarlierConversation } from "../sessions/earlier.ts";
import { code } from "./english/notices.ts";

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

export interface ListedSession extends EarlierConversation {
  /** Size of its transcript; null where it cannot be looked at. */
  readonly bytes: number | null;
  /** The chat is in it now. */
  readonly isPresent: boolean;
}

/** The answer to `/sessions`. */
export function sessionsList(listed: readonly ListedSession[]): string {
  if (listed.length === 0) return "There is no conversation in this chat yet. Just write.";
  const shown = listed.slice(0, LISTED);
  const workspaces = [...new Set(shown.map((one) => one.workspace))];
  const groups = workspaces.flatMap((workspace) => [
    `📁 ${workspace === null ? "no workspace" : code(workspace)}`,
    ...shown.filter((one) => one.workspace === workspace).map(sessionLine),
    "",
  ]);
  const more = listed.length - shown.length;
  return [
    ...groups,
    more > 0
      ? `… and ${more} more; /resume and an id goes back to any.`
      : "Press to go back to one.",
  ].join("\n");
}

function sessionLine(one: ListedSession): string {
  const facts = [...factsOf(one), ...(one.bytes === null ? [] : [size(one.bytes)])];
  const mark = one.isPresent ? "▶️" : "•";
  return `${mark} ${code(one.agentSessionId.slice(0, 8))}${nameOf(one)} – ${facts.join(", ")}${saidIn(one)}`;
}

/** `950 B`, `12 kB`, `3.4 MB`. */
function size(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

function nameOf({ name }: EarlierConversation): string {
  return name === null ? "" : ` **${name}**`;
}

function factsOf(one: EarlierConversation): readonly string[] {
  return [
    one.turns === 1 ? "1 turn" : `${one.turns} turns`,
    ...(one.ageMs === null ? [] : [`${age(one.ageMs)} ago`]),
  ];
}

function saidIn({ firstWords }: EarlierConversation): string {
  const words = firstWords.replaceAll(/\s+/g, " ").trim();
  return words === "" ? "" : `: “${excerpt(words, EXCERPT)}”`;
}

function line(one: EarlierConversation, index: number): string {
  const facts = [...factsOf(one), ...(one.workspace === null ? [] : [code(one.workspace)])];
  // An escaped dot: lists of the platform would renumber and indent.
  return `${index + 1}\\. ${code(one.agentSessionId.slice(0, 8))}${nameOf(one)} – ${facts.join(", ")}${saidIn(one)}`;
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
