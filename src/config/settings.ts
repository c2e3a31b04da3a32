import { delimiter } from "node:path";
import { z } from "zod";
import { LIMITS, limitEnvName } from "../../machines/limits.ts";
import type { LimitName } from "../../machines/limits.ts";
import { LOG_LEVELS } from "../log.ts";

/** One thing that can be set, in the file or in the environment. */
export interface Setting<Schema extends z.ZodType = z.ZodType> {
  /** Dotted key in the file. */
  readonly key: string;
  readonly env: string;
  /** Of the value as the file writes it. */
  readonly schema: Schema;
  /** Turns a variable's text into what the file would hold; what it cannot read it hands to the schema as it is. */
  readonly fromEnv: (text: string) => unknown;
  /** What may be set, ready to follow "Allowed: ". */
  readonly allowed: string;
  /** For the documentation. */
  readonly fallback: string;
  readonly meaning: string;
  /** A value as the file writes it, for the example file. */
  readonly example: string;
  /** Its value is never shown and never handed to an agent. */
  readonly secret: boolean;
  /** Whether an empty variable means an empty list; otherwise it is a mistake. */
  readonly emptyAllowed: boolean;
}

type Given<Schema extends z.ZodType> = Pick<
  Setting<Schema>,
  "key" | "env" | "schema" | "allowed" | "fallback" | "meaning" | "example"
> &
  Partial<Setting<Schema>>;

const define = <Schema extends z.ZodType>(given: Given<Schema>): Setting<Schema> => ({
  fromEnv: (text) => text.trim(),
  secret: false,
  emptyAllowed: false,
  ...given,
});

const list = (separator: string) => (text: string) =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== "");

const number = (text: string): unknown =>
  /^-?\d+(?:_\d+)*$/.test(text.trim()) ? Number(text.trim().replaceAll("_", "")) : text;

const flag = (text: string): unknown => {
  if (/^(?:true|1|on|yes)$/i.test(text.trim())) return true;
  if (/^(?:false|0|off|no)$/i.test(text.trim())) return false;
  return text;
};

const path = z.string().trim().min(1);
const kinds = ["claude", "scripted"] as const;
const modes = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"] as const;
export type PermissionMode = (typeof modes)[number];

export const SETTINGS = {
  stateDir: define({
    key: "state_dir",
    env: "HOLDFAST_STATE_DIR",
    schema: path,
    allowed: "a path to a directory, which is created when it is missing",
    fallback: "`$XDG_STATE_HOME/holdfast`, else `~/.local/state/holdfast`",
    meaning: "Where the database lives. One service a state directory.",
    example: '"~/.local/state/holdfast"',
  }),
  token: define({
    key: "telegram.token",
    env: "TELEGRAM_BOT_TOKEN",
    schema: z.string().regex(/^[\w:-]+$/),
    allowed: "the bot's token as @BotFather gave it, like 123456789:AA…",
    fallback: "none: the service opens a chat in the terminal",
    meaning:
      "Makes the service a Telegram bot. Then the allow-list and the workspace are required.",
    example: '"123456789:the-token-that-BotFather-gave"',
    secret: true,
  }),
  apiRoot: define({
    key: "telegram.api_root",
    env: "TELEGRAM_API_ROOT",
    schema: z.string().refine((text) => isHttpUrl(text)),
    allowed: "an http:// or https:// address without query or fragment",
    fallback: "`https://api.telegram.org`",
    meaning: "The Bot API server, where an own one is run.",
    example: '"https://api.telegram.org"',
  }),
  allowedUsers: define({
    key: "telegram.allowed_users",
    env: "HOLDFAST_ALLOWED_USERS",
    schema: z.array(z.int().positive()),
    fromEnv: (text) => list(",")(text).map(number),
    emptyAllowed: true,
    allowed: "numeric Telegram user ids (of people, so not negative; no @names)",
    fallback: "none: with a token an empty list is refused",
    meaning: "Who may talk to the bot. Everybody else is ignored.",
    example: "[123456789]",
  }),
  chatUsers: define({
    key: "telegram.chat_users",
    env: "HOLDFAST_CHAT_USERS",
    schema: z.array(z.string().regex(/^-\d{1,16}:\d{1,16}$/)),
    fromEnv: list(","),
    allowed: "pairs of a group's id and a user's id, like -1001234567890:123456789",
    fallback: "none: `telegram.allowed_users` are heard in every group",
    meaning: "Who is heard in a group. A group that is named here hears nobody else.",
    example: '["-1001234567890:123456789"]',
  }),
  requireMention: define({
    key: "telegram.require_mention",
    env: "HOLDFAST_REQUIRE_MENTION",
    schema: z.boolean(),
    fromEnv: flag,
    allowed: "true or false",
    fallback: "`true`",
    meaning:
      "In groups only what speaks to the bot is heard: a mention, a reply to it, a command. With `false` everything is, which needs the bot's privacy mode to be off (@BotFather, /setprivacy) or the bot to be an administrator.",
    example: "true",
  }),
  groupCommands: define({
    key: "telegram.group_commands",
    env: "HOLDFAST_GROUP_COMMANDS",
    schema: z.enum(["everyone", "admins"]),
    allowed: "everyone or admins",
    fallback: "`everyone` who is heard",
    meaning: "Who may use commands in a group that change a session, such as /new and /stop.",
    example: '"everyone"',
  }),
  approvers: define({
    key: "telegram.approvers",
    env: "HOLDFAST_APPROVERS",
    schema: z.array(z.int().positive()),
    fromEnv: (text) => list(",")(text).map(number),
    allowed: "numeric Telegram user ids, each of them an allowed user",
    fallback: "all allowed users",
    meaning: "Who may allow or deny what the agent asks for, and answer its questions.",
    example: "[123456789]",
  }),
  workspace: define({
    key: "workspaces.default",
    env: "HOLDFAST_WORKSPACE",
    schema: path,
    allowed: "a path to an existing directory",
    fallback:
      "none: with a token each chat then chooses inside `workspaces.roots`; in the terminal chat an empty folder of its own",
    meaning: "The directory in which a chat's agent works until `/workspace` binds another.",
    example: '"~/projects/website"',
  }),
  roots: define({
    key: "workspaces.roots",
    env: "HOLDFAST_WORKSPACE_ROOTS",
    schema: z.array(path),
    fromEnv: list(delimiter),
    allowed: "paths to existing directories",
    fallback: "the default workspace's parent",
    meaning: "`/workspace` binds directories inside these only, symlinks resolved.",
    example: '["~/projects"]',
  }),
  agentKind: define({
    key: "agent.kind",
    env: "HOLDFAST_AGENT",
    schema: z.enum(kinds),
    allowed: kinds.join(" or "),
    fallback: "`claude`; in the terminal chat `scripted` takes its place where claude cannot run",
    meaning: "Which agent answers. Once set, it is never replaced by the other.",
    example: '"claude"',
  }),
  agentBin: define({
    key: "agent.bin",
    env: "CLAUDE_BIN",
    schema: path,
    allowed: "a name to look up in PATH, or a path",
    fallback: "`claude`",
    meaning: "The Claude Code program.",
    example: '"claude"',
  }),
  permissionMode: define({
    key: "agent.permission_mode",
    env: "HOLDFAST_PERMISSION_MODE",
    schema: z.enum(modes),
    allowed: modes.join(", "),
    fallback: "`default`",
    meaning: "Claude Code's permission mode. Root cannot use `bypassPermissions`.",
    example: '"default"',
  }),
  approvals: define({
    key: "agent.approvals",
    env: "HOLDFAST_APPROVALS",
    schema: z.enum(["ask", "deny"]),
    allowed: "ask or deny",
    fallback: "`ask`",
    meaning:
      "What becomes of a tool that needs a permission, of a question and of a plan: put to the chat, or denied at once.",
    example: '"ask"',
  }),
  model: define({
    key: "agent.model",
    env: "HOLDFAST_MODEL",
    schema: z.string().trim().min(1),
    allowed: "a model's name or alias as the agent knows it",
    fallback: "none: the agent's own choice",
    meaning: "The model of new sessions; a resumed one keeps its own.",
    example: '"sonnet"',
  }),
  refusedCommands: define({
    key: "agent.refused_commands",
    env: "HOLDFAST_REFUSED_COMMANDS",
    schema: z.array(z.string().regex(/^\/?[\w:-]+$/)),
    fromEnv: list(","),
    emptyAllowed: true,
    allowed: "names of commands, with or without the slash",
    fallback: "`login`, `logout`, `exit`, `quit`",
    meaning: "Commands that are not passed to the agent, because they make no sense in a chat.",
    example: '["login", "logout", "exit", "quit"]',
  }),
  legacyContinue: define({
    key: "agent.legacy_continue",
    env: "HOLDFAST_LEGACY_CONTINUE",
    schema: z.boolean(),
    fromEnv: flag,
    allowed: "true or false",
    fallback: "`false`",
    meaning:
      "Lets a chat that never had a session take over the directory's latest one (`--continue`).",
    example: "false",
  }),
  selfReport: define({
    key: "agent.self_report",
    env: "HOLDFAST_SELF_REPORT",
    schema: z.boolean(),
    fromEnv: flag,
    allowed: "true or false",
    fallback: "`true`",
    meaning:
      "Asks the agent, in its system prompt, to end each answer with its own estimate of its context. It is taken out before anything is relayed, and kept to be compared (`holdfast context-report`).",
    example: "true",
  }),
  logLevel: define({
    key: "log.level",
    env: "HOLDFAST_LOG_LEVEL",
    schema: z.enum(LOG_LEVELS),
    allowed: LOG_LEVELS.join(", "),
    fallback: "`info`",
    meaning: "The least record that is written.",
    example: '"info"',
  }),
};

export const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

const limitSetting = (name: LimitName): Setting<z.ZodNumber> => {
  const { min, max, why, default: fallback } = LIMITS[name];
  return define({
    key: `limits.${limitEnvName(name).toLowerCase()}`,
    env: `HOLDFAST_LIMIT_${limitEnvName(name)}`,
    schema: z.int().min(min).max(max),
    fromEnv: number,
    allowed: `a whole number from ${min} to ${max}${unitOf(name)}`,
    fallback: String(fallback),
    meaning: why,
    example: String(fallback),
  });
};

/** `" ms"`, `" bytes"`, or nothing for a count. */
export function unitOf(name: LimitName): string {
  if (name.endsWith("Ms")) return " ms";
  return name.endsWith("Bytes") ? " bytes" : "";
}

export const LIMIT_SETTINGS = Object.fromEntries(
  LIMIT_NAMES.map((name) => [name, limitSetting(name)]),
) as { readonly [Name in LimitName]: Setting<z.ZodNumber> };

export const ALL_SETTINGS: readonly Setting[] = [
  ...Object.values(SETTINGS),
  ...Object.values(LIMIT_SETTINGS),
];

/** Variables that begin like a setting and are none: what marks an agent's process, and the scripted agent's script. */
export const OTHER_VARIABLES: readonly string[] = [
  "HOLDFAST_CONFIG",
  "HOLDFAST_AGENT_STATE_DIR",
  "HOLDFAST_AGENT_SESSION",
  "HOLDFAST_AGENT_EPOCH",
  "HOLDFAST_AGENT_SOCKET",
  "HOLDFAST_AGENT_TOKEN",
  "HOLDFAST_SCRIPT",
];

function isHttpUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
}
