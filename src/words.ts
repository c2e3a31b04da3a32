import type { Choice, FailureReason, ParkReason } from "../machines/facts.ts";
import type { FallbackReason } from "../machines/launch.ts";
import type { Cancelled, Notice } from "../machines/plan.ts";
import { excerpt } from "./excerpt.ts";

/**
 * Every word the bot says, in one place. A notice says what happened, what was
 * kept, and what the user can do, in two lines at most.
 */

/** Longest piece of an agent's own error that is shown in a notice. */
const DETAIL_MAX = 300;

function shorten(detail: string): string {
  const lines = detail.split("\n").map((line) => line.trim());
  const line = lines.filter((one) => one !== "").at(-1) ?? "";
  return excerpt(line, DETAIL_MAX);
}

/** Shown as it is, whatever characters it holds. */
export function code(text: string): string {
  return `\`${text.replaceAll("`", "'")}\``;
}

export function noticeWords(notice: Notice): string {
  switch (notice.code) {
    case "cleared-again":
      return "🆕 No turn was completed since the context was cleared, so this message starts anew once more.\nWhat was said since then is kept: /resume 1 goes back to it.";
    case "context-lost":
      return contextLost(notice.reason, notice.parked);
    case "launch-failed":
      return launchFailed(notice.reason, notice.detail, notice.parked);
    case "turn-failed":
      return `❌ The agent reports an error: ${notice.detail.trim() === "" ? "no reason given" : code(shorten(notice.detail))}\nThe context is kept. Send the message again to retry.`;
    case "turn-interrupted":
      return "⏹ The turn was interrupted before it was done.\nThe context is kept. Send the message again to retry.";
    case "parked":
      return parked(notice.reason);
    case "not-kept":
      return "⚠️ The agent keeps no transcript of this conversation, so it cannot be resumed after a pause.\nCheck that its configuration directory can be written to.";
    case "compacted":
      return compacted(notice.manual, notice.requeued);
    case "compact-failed":
      return `❌ The conversation could not be compacted: ${notice.detail.trim() === "" ? "no reason given" : code(shorten(notice.detail))}\nThe context is kept. /new starts over.`;
    case "wedged":
      return "⚠️ The agent stopped responding and had to be ended.\nThe context is kept.";
    case "approval-denied":
      return `🔒 The agent wanted to use ${code(notice.tool)}, which needs your permission; it was denied.\nTo allow it, change \`permission_mode\` or the agent's own permission rules.`;
    case "approval-timed-out":
      return `⌛ Nobody answered in time, so ${code(notice.tool)} was denied; the agent goes on without it.`;
    case "approval-gone":
      return "That request is settled already, or the agent that asked is gone. Nothing was changed.";
    case "queued-behind-approval":
      return "⏳ Queued: the agent waits for the decision above first.\nWhoever decides may also reply to the request itself, with a reason or another answer.";
    case "chosen":
      return chosen(notice.choice, notice.value);
    case "named":
      return `🏷 This conversation is called ${code(notice.name)} now.`;
    case "nothing-to-name":
      return "There is no conversation yet that could have a name. Send a message first.";
    case "stopped":
      return "⏹ Stopped. The context is kept.";
    case "stopped-all":
      return stoppedAll(notice.running, notice.waiting);
    case "overtaken":
      return "⏹ Stopped for your urgent message. The context is kept.";
    case "nothing-to-stop":
      return "Nothing is running.";
    case "unqueued":
      return notice.waiting > 0
        ? `🗑 Taken out of the queue.\n${count(notice.waiting, "message")} still waiting.`
        : "🗑 Taken out of the queue.";
    case "dropped":
      return notice.waiting > 0
        ? `🗑 Dropped this message; nothing was running.\n${count(notice.waiting, "message")} waiting.`
        : "🗑 Dropped this message; nothing was running.";
    case "new-context":
      return newContext(notice.cancelled, notice.waiting);
    case "workspace-bound":
      return workspaceBound(notice.path, notice.cancelled, notice.waiting);
    case "agent-changed":
      return `🆕 This chat is now answered by the ${notice.agentKind} agent, in a new conversation.\nThe earlier one is kept.`;
    case "resumed":
      return `↩️ Back to the conversation ${code(notice.agentSessionId)}.${stopped(notice.cancelled)}`;
    case "forked":
      return `🔀 This chat goes on with a copy of the conversation ${code(notice.agentSessionId)}.${stopped(notice.cancelled)}`;
    case "resume-unknown":
      return WORDS.resumeUnknown(notice.agentSessionId);
    case "waiting-for-place":
      return waitingForPlace(notice.ahead);
    case "retrying":
      return "▶️ Running it again.";
    case "skipped":
      return "Skipped.";
    case "nothing-parked":
      return "No message is waiting for your decision.";
  }
}

function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun} is` : `${n} ${noun}s are`;
}

const CHOICE_NAMES: Readonly<Record<Choice, string>> = {
  model: "model",
  mode: "permission mode",
  effort: "effort",
  verbose: "level of progress",
};

function chosen(choice: Choice, value: string): string {
  switch (choice) {
    case "model":
      return `🧠 The model is ${code(value)} now, in this chat.`;
    case "mode":
      return `🔐 The permission mode is ${code(value)} now, in this chat.`;
    case "effort":
      return `💪 The effort is ${code(value)} now, in this chat.`;
    case "verbose":
      return `📣 Progress in this chat from now on: ${levelWords(value)}.`;
  }
}

/** What the button says that chooses it. */
function levelWords(value: string): string {
  return CHOICE_WORDS.levels[Number(value)]?.toLowerCase() ?? code(value);
}

function contextLost(reason: FallbackReason, wasParked: boolean): string {
  const why = {
    "resume-refused": "The earlier conversation could not be resumed",
    "too-large": "The earlier conversation has become too large to resume",
    "transcript-missing": "The record of the earlier conversation is gone",
  }[reason];
  const message = wasParked
    ? "\nYour message had already started to run: /retry runs it again, /skip drops it."
    : "";
  return `⚠️ ${why}: starting fresh. Project context in CLAUDE.md is kept.${message}`;
}

function stoppedAll(running: boolean, waiting: number): string {
  const turn = running ? "⏹ Stopped." : "🗑 Nothing was running.";
  const dropped =
    waiting === 0
      ? ""
      : ` ${waiting === 1 ? "1 waiting message is" : `${waiting} waiting messages are`} dropped.`;
  return `${turn}${dropped}\nThe context is kept.`;
}

function waitingForPlace(ahead: number): string {
  const before =
    ahead > 0
      ? ` ${ahead === 1 ? "Another chat waits" : `${ahead} chats wait`} before this one.`
      : "";
  return `⏳ All places for running sessions are taken: yours starts as soon as one is free.${before}`;
}

function compacted(manual: boolean, requeued: number): string {
  if (!manual) return "🗜 The agent compacted the conversation to make room in its context.";
  const next = requeued > 0 ? `\n${count(requeued, "message")} given again.` : "";
  return `🗜 The conversation is compacted.${next}`;
}

function stopped(cancelled: Cancelled | null): string {
  switch (cancelled) {
    case "running":
      return " The running turn was stopped.";
    case "cut-short":
      return " The message that was cut short is dropped.";
    case null:
      return "";
  }
}

function workspaceBound(path: string, cancelled: Cancelled | null, waiting: number): string {
  const next = waiting > 0 ? `\n${count(waiting, "message")} waiting and will run there.` : "";
  return `📁 The workspace is ${code(path)}.${stopped(cancelled)}${next}`;
}

function newContext(cancelled: Cancelled | null, waiting: number): string {
  const next =
    waiting > 0
      ? `${count(waiting, "message")} waiting and will go to the new context.`
      : "Your next message starts a new conversation.";
  return `🆕 Context cleared.${stopped(cancelled)}\n${next}`;
}

function parked(reason: ParkReason): string {
  const why: Record<ParkReason, string> = {
    "cut-short":
      "This message was being worked on when the agent went away; it is not known how far it got.",
    quiet: "The agent fell silent on this message and was interrupted.",
    wedged:
      "The agent stopped responding on this message and had to be ended; it is not known how far it got.",
    swallowed: "The agent ended this message without an answer.",
    "too-large":
      "The conversation has become too large for the agent, so this message was not answered.",
    "tool-ran": "This message had already started to run.",
  };
  const choice =
    reason === "too-large"
      ? "/compact makes room, /new clears the context: either gives it again. /retry runs it now, /skip drops it."
      : "/retry runs it again, /skip drops it.";
  return `⏸ ${why[reason]}\n${choice}`;
}

const KEPT = "Nothing is lost: what you sent waits, and your next message tries again.";

const PUT_ASIDE =
  "This message was cut short: /retry runs it again, /skip drops it. Your next message tries again, too.";

function launchFailed(reason: FailureReason, detail: string, wasParked: boolean): string {
  if (reason === "no-workspace") return CHOOSER_WORDS.homeless;
  return `❌ ${whyFailed(reason, shorten(detail))}\n${wasParked ? PUT_ASIDE : KEPT}`;
}

function whyFailed(reason: FailureReason, detail: string): string {
  const because = detail === "" ? "." : `: ${code(detail)}`;
  switch (reason) {
    case "binary-missing":
      return "The agent's program was not found. Install it, or set CLAUDE_BIN to its path.";
    case "not-executable":
      return `The agent's program may not be executed${because}`;
    case "not-logged-in":
      return "The agent is not logged in. Run `claude` on the machine once and use /login there, or set an API key.";
    case "spawn-failed":
      return `The agent could not be started${because}`;
    case "start-timeout":
      return detail === ""
        ? "The agent did not start in time."
        : `The agent did not start: ${detail}.`;
    case "start-failed":
      return `The agent ended while starting${because}`;
    case "projects-missing":
      return "The agent's folder of conversations cannot be read, so yours cannot be resumed right now; it is kept.";
    case "session-in-use":
      return "This conversation is open in another program (a terminal?). Close it there first.";
    case "workspace-missing":
      return "The workspace does not exist (any more). Choose another with /workspace.";
    case "workspace-not-a-directory":
      return "The workspace is a file, not a directory. Choose another with /workspace.";
    case "workspace-unreadable":
      return `The workspace cannot be read${because}`;
    case "workspace-outside-roots":
      return "The workspace is outside the allowed roots. Choose another with /workspace.";
    case "no-workspace":
      return "No workspace is chosen for this chat. Choose one below, or with /workspace.";
    case "store-failed":
      return `holdfast could not write its state${because}`;
    case "crash-limit":
      return `The agent died again and again (${detail}) and is not restarted by itself.`;
    case "actor-fault":
      return `A fault inside holdfast stopped this session again and again${because}`;
  }
}

/** Why a workspace that the user named is not taken. */
export function workspaceRefused(reason: FailureReason, named: string): string {
  switch (reason) {
    case "workspace-outside-roots":
      return `🚫 ${code(named)} is outside the allowed workspace roots. Nothing was changed.`;
    case "workspace-missing":
      return `🚫 ${code(named)} does not exist. Nothing was changed.`;
    case "workspace-not-a-directory":
      return `🚫 ${code(named)} is a file, not a directory. Nothing was changed.`;
    default:
      return `🚫 ${code(named)} cannot be read. Nothing was changed.`;
  }
}

export const WORDS = {
  help: [
    "I keep this chat attached to a coding agent's session on your machine. Just write what you want done.",
    "",
    "/new – clear the context and start a new conversation",
    "/stop – stop the running turn, keep the conversation; /stop all drops what waits, too; in reply to a message that waits, only that one",
    "/status – state, workspace, context and queue",
    "/workspace – show or change the working directory",
    "/resume – earlier conversations, and the way back to one",
    "/sessions – all conversations of this chat, by workspace",
    "/name – give this conversation a name",
    "/model, /mode, /effort – what the agent works with",
    "/verbose – how much of a running turn is shown",
    "/fork – go on with a copy of a conversation, another chat's as well",
    "/retry, /skip – decide about a message that was cut short",
    "/help – this text",
    "",
    "A message that begins with ! stops the running turn and goes first.",
    "Any other command, such as /compact, goes to the agent.",
  ].join("\n"),
  refusedCommand: (name: string) =>
    `/${name} makes no sense here: it belongs to the agent's own terminal.`,
  newWithText:
    "Nothing was changed: please send /new alone, and what you want done as a message of its own.",
  unsupported: (what: string) =>
    `📎 I cannot pass on ${what} yet. Please send text, a photo or a file.`,
  notApprover:
    "🔒 Only those who may approve what the agent does can change its permission mode.\nNothing was changed.",
  noWorkspace: "none chosen yet",
  adminsOnly: (name: string) =>
    `🔒 Only administrators of this group may use /${name} here. Nothing was changed.`,
  nameHow: "Please give this conversation a name of at most 64 characters: /name the parser",
  emptyMessage: "There is nothing in this message to give to the agent.",
  tooLong: (bytes: number) =>
    `This message is too long (over ${Math.round(bytes / 1024)} KiB) and was not taken. Please put it into a file in the workspace.`,
  queueFull: (max: number) =>
    `${max} messages are waiting already; this one was not taken. Send it again later.`,
  commandFailed: (name: string) =>
    `/${name} could not be carried out because of a fault in holdfast. Nothing was changed; the log has the details.`,
  wholeInFile: "… The whole answer is in the file below.",
  refusedByPlatform: (detail: string) =>
    `❌ A message could not be delivered because Telegram refused it: ${code(shorten(detail))}\nThe context is kept. Ask for it again, in other words or as a file in the workspace.`,
  topicClosed:
    "📪 An answer waits for a topic that is closed or deleted; it is kept.\nIt is sent when somebody writes in that topic again. If the topic is gone for good, ask again in another.",
  emptyAnswer: "(The agent had nothing to say.)",
  partial: (text: string) => `✂️ What there was of an answer:\n\n${text}`,
  edited: "✏️ Changed: it is given to the agent as it reads now.",
  editedTooLate:
    "The agent has this message already, so the change was not passed on.\nSend what has changed as a new message.",
  resumeUnknown: (asked: string) =>
    `There is no earlier conversation ${code(asked)} here. /resume lists those of this chat.`,
  resumeCurrent: (id: string) => `This chat is in the conversation ${code(id)} already.`,
  resumeAmbiguous: (asked: string, ids: readonly string[]) =>
    `${code(asked)} fits ${ids.length} conversations: ${ids.slice(0, 5).map(code).join(", ")}. Please give more of the one you mean.`,
  resumeHeld: (id: string, by: string) =>
    `🔒 The conversation ${code(id)} belongs to another chat now: ${by}. Two chats cannot write to one.\n${code(`/fork ${id.slice(0, 8)}`)} goes on here with a copy of it.`,
  resumeLeaving: (id: string) =>
    `⏳ Another chat has just left the conversation ${code(id)}, and its agent is still being ended.\nTry again in a moment.`,
  forkWhat:
    "Which conversation? /fork and the number or ID of one copies it; /resume lists this chat's, and /status shows another's in its chat.",
  relayed: (cause: string, text: string) => (cause === "" ? text : `🔔 ${cause}\n\n${text}`),
  workspace: (current: string, roots: readonly string[]) =>
    `📁 The workspace is ${code(current)}.\n/workspace NAME changes it, inside ${roots.map(code).join(", ")}.`,
  sharedWorkspace: (path: string) =>
    `ℹ️ Another chat works in ${code(path)} too. Each has its own conversation; the files are shared.`,
} as const;

/** What stands on the buttons. */
export const BUTTON_WORDS = {
  retry: "▶️ Run again",
  skip: "Skip",
  clear: "🆕 Clear the context",
  tool: { allow: "✅ Allow", deny: "🚫 Deny" },
  plan: { allow: "✅ Carry it out", deny: "🚫 Not like this" },
  always: "✅ Always:",
  more: "🔍 See more",
  stop: "⏹ Stop",
  here: "✅ This folder",
  newFolder: "➕ New folder",
  up: "⬆️ Up",
  submit: "📨 Send the answers",
} as const;

/** Files that came with a message: what the agent reads, and what the user is told. */
export const FILE_WORDS = {
  came: "Files that came with this message:",
  missing: "one that could not be passed on",
  tooBig: (name: string, bytes: number) =>
    `📎 ${code(name)} is larger than ${Math.round(bytes / 1_048_576)} MiB and was not passed on; the rest of the message was.\nPut it into the workspace yourself.`,
  failed: (name: string) =>
    `📎 ${code(name)} could not be fetched or saved and was not passed on; the rest of the message was.\nSend it again, or put it into the workspace yourself.`,
} as const;

/** Walking through the folders that may become a workspace. */
export const CHOOSER_WORDS = {
  top: "📁 Where shall the agent work in this chat?\nPress a folder to choose it, › to look inside.",
  homeless:
    "📁 This chat has no workspace yet: press a folder to choose it, › to look inside, or use /workspace.\nNothing is lost: what you sent waits, and is given there.",
  inside: (path: string) => `📂 ${code(path)}\nPress a folder to choose it, › to look inside.`,
  folderName: (path: string) =>
    `➕ Reply to this message with the name of a new folder in ${code(path)}.`,
  badName:
    "🚫 A folder's name is 1 to 64 letters, digits, spaces, dots, dashes and underscores, and begins with a letter or digit.\nNothing was changed. Reply with another name.",
} as const;

/** Questions and answers of `/model`, `/mode`, `/effort` and `/verbose`. */
export const CHOICE_WORDS = {
  levels: ["Nothing but the answer", "What is being done", "With the text so far"],
  ask: (choice: Choice, current: string | null, isOffered: boolean) => {
    const now =
      current === null
        ? `The ${CHOICE_NAMES[choice]} is as configured.`
        : `The ${CHOICE_NAMES[choice]} is ${code(current)}.`;
    if (isOffered) return `${now}\nChoose another for this chat:`;
    return choice === "effort"
      ? `${now}\nThe agent has not said that it offers a choice.`
      : `${now}\n${code(`/${choice} NAME`)} changes it; what the agent offers is known once it has run.`;
  },
  unknown: (choice: Choice, asked: string, offered: readonly string[]) => {
    const known =
      offered.length === 0
        ? "The agent has not said that it offers one."
        : `Choose one of ${offered.map(code).join(", ")}.`;
    return `🚫 There is no ${CHOICE_NAMES[choice]} ${code(asked)}; nothing was changed.\n${known}`;
  },
} as const;

/** Shown for a moment to whoever pressed a button that does nothing. */
export const PRESS_WORDS: Readonly<Record<"stale" | "not-yours" | "unanswered", string>> = {
  unanswered: "Choose an answer to every question first.",
  stale: "This button is not valid any more.",
  "not-yours": "This is not yours to decide.",
};

/** The command menu. */
export const MENU = [
  { command: "new", description: "Clear the context" },
  { command: "stop", description: "Stop the running turn" },
  { command: "status", description: "State, workspace, context, queue" },
  { command: "workspace", description: "Show or change the workspace" },
  { command: "resume", description: "Earlier conversations" },
  { command: "sessions", description: "All conversations of this chat" },
  { command: "name", description: "Name this conversation" },
  { command: "model", description: "Choose the model" },
  { command: "mode", description: "Choose the permission mode" },
  { command: "effort", description: "Choose how hard the model thinks" },
  { command: "verbose", description: "How much of a running turn is shown" },
  { command: "retry", description: "Run a message again that was cut short" },
  { command: "skip", description: "Drop a message that was cut short" },
  { command: "help", description: "What I can do" },
  { command: "start", description: "Begin" },
] as const;
