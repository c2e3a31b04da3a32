import type { StoredButton, StoredCommand } from "../ports.ts";
import { makeFolder } from "./browse.ts";
import { chooseWorkspace } from "./chooser.ts";
import { answerCommand, type CommandOptions } from "./command-options.ts";
import { folderDedupe, noticeDraft } from "./ledger.ts";
import { findWorkspace } from "./workspace.ts";

/** `/workspace` alone shows the present one and offers the others; with a name or a path it binds that one. */
export function handleWorkspace(options: CommandOptions, command: StoredCommand): void {
  const { key, args } = command;
  if (args !== "") return bindWorkspace(options, command, args);
  const { store, roots, words } = options;
  const current = store.facts(key).workspace ?? options.defaultWorkspace;
  const { text, buttons } = chooseWorkspace(options, null);
  const said = current === null ? text : words.workspaces.current(current, roots);
  const outgoing = [{ ...noticeDraft(said, command.platformMessageId), buttons }];
  store.write(key, { facts: [], outgoing, commandsDone: [command.id] });
  options.outboxFilled(key);
}

export function bindWorkspace(
  options: CommandOptions,
  command: StoredCommand,
  named: string,
): void {
  const { key, id: commandId } = command;
  const found = findWorkspace(named, options.roots, options.log);
  if (!found.ok) {
    const { refused } = options.words.workspaces;
    return answerCommand(options, command, refused(found.reason, named));
  }
  return options.toSession(key, { type: "command.bindWorkspace", commandId, path: found.path });
}

/** Another folder is looked into: the message shows it in place of the one before. */
export function browse(
  options: CommandOptions,
  { key, id }: StoredCommand,
  { row }: StoredButton,
  path: string,
  page: number,
): void {
  const { text, buttons } = chooseWorkspace(options, path === "" ? null : path, page);
  const outgoing = [{ ...noticeDraft(text, null), buttons, edits: row }];
  options.store.write(key, { facts: [], outgoing, commandsDone: [id] });
  options.outboxFilled(key);
}

/** Asks for the name of a new folder; the reply to this message is it. */
export function askForFolder(options: CommandOptions, command: StoredCommand, path: string): void {
  const { key, id } = command;
  const draft = noticeDraft(options.words.workspaces.newFolder(path), null);
  const outgoing = [{ ...draft, dedupe: folderDedupe(id, path) }];
  options.store.write(key, { facts: [], outgoing, commandsDone: [id] });
  options.outboxFilled(key);
}

/** A folder is made and bound. */
export function makeAndBind(
  options: CommandOptions,
  command: StoredCommand,
  parent: string,
  name: string,
): void {
  const made = makeFolder(parent, name, options.roots, options.log);
  if (made.ok) return bindWorkspace(options, command, made.path);
  const { badName, refused } = options.words.workspaces;
  const said = made.reason === "bad-name" ? badName : refused(made.reason, name);
  answerCommand(options, command, said);
}
