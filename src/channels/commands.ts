/**
 * Commands that holdfast answers itself, under every name they may be typed as.
 * Everything else that begins with a slash belongs to the agent (`/compact`).
 */
const OURS: Readonly<Record<string, string>> = {
  start: "start",
  help: "help",
  new: "new",
  restart: "new",
  stop: "stop",
  retry: "retry",
  skip: "skip",
  status: "status",
  workspace: "workspace",
  resume: "resume",
  fork: "fork",
  sessions: "sessions",
  name: "name",
  model: "model",
  mode: "mode",
  effort: "effort",
  verbose: "verbose",
};

/** The names that an intake's `name` may have, aliases resolved. */
export const OUR_COMMANDS: ReadonlySet<string> = new Set(Object.values(OURS));

/** The name of what is no typed command: a message was changed, `args` is its new text. */
export const EDITED = "(edited)";

/** A text replies to what the agent asks; `args` is the request's id, a space and the text. */
export const REPLIED = "(replied)";

export function readReply(args: string): { readonly requestId: string; readonly text: string } {
  const [requestId = ""] = args.split(" ", 1);
  return { requestId, text: args.slice(requestId.length + 1) };
}

/** A text replies to the question for a new folder's name; `args` is the name, a line feed and where. */
export const FOLDER_NAMED = "(folder)";

export function readFolder(args: string): { readonly name: string; readonly parent: string } {
  const [name = "", parent = ""] = args.split("\n");
  return { name, parent };
}

/** A command that whoever gave it may not give here; `args` is its name. */
export const FORBIDDEN = "(forbidden)";

/** A button was pressed; `args` is its nonce and the platform's id of the press, made by `pressArgs`. */
export const PRESSED = "(pressed)";

export function pressArgs(nonce: string, pressId: string): string {
  return `${nonce} ${pressId}`;
}

export function readPress(args: string): { readonly nonce: string; readonly pressId: string } {
  const [nonce = "", pressId = ""] = args.split(" ");
  return { nonce, pressId };
}

/** Agent commands that make no sense over a chat: they need the agent's own terminal. */
export const DEFAULT_REFUSED_COMMANDS: ReadonlySet<string> = new Set([
  "login",
  "logout",
  "exit",
  "quit",
]);

export type ParsedText =
  /** For the agent. `text` is what it gets: a suffix that names this bot is taken off its command. */
  | { readonly kind: "message"; readonly text: string; readonly urgent?: true }
  /** For holdfast: one of `OUR_COMMANDS`, or a refused one, which the service declines in words. */
  | { readonly kind: "command"; readonly name: string; readonly args: string }
  /** Addressed to another bot of the group. */
  | { readonly kind: "elsewhere" };

// A path (`/home/me`) is no command: the name must end at white space or at `@bot`.
const COMMAND = /^\/(?<name>[a-z0-9_]{1,64})(?:@(?<bot>[a-z0-9_]{1,64}))?(?<rest>\s[\s\S]*)?$/i;
const ADDRESSED = /^\/(?<name>[\w:.-]{1,128})@(?<bot>[a-z0-9_]{1,64})(?<rest>\s[\s\S]*)?$/i;

/** `!stop and look at this`. `!!!`, `!=` and a lone `!` are text like any other. */
const URGENT = /^!\s*(?<text>[^\s!=][\s\S]*)$/;

/** `ourName`: the bot's user name without `@`; null where nobody else could be meant. */
export function parseCommand(
  text: string,
  ourName: string | null,
  refused: ReadonlySet<string> = DEFAULT_REFUSED_COMMANDS,
): ParsedText {
  const trimmed = text.trim();
  const urgent = URGENT.exec(trimmed)?.groups?.["text"];
  if (urgent !== undefined) return { kind: "message", text: urgent, urgent: true };
  const found = (COMMAND.exec(trimmed) ?? ADDRESSED.exec(trimmed))?.groups;
  if (found === undefined) return { kind: "message", text };
  const { name = "", bot, rest = "" } = found;
  const typed = name.toLowerCase();
  if (bot !== undefined && ourName !== null && bot.toLowerCase() !== ourName.toLowerCase()) {
    return { kind: "elsewhere" };
  }
  const ours = Object.hasOwn(OURS, typed) ? OURS[typed] : undefined;
  if (ours !== undefined) return { kind: "command", name: ours, args: rest.trim() };
  if (refused.has(typed)) return { kind: "command", name: typed, args: rest.trim() };
  // The agent does not know the bot's name, which clients put behind a command in groups.
  return {
    kind: "message",
    text: bot === undefined || ourName === null ? text : `/${name}${rest}`,
  };
}
