import { contextPercent } from "../../machines/context-usage.ts";
import {
  EDITED,
  FOLDER_NAMED,
  FORBIDDEN,
  PRESSED,
  readFolder,
  readReply,
  REPLIED,
} from "../channels/commands.ts";
import type { SessionKey, StoredCommand } from "../ports.ts";
import { statusView } from "../words/status-view.ts";
import type { Wording } from "../words/wording.ts";
import { answerCommand, type CommandOptions } from "./command-options.ts";
import { handleChoice, handleName } from "./handle-choice.ts";
import { resumeOrFork } from "./handle-resume.ts";
import { handlePress } from "./handle-press.ts";
import { handleWorkspace, makeAndBind } from "./handle-workspace.ts";
import { noticeDraft } from "./ledger.ts";
import { listSessions } from "./list-sessions.ts";
import { replyToApproval } from "./press-approval.ts";

/** Answers a command, or hands it to its session. It is stored already, and done in the answer's transaction. */
export function handleCommand(options: CommandOptions, command: StoredCommand): void {
  const { key, id: commandId } = command;
  const { words } = options;
  switch (command.name) {
    case EDITED:
      return editMessage(options, command);
    case REPLIED: {
      const { requestId, text } = readReply(command.args);
      return replyToApproval(options, command, requestId, text);
    }
    case FORBIDDEN:
      return answerCommand(options, command, words.commands.adminsOnly(command.args));
    case FOLDER_NAMED: {
      const { name, parent } = readFolder(command.args);
      return makeAndBind(options, command, parent, name);
    }
    case PRESSED:
      return handlePress(options, command);
    case "start":
    case "help":
      return answerCommand(options, command, words.commands.help);
    case "status":
      return answerCommand(options, command, status(options, key));
    case "workspace":
      return handleWorkspace(options, command);
    case "new":
      if (command.args !== "") return answerCommand(options, command, words.commands.newWithText);
      return options.toSession(key, { type: "command.new", commandId });
    case "stop": {
      const all = command.args.toLowerCase() === "all";
      const meant =
        command.about === null ? null : options.store.messageOnPlatform(key, command.about);
      return options.toSession(key, {
        type: "command.stop",
        commandId,
        ...(all ? { all } : {}),
        ...(meant === null ? {} : { messageId: meant.id }),
      });
    }
    case "resume":
    case "fork":
      return resumeOrFork(options, command, command.name);
    case "model":
    case "mode":
    case "effort":
    case "verbose":
      return handleChoice(options, command, command.name);
    case "name":
      return handleName(options, command);
    case "sessions":
      return listSessions(options, command);
    case "retry": {
      const uuid = options.newId();
      return options.toSession(key, { type: "command.retry", commandId, messageId: null, uuid });
    }
    case "skip":
      return options.toSession(key, { type: "command.skip", commandId, messageId: null });
    default:
      return answerCommand(options, command, words.commands.refused(command.name));
  }
}

/** A message was changed where it was written: what has not been given yet is given as it reads now. */
function editMessage(options: CommandOptions, command: StoredCommand): void {
  const { store, limits, words } = options;
  const { key, id: commandId, args: text, platformMessageId } = command;
  const message = store.messageOnPlatform(key, platformMessageId ?? "");
  const state = store.facts(key).messages.find((one) => one.id === message?.id)?.state;
  const done = { facts: [], outgoing: [], commandsDone: [commandId] };
  // A command that was changed, or a change of something else than the text.
  if (message === null || message.text === text) return void store.write(key, done);
  if (state !== "received" && state !== "parked") {
    return answerCommand(options, command, words.messages.editedTooLate);
  }
  if (Buffer.byteLength(text) > limits.messageBytes) {
    return answerCommand(options, command, words.messages.tooLong(limits.messageBytes));
  }
  const outgoing = [noticeDraft(words.messages.edited, platformMessageId)];
  store.write(key, { ...done, outgoing, edited: { id: message.id, text } });
  options.outboxFilled(key);
}

function status(options: CommandOptions, key: SessionKey): Wording {
  const { words } = options;
  const facts = options.store.facts(key);
  return statusView(words, {
    phase: options.phase(key),
    facts,
    workspace: facts.workspace ?? options.defaultWorkspace ?? words.workspaces.noneYet,
    percent: contextPercent(facts.context),
    textOf: (id) => options.store.message(id)?.text ?? "",
  });
}
