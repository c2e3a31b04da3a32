import type { CommandWords } from "../words.ts";
import type { Written } from "../wording.ts";

const HELP = [
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
];

const MENU = [
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
];

export const commands: Written<CommandWords> = {
  help: HELP.join("\n"),
  menu: MENU,
  refused: (name) =>
    `/${name} makes no sense here and was not passed on: run it in the agent's own terminal.`,
  adminsOnly: (name) =>
    `🔒 Only administrators of this group may use /${name} here. Nothing was changed; ask one of them.`,
  failed: (name) =>
    `/${name} could not be carried out because of a fault in holdfast. Nothing was changed; the log has the details.`,
  newWithText:
    "Nothing was changed: please send /new alone, and what you want done as a message of its own.",
  nameHow: "Please give this conversation a name of at most 64 characters: /name the parser",
};
