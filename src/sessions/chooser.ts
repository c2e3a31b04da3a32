import { button } from "../buttons.ts";
import { excerpt } from "../excerpt.ts";
import type { Logger } from "../log.ts";
import type { DraftButton, Store } from "../ports.ts";
import { BUTTON_WORDS, CHOOSER_WORDS } from "../words/english/notices.ts";
import { listFolders, type Listing } from "./browse.ts";
import { checkWorkspace } from "./workspace.ts";

export interface ChooserOptions {
  readonly store: Pick<Store, "recentWorkspaces">;
  readonly roots: readonly string[];
  readonly log: Logger;
}

export interface Chooser {
  readonly text: string;
  readonly buttons: readonly (readonly DraftButton[])[];
}

/** Recent ones before all others: most people work in a few. */
const RECENT = 4;
const LABEL = 40;

/** The workspaces to choose from: the recent ones, then the roots, and every folder in them to walk into. */
export function chooseWorkspace(options: ChooserOptions, path: string | null, page = 0): Chooser {
  const listing = listFolders(path, page, options.roots, options.log);
  const recent = listing.here === null ? recentOf(options) : [];
  const { here } = listing;
  return {
    text: here === null ? CHOOSER_WORDS.top : CHOOSER_WORDS.inside(here),
    buttons: [
      ...recent.map((one) => [bind(`🕘 ${nameOf(one)}`, one)]),
      ...(here === null
        ? []
        : [
            [
              bind(BUTTON_WORDS.here, here),
              button(BUTTON_WORDS.newFolder, { do: "folder", path: here }),
            ],
          ]),
      ...listing.folders.map((one) => [
        bind(`📁 ${one.name}`, one.path),
        button("›", { do: "browse", path: one.path, page: 0 }),
      ]),
      ...turning(listing),
    ],
  };
}

function recentOf({ store, roots, log }: ChooserOptions): readonly string[] {
  return store.recentWorkspaces(RECENT).filter((path) => checkWorkspace(path, roots, log).ok);
}

function bind(label: string, path: string): DraftButton {
  return button(excerpt(label, LABEL), { do: "bind", path });
}

const nameOf = (path: string): string => path.split("/").slice(-2).join("/");

/** Up, and to the pages before and after. */
function turning({ here, up, page, pages }: Listing): readonly (readonly DraftButton[])[] {
  const to = (label: string, path: string | null, at: number) =>
    button(label, { do: "browse", path: path ?? "", page: at });
  const row = [
    ...(up === null ? [] : [to(BUTTON_WORDS.up, up.path, 0)]),
    ...(page === 0 ? [] : [to("◀️", here, page - 1)]),
    ...(page + 1 >= pages ? [] : [to("▶️", here, page + 1)]),
  ];
  return row.length === 0 ? [] : [row];
}
