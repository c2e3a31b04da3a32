import { judgePress, type PressVerdict } from "../../machines/press.ts";
import { decides, readAction, type ButtonAction } from "../buttons.ts";
import { readPress } from "../channels/commands.ts";
import type { StoredButton, StoredCommand } from "../ports.ts";
import { settledText } from "../words/labels.ts";
import type { Wording } from "../words/wording.ts";
import type { CommandOptions } from "./command-options.ts";
import { resumeOrFork } from "./handle-resume.ts";
import { askForFolder, bindWorkspace, browse } from "./handle-workspace.ts";
import { noticeDraft } from "./ledger.ts";
import { pressApproval } from "./press-approval.ts";

/** A button was pressed: it does what it says, once it is known to stand for something and for whoever pressed it. */
export function handlePress(options: CommandOptions, command: StoredCommand): void {
  const { nonce, pressId } = readPress(command.args);
  const button = options.store.button(nonce);
  const action = button === null ? null : readAction(button.action);
  const verdict = judge(options, command, button, action);
  if (verdict !== "heed" || button === null || action === null) {
    ignore(options, command);
    const { notYours, stale } = options.words.presses;
    return options.answerPress(pressId, verdict === "not-yours" ? notYours : stale);
  }
  options.answerPress(pressId, heed(options, command, button, action));
}

function judge(
  { clock, limits, isApprover }: CommandOptions,
  { key, sender }: StoredCommand,
  button: StoredButton | null,
  action: ButtonAction | null,
): PressVerdict {
  return judgePress({
    known: button !== null && action !== null && button.key === key,
    isVoid: button?.isVoid ?? true,
    ageMs: clock.now() - (button?.createdAt ?? 0),
    limitMs: limits.buttonMs,
    isOwner: button === null || button.owner === null || button.owner === sender,
    decides: action !== null && decides(action),
    isApprover: isApprover(sender),
  });
}

function heed(
  options: CommandOptions,
  command: StoredCommand,
  button: StoredButton,
  action: ButtonAction,
): Wording | null {
  const { id: commandId, key } = command;
  switch (action.do) {
    case "retry": {
      const { messageId } = action;
      if (!isParked(options, command, messageId)) return tooLate(options, command);
      const uuid = options.newId();
      options.toSession(key, { type: "command.retry", commandId, messageId, uuid });
      return settle(options, button);
    }
    case "skip": {
      const { messageId } = action;
      if (!isParked(options, command, messageId)) return tooLate(options, command);
      options.toSession(key, { type: "command.skip", commandId, messageId });
      return settle(options, button);
    }
    case "new":
      options.toSession(key, { type: "command.new", commandId });
      return settle(options, button);
    case "stop":
      options.toSession(key, { type: "command.stop", commandId });
      return null;
    case "decide":
    case "option":
    case "submit":
    case "more":
      return pressApproval(options, command, action);
    case "choose": {
      const { choice, value } = action;
      options.toSession(key, { type: "command.choose", commandId, choice, value });
      return settle(options, button);
    }
    case "bind":
      bindWorkspace(options, command, action.path);
      return settle(options, button);
    case "browse":
      browse(options, command, button, action.path, action.page);
      return null;
    case "folder":
      askForFolder(options, command, action.path);
      return null;
    case "resume":
      resumeOrFork(options, { ...command, args: action.agentSessionId }, "resume");
      return null;
  }
}

/** A typed `/retry` or `/skip` may have decided about it, and the buttons still be there. */
function isParked({ store }: CommandOptions, { key }: StoredCommand, messageId: number): boolean {
  return store.facts(key).messages.some((one) => one.id === messageId && one.state === "parked");
}

function tooLate(options: CommandOptions, command: StoredCommand): Wording {
  ignore(options, command);
  return options.words.presses.stale;
}

/** What was offered was taken: the message says which, and offers it no more. */
function settle(
  { store, outboxFilled }: CommandOptions,
  { key, row, text, label }: StoredButton,
): null {
  const outgoing = [{ ...noticeDraft(settledText(text, label), null), edits: row }];
  store.write(key, { facts: [], outgoing, commandsDone: [] });
  outboxFilled(key);
  return null;
}

function ignore({ store }: CommandOptions, { key, id }: StoredCommand): void {
  store.write(key, { facts: [], outgoing: [], commandsDone: [id] });
}
