import { button } from "../buttons.ts";
import type { Logger } from "../log.ts";
import type { DraftButton, Store } from "../ports.ts";
import { folderLabel, recentLabel, WALK } from "../words/labels.ts";
import type { ButtonWords } from "../words/turn-words.ts";
import type { Wording } from "../words/wording.ts";
import type { Words } from "../words/words.ts";
import { listFolders, type Listing } from "./browse.ts";
import { checkWorkspace } from "./workspace.ts";

export interface ChooserOptions {
  readonly store: Pick<Store, "recentWorkspaces">;
  readonly roots: readonly string[];
  readonly log: Logger;
  readonly words: Pick<Words, "workspaces" | "buttons">;
}

export interface Chooser {
  readonly text: Wording;
  readonly buttons: readonly (readonly DraftButton[])[];
}

/** Recent ones before all others: most people work in a few. */
const RECENT = 4;

/** The workspaces to choose from: the recent ones, then the roots, and every folder in them to walk into. */
export function chooseWorkspace(options: ChooserOptions, path: string | null, page = 0): Chooser {
  const listing = listFolders(path, page, options.roots, options.log);
  const recent = listing.here === null ? recentOf(options) : [];
  const { here } = listing;
  const { workspaces, buttons } = options.words;
  return {
    text: here === null ? workspaces.choose : workspaces.inside(here),
    buttons: [
      ...recent.map((one) => [bind(recentLabel(one), one)]),
      ...(here === null
        ? []
        : [[bind(buttons.here, here), button(buttons.newFolder, { do: "folder", path: here })]]),
      ...listing.folders.map((one) => [
        bind(folderLabel(one.name), one.path),
        button(WALK.into, { do: "browse", path: one.path, page: 0 }),
      ]),
      ...turning(buttons, listing),
    ],
  };
}

function recentOf({ store, roots, log }: ChooserOptions): readonly string[] {
  return store.recentWorkspaces(RECENT).filter((path) => checkWorkspace(path, roots, log).ok);
}

function bind(label: Wording, path: string): DraftButton {
  return button(label, { do: "bind", path });
}

/** Up, and to the pages before and after. */
function turning(
  words: ButtonWords,
  { here, up, page, pages }: Listing,
): readonly (readonly DraftButton[])[] {
  const to = (label: Wording, path: string | null, at: number) =>
    button(label, { do: "browse", path: path ?? "", page: at });
  const row = [
    ...(up === null ? [] : [to(words.up, up.path, 0)]),
    ...(page === 0 ? [] : [to(WALK.back, here, page - 1)]),
    ...(page + 1 >= pages ? [] : [to(WALK.on, here, page + 1)]),
  ];
  return row.length === 0 ? [] : [row];
}
