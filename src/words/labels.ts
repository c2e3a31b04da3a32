import { excerpt } from "../excerpt.ts";
import { asWritten, wording, type Wording } from "./wording.ts";

/** Labels of buttons that hold a name or a sign: the same in every language. */

/** Longer ones are cut by the client, at a place of its own choice. */
const LABEL_MAX = 40;

/** Walking: into a folder, to the page before, to the page after. */
export const WALK = { into: wording("›"), back: wording("◀️"), on: wording("▶️") } as const;

export function folderLabel(name: string): Wording {
  return wording(excerpt(`📁 ${name}`, LABEL_MAX));
}

export function recentLabel(path: string): Wording {
  const name = path.split("/").slice(-2).join("/");
  return wording(excerpt(`🕘 ${name}`, LABEL_MAX));
}

export function conversationLabel(said: string): Wording {
  return wording(`↩️ ${excerpt(said, LABEL_MAX)}`);
}

/** One of several to choose from, marked where it is the one that holds. */
export function choiceLabel(label: string, isChosen: boolean): Wording {
  return isChosen ? wording(`✅ ${label}`) : asWritten(label);
}

/** What a message says once one of its buttons was taken. */
export function settledText(text: string, label: string): Wording {
  return wording(`${text}\n\n→ ${label}`);
}
