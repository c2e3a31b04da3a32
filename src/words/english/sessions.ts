import type { Choice, FailureReason } from "../../../machines/facts.ts";
import { code } from "../code.ts";
import type {
  ChoiceWords,
  ConversationWords,
  StatusWords,
  WorkspaceWords,
} from "../session-words.ts";
import type { Written } from "../wording.ts";

export const conversations: Written<ConversationWords> = {
  none: "There is no conversation in this chat yet. Just write.",
  noneEarlier: "There is no earlier conversation in this chat yet.",
  earlier: "↩️ Earlier conversations of this chat, the latest first:",
  howBack: "/resume 1 goes back to the first; the present one is kept.",
  moreById: (count) => `… and ${count} more, by their id.`,
  pressOne: "Press to go back to one.",
  moreByResume: (count) => `… and ${count} more; /resume and an id goes back to any.`,
  noWorkspace: "no workspace",
  turns: (count) => {
    if (count === 0) return "no turn completed";
    return count === 1 ? "1 turn" : `${count} turns`;
  },
  ago: (age) => `${age} ago`,
  forkWhich:
    "Which conversation? /fork and the number or ID of one copies it; /resume lists this chat's, and /status shows another's in its chat.",
  unknown: (asked) =>
    `There is no earlier conversation ${code(asked)} here. Nothing was changed; /resume lists those of this chat.`,
  current: (id) => `This chat is in the conversation ${code(id)} already. Nothing was changed.`,
  ambiguous: (asked, ids) =>
    `${code(asked)} fits ${ids.length} conversations: ${ids.slice(0, 5).map(code).join(", ")}. Nothing was changed; give more of the one you mean.`,
  held: (id, by) =>
    `🔒 The conversation ${code(id)} belongs to another ${by === "topic" ? "topic of this chat" : "chat"} now, and two cannot write to one.\n${code(`/fork ${id.slice(0, 8)}`)} goes on here with a copy of it.`,
  leaving: (id) =>
    `⏳ Another chat has just left the conversation ${code(id)}, and its agent is still being ended.\nNothing was changed. Try again in a moment.`,
};

export const workspaces: Written<WorkspaceWords> = {
  noneYet: "none chosen yet",
  current: (path, roots) =>
    `📁 The workspace is ${code(path)}.\n/workspace NAME changes it, inside ${roots.map(code).join(", ")}.`,
  shared: (path) =>
    `ℹ️ Another chat works in ${code(path)} too. Each has its own conversation; the files are shared.`,
  refused: (reason, named) => {
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
  },
  choose:
    "📁 Where shall the agent work in this chat?\nPress a folder to choose it, › to look inside.",
  inside: (path) => `📂 ${code(path)}\nPress a folder to choose it, › to look inside.`,
  newFolder: (path) => `➕ Reply to this message with the name of a new folder in ${code(path)}.`,
  badName:
    "🚫 A folder's name is 1 to 64 letters, digits, spaces, dots, dashes and underscores, and begins with a letter or digit.\nNothing was changed. Reply with another name.",
};

const CHOICES: Readonly<Record<Choice, string>> = {
  model: "model",
  mode: "permission mode",
  effort: "effort",
  verbose: "level of progress",
};

export const choices: Written<ChoiceWords> = {
  levels: ["Nothing but the answer", "What is being done", "With the text so far"],
  ask: (choice, current, isOffered) => {
    const now =
      current === null
        ? `The ${CHOICES[choice]} is as configured.`
        : `The ${CHOICES[choice]} is ${code(current)}.`;
    if (isOffered) return `${now}\nChoose another for this chat:`;
    return choice === "effort"
      ? `${now}\nThe agent has not said that it offers a choice.`
      : `${now}\n${code(`/${choice} NAME`)} changes it; what the agent offers is known once it has run.`;
  },
  unknown: (choice, asked, offered) => {
    const known =
      offered.length === 0
        ? "The agent has not said that it offers one."
        : `Choose one of ${offered.map(code).join(", ")}.`;
    return `🚫 There is no ${CHOICES[choice]} ${code(asked)}; nothing was changed.\n${known}`;
  },
  notApprover:
    "🔒 Only those who may approve what the agent does can change its permission mode.\nNothing was changed.",
};

const FAILURES: Readonly<Record<FailureReason, string>> = {
  "binary-missing": "the agent's program was not found",
  "not-executable": "the agent's program may not be executed",
  "not-logged-in": "the agent is not logged in",
  "spawn-failed": "the agent could not be started",
  "start-timeout": "the agent did not start in time",
  "start-failed": "the agent ended while starting",
  "projects-missing": "the agent's folder of conversations cannot be read",
  "session-in-use": "the conversation is open in another program",
  "workspace-missing": "the workspace does not exist",
  "workspace-not-a-directory": "the workspace is a file",
  "workspace-unreadable": "the workspace cannot be read",
  "workspace-outside-roots": "the workspace is outside the allowed roots",
  "no-workspace": "no workspace is chosen",
  "store-failed": "holdfast could not write its state",
  "crash-limit": "the agent died again and again",
  "actor-fault": "a fault inside holdfast",
};

export const status: Written<StatusWords> = {
  phases: {
    busy: "Working",
    waiting: "Waiting for your permission",
    idle: "Ready",
    background: "Ready; work goes on in the background",
    moving: "Starting its agent",
    ending: "Falling asleep",
    queued: "Waiting for a free place: too many sessions are running",
  },
  failed: (reason) => `Failed: ${FAILURES[reason]}; your next message tries again`,
  asleep: {
    fresh: "Asleep; your next message starts a new conversation",
    resumes: "Asleep; your next message resumes it",
    nothing: "Asleep, nothing to resume",
  },
  workspace: (path) => `Workspace: ${code(path)}`,
  agent: (kind, agentSessionId) =>
    `Agent: ${kind}, session ${agentSessionId === null ? "none yet" : code(agentSessionId)}`,
  model: (name) => `Model: ${name ?? "not known yet"}`,
  context: (percent) => `Context: ${percent === null ? "not known yet" : `${percent}%`}`,
  queue: (waiting) => `Queue: ${waiting} waiting`,
  running: (text) => `Running: ${text}`,
  parked: (count, first) =>
    `Waiting for your decision: ${count}. First: ${first} (/retry or /skip)`,
};
