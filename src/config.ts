import type { Limits } from "../machines/limits.ts";
import {
  readAgent,
  readLimits,
  readLog,
  readStateDir,
  readTelegram,
  readWorkspaces,
} from "./config/interpret.ts";
import { expandPath, homeOf } from "./config/paths.ts";
import { ALL_SETTINGS, SETTINGS } from "./config/settings.ts";
import type { PermissionMode } from "./config/settings.ts";
import { readConfigFile, readVariables } from "./config/sources.ts";
import type { Environment, Origin } from "./config/sources.ts";
import type { AgentKind } from "../machines/vocabulary.ts";
import type { LogLevel } from "./log.ts";
import { createRedactor } from "./redact.ts";

export type { Environment } from "./config/sources.ts";

/** What the service runs with. Paths are absolute; workspace and roots have their symlinks resolved. */
export interface Config {
  readonly stateDir: string;
  /** Null without a token: the terminal chat. */
  readonly telegram: null | {
    readonly token: string;
    /** Without a slash at its end. */
    readonly apiRoot: string;
    readonly allowedUsers: ReadonlySet<number>;
    /** By a group's id: who is heard there, in place of `allowedUsers`. */
    readonly chatUsers: ReadonlyMap<number, ReadonlySet<number>>;
    readonly requireMention: boolean;
    readonly groupCommands: "everyone" | "admins";
    /** Allowed users all of them; null: every allowed user is one. */
    readonly approvers: ReadonlySet<number> | null;
  };
  /** Null with Telegram: each chat chooses its own inside the roots. */
  readonly workspace: string | null;
  readonly roots: readonly string[];
  readonly agent: {
    readonly kind: AgentKind;
    /** Somebody chose the kind: it is never replaced by another. */
    readonly explicit: boolean;
    /** A path, or a bare name to look up in PATH. */
    readonly bin: string;
    readonly permissionMode: PermissionMode;
    /** What becomes of a request that needs a person. */
    readonly approvals: "ask" | "deny";
    /** Null leaves the choice to the agent. */
    readonly model: string | null;
    /** Lower case, without the slash. */
    readonly refusedCommands: readonly string[];
    readonly legacyContinue: boolean;
    /** The agent is asked for its own estimate of its context. */
    readonly selfReport: boolean;
  };
  readonly limits: Limits;
  readonly log: { readonly level: LogLevel };
  /** What must never be logged: the token, and what agents log in with. */
  readonly secrets: readonly string[];
}

export interface ConfigInput {
  readonly env: Environment;
  /** `config`: the file's path, instead of `HOLDFAST_CONFIG`. */
  readonly argv: { readonly config?: string | undefined };
  /** Where relative paths of the environment start. */
  readonly cwd: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  /** Every problem at once, each a line that says where, what and what to do. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** The only place that reads the process's environment. */
export function readEnvironment(): Environment {
  return { ...process.env };
}

/** Defaults, then the file, then the environment: the last word counts, a mistake in any is a problem. */
export function loadConfig(input: ConfigInput): ConfigResult {
  const { env, cwd } = input;
  const file = readFileSource(input);
  const variables = readVariables(env, cwd);
  const given = {
    env,
    entries: new Map([...file.entries, ...variables.entries]),
    mentioned: new Set([...file.mentioned, ...variables.mentioned]),
    problems: [...file.problems, ...variables.problems],
  };

  const telegram = readTelegram(given);
  const config: Config = {
    stateDir: readStateDir(given),
    telegram,
    ...readWorkspaces(given),
    agent: readAgent(given),
    limits: readLimits(given),
    log: readLog(given),
    secrets: secretsOf(env, telegram?.token ?? null),
  };
  if (given.problems.length === 0) return { ok: true, config };
  // A token pasted into the wrong place would be shown as a bad value.
  const { text } = createRedactor(config.secrets);
  return { ok: false, problems: given.problems.map(text) };
}

function readFileSource({ env, argv, cwd }: ConfigInput) {
  const named = argv.config ?? env["HOLDFAST_CONFIG"];
  if (named === undefined) return readConfigFile(expandPath("holdfast.toml", cwd, ""), null);
  const origin: Origin =
    argv.config === undefined
      ? { name: "HOLDFAST_CONFIG", source: "environment", base: cwd }
      : { name: "--config", source: "command line", base: cwd };
  return readConfigFile(named === "" ? "" : expandPath(named, cwd, homeOf(env)), origin);
}

/** What Claude Code logs in with. The agents need these; the log must not show them. */
const AGENT_SECRETS = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "ANTHROPIC_FOUNDRY_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
  "AWS_SECRET_ACCESS_KEY",
  "AWS_SESSION_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
];

function secretsOf(env: Environment, token: string | null): readonly string[] {
  const given = [token, env[SETTINGS.token.env], ...AGENT_SECRETS.map((name) => env[name])];
  return [...new Set(given.flatMap((secret) => (secret ? [secret] : [])))];
}

/**
 * The environment that agents inherit: all of it, save the variables of the
 * service's own secrets and copies of `token` (which may come from the file)
 * under any other name.
 */
export function agentEnvironment(env: Environment, token: string | null = null): Environment {
  const names = ALL_SETTINGS.filter((setting) => setting.secret).map((setting) => setting.env);
  const values = [token, ...names.map((name) => env[name])].filter(Boolean);
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !names.includes(name) && !values.includes(value)),
  );
}
