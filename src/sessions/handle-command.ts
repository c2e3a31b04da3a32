import type { SessionCommand } from "../../machines/commands.ts";
import { contextPercent } from "../../machines/context-usage.ts";
import { decideResume, type ResumeDecision } from "../../machines/resume.ts";
import type { Limits } from "../../machines/limits.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import { EDITED, PRESSED, readReply, REPLIED } from "../channels/commands.ts";
import type { Logger } from "../log.ts";
import type { Clock, SessionKey, Store, StoredCommand } from "../ports.ts";
import { resumeList } from "../resume-words.ts";
import { statusWords } from "../status-words.ts";
import { WORDS, workspaceRefused } from "../words.ts";
import { earlierConversations } from "./earlier.ts";
import { handlePress } from "./handle-press.ts";
import { noticeDraft } from "./ledger.ts";
import { replyToApproval } from "./press-approval.ts";
import { findWorkspace } from "./workspace.ts";

export interface CommandOptions {
  readonly store: Store;
  readonly defaultWorkspace: string;
  readonly roots: readonly string[];
  readonly limits: Pick<Limits, "messageBytes" | "buttonMs">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
  newId(): string;
  phase(key: SessionKey): SessionPhase | "queued" | null;
  /** Hands a command to the session. */
  toSession(key: SessionKey, command: SessionCommand): void;
  outboxFilled(key: SessionKey): void;
  /** Whether somebody may settle what the agent asks for. */
  isApprover(sender: string): boolean;
  /** Ends the wait of whoever pressed a button; `text` is shown to them alone. */
  answerPress(pressId: string, text: string | null): void;
}

/** Answers a command, or hands it to its session. It is stored already, and done in the answer's transaction. */
export function handleCommand(options: CommandOptions, command: StoredCommand): void {
  const { key, id: commandId } = command;
  switch (command.name) {
    case EDITED:
      return editMessage(options, command);
    case REPLIED: {
      const { requestId, text } = readReply(command.args);
      return replyToApproval(options, command, requestId, text);
    }
    case PRESSED:
      return handlePress(options, command);
    case "start":
    case "help":
      return answerCommand(options, command, WORDS.help);
    case "status":
      return answerCommand(options, command, status(options, key));
    case "workspace":
      return workspace(options, command);
    case "new":
      if (command.args !== "") return answerCommand(options, command, WORDS.newWithText);
      return options.toSession(key, { type: "command.new", commandId });
    case "stop": {
      const all = command.args.toLowerCase() === "all";
      return options.toSession(key, { type: "command.stop", commandId, ...(all ? { all } : {}) });
    }
    case "resume":
    case "fork":
      return resumeOrFork(options, command, command.name);
    case "retry": {
      const uuid = options.newId();
      return options.toSession(key, { type: "command.retry", commandId, messageId: null, uuid });
    }
    case "skip":
      return options.toSession(key, { type: "command.skip", commandId, messageId: null });
    default:
      return answerCommand(options, command, WORDS.refusedCommand(command.name));
  }
}

/** Which conversation is meant, and whose it is, is decided in machines/resume.ts. */
function resumeOrFork(
  options: CommandOptions,
  command: StoredCommand,
  how: "resume" | "fork",
): void {
  const { store } = options;
  const { key } = command;
  const earlier = earlierConversations(store, key, options.clock.now());
  if (command.args === "") {
    return answerCommand(options, command, how === "fork" ? WORDS.forkWhat : resumeList(earlier));
  }
  const asked = earlier[Number(command.args) - 1]?.agentSessionId ?? command.args;
  const others = store.sessionsKnowing(asked).filter((one) => one.key !== key);
  const decided = decideResume(asked, store.facts(key), others);
  switch (decided.kind) {
    case "unknown":
      return answerCommand(options, command, WORDS.resumeUnknown(asked));
    case "ambiguous":
      return answerCommand(options, command, WORDS.resumeAmbiguous(asked, decided.agentSessionIds));
    case "current":
    case "own":
    case "held":
    case "left":
      return takeUp(options, command, how, decided);
  }
}

type Known = Extract<ResumeDecision, { readonly session: unknown }>;

/** A copy can be made of every conversation; going on with one, only by one chat. */
function takeUp(
  options: CommandOptions,
  command: StoredCommand,
  how: "resume" | "fork",
  known: Known,
): void {
  const { key, id: commandId } = command;
  const { session } = known;
  const { agentSessionId } = session;
  const take = { type: "command.take", commandId, how, session } as const;
  if (how === "fork" || known.kind === "left") return options.toSession(key, take);
  switch (known.kind) {
    case "current":
      return answerCommand(options, command, WORDS.resumeCurrent(agentSessionId));
    case "held":
      return answerCommand(options, command, WORDS.resumeHeld(agentSessionId, known.by));
    case "own":
      return options.toSession(key, { type: "command.resume", commandId, agentSessionId });
  }
}

/** A message was changed where it was written: what has not been given yet is given as it reads now. */
function editMessage(options: CommandOptions, command: StoredCommand): void {
  const { store, limits } = options;
  const { key, id: commandId, args: text, platformMessageId } = command;
  const message = store.messageOnPlatform(key, platformMessageId ?? "");
  const state = store.facts(key).messages.find((one) => one.id === message?.id)?.state;
  const done = { facts: [], outgoing: [], commandsDone: [commandId] };
  // A command that was changed, or a change of something else than the text.
  if (message === null || message.text === text) return void store.write(key, done);
  if (state !== "received" && state !== "parked") {
    return answerCommand(options, command, WORDS.editedTooLate);
  }
  if (Buffer.byteLength(text) > limits.messageBytes) {
    return answerCommand(options, command, WORDS.tooLong(limits.messageBytes));
  }
  const outgoing = [noticeDraft(WORDS.edited, platformMessageId)];
  store.write(key, { ...done, outgoing, edited: { id: message.id, text } });
  options.outboxFilled(key);
}

/** Ends a command with a text. */
export function answerCommand(options: CommandOptions, command: StoredCommand, text: string): void {
  const { key, id, platformMessageId } = command;
  options.store.write(key, {
    facts: [],
    outgoing: [noticeDraft(text, platformMessageId)],
    commandsDone: [id],
  });
  options.outboxFilled(key);
}

function status(options: CommandOptions, key: SessionKey): string {
  const facts = options.store.facts(key);
  return statusWords({
    phase: options.phase(key),
    facts,
    workspace: facts.workspace ?? options.defaultWorkspace,
    percent: contextPercent(facts.context),
    textOf: (id) => options.store.message(id)?.text ?? "",
  });
}

function workspace(options: CommandOptions, command: StoredCommand): void {
  const { key, args, id: commandId } = command;
  const { store, roots, log } = options;
  if (args === "") {
    const current = store.facts(key).workspace ?? options.defaultWorkspace;
    return answerCommand(options, command, WORDS.workspace(current, roots));
  }
  const found = findWorkspace(args, roots, log);
  if (!found.ok) return answerCommand(options, command, workspaceRefused(found.reason, args));
  return options.toSession(key, { type: "command.bindWorkspace", commandId, path: found.path });
}
