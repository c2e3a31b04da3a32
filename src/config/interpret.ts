import { dirname } from "node:path";
import type { z } from "zod";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import type { LimitName, Limits } from "../../machines/limits.ts";
import type { Config } from "../config.ts";
import {
  checkCreatable,
  checkDirectory,
  defaultStateDir,
  expandPath,
  homeOf,
  isInside,
} from "./paths.ts";
import { LIMIT_NAMES, LIMIT_SETTINGS, SETTINGS } from "./settings.ts";
import type { Setting } from "./settings.ts";
import { describe } from "./sources.ts";
import type { Entry, Environment, Origin } from "./sources.ts";

/** What was set, each by its last word, and where what is wrong is put. */
export interface Given {
  readonly entries: ReadonlyMap<Setting, Entry>;
  /** Given anywhere, right or wrong. */
  readonly mentioned: ReadonlySet<Setting>;
  readonly env: Environment;
  readonly problems: string[];
}

function get<Schema extends z.ZodType>(
  given: Given,
  setting: Setting<Schema>,
): z.output<Schema> | undefined {
  const entry = given.entries.get(setting);
  return entry === undefined ? undefined : setting.schema.parse(entry.value);
}

function resolved(given: Given, setting: Setting, path: string): string {
  const base = given.entries.get(setting)?.origin.base ?? "/";
  return expandPath(path, base, homeOf(given.env));
}

const report = (given: Given, setting: Setting, what: string): void => {
  const origin: Origin = given.entries.get(setting)?.origin ?? {
    name: setting.env,
    source: `or ${setting.key} in holdfast.toml`,
    base: "/",
  };
  given.problems.push(describe(origin, what));
};

/** A value was given and already reported: a second problem about its absence would mislead. */
const failed = (given: Given, setting: Setting): boolean =>
  given.mentioned.has(setting) && !given.entries.has(setting);

// ── Telegram ─────────────────────────────────────────────────────────────────

/** A token was given, be it a bad one: the rest of a bot's configuration is judged with it. */
const wantsTelegram = (given: Given): boolean => given.mentioned.has(SETTINGS.token);

export function readTelegram(given: Given): Config["telegram"] {
  const token = get(given, SETTINGS.token);
  const allowedUsers = new Set(get(given, SETTINGS.allowedUsers));
  if (wantsTelegram(given) && allowedUsers.size === 0 && !failed(given, SETTINGS.allowedUsers)) {
    report(
      given,
      SETTINGS.allowedUsers,
      "nobody is allowed to talk to the bot. List the numeric Telegram ids of those who may.",
    );
  }
  if (token === undefined) return null;
  const apiRoot = get(given, SETTINGS.apiRoot) ?? "https://api.telegram.org";
  return {
    token,
    apiRoot: apiRoot.replace(/\/+$/, ""),
    allowedUsers,
    chatUsers: readChatUsers(given),
    requireMention: get(given, SETTINGS.requireMention) ?? true,
    groupCommands: get(given, SETTINGS.groupCommands) ?? "everyone",
    approvers: readApprovers(given, allowedUsers),
  };
}

function readChatUsers(given: Given): ReadonlyMap<number, ReadonlySet<number>> {
  const chats = new Map<number, Set<number>>();
  for (const pair of get(given, SETTINGS.chatUsers) ?? []) {
    const [chat = 0, user = 0] = pair.split(":").map(Number);
    chats.set(chat, (chats.get(chat) ?? new Set()).add(user));
  }
  return chats;
}

/** Somebody whose presses are ignored could never approve anything. */
function readApprovers(
  given: Given,
  allowedUsers: ReadonlySet<number>,
): ReadonlySet<number> | null {
  const approvers = get(given, SETTINGS.approvers);
  if (approvers === undefined) return null;
  const heard = new Set([
    ...allowedUsers,
    ...[...readChatUsers(given).values()].flatMap((ids) => [...ids]),
  ]);
  const unheard = approvers.filter((id) => !heard.has(id));
  if (unheard.length > 0 && !failed(given, SETTINGS.allowedUsers)) {
    const remedy = `Add them to ${SETTINGS.allowedUsers.key} or leave them out.`;
    report(given, SETTINGS.approvers, `${unheard.join(", ")} may not talk to the bot. ${remedy}`);
  }
  return new Set(approvers);
}

// ── Workspaces ───────────────────────────────────────────────────────────────

export function readWorkspaces(given: Given): Pick<Config, "workspace" | "roots"> {
  const roots = (get(given, SETTINGS.roots) ?? []).map((root) =>
    directory(given, SETTINGS.roots, root),
  );
  const known = roots.filter((root) => root !== null);
  const path = get(given, SETTINGS.workspace);
  if (path === undefined) {
    const hasRoots = known.length > 0 || failed(given, SETTINGS.roots);
    if (wantsTelegram(given) && !hasRoots && !failed(given, SETTINGS.workspace)) {
      const what =
        "a Telegram bot needs a default workspace, or roots in which each chat chooses its own. Name one of them.";
      report(given, SETTINGS.workspace, what);
    }
    return { workspace: null, roots: known };
  }
  const workspace = directory(given, SETTINGS.workspace, path);
  if (workspace === null) return { workspace, roots: known };
  if (roots.length === 0) return { workspace, roots: [dirname(workspace)] };
  // A root that is wrong was reported: whether the workspace lies in it is not known.
  if (known.length === roots.length && !known.some((root) => isInside(workspace, root))) {
    const where = `${workspace} is outside the workspace roots (${known.join(", ")})`;
    const remedy = `Add a root that contains it (${SETTINGS.roots.env}) or choose another.`;
    report(given, SETTINGS.workspace, `${where}. ${remedy}`);
  }
  return { workspace, roots: known };
}

function directory(given: Given, setting: Setting, path: string): string | null {
  const check = checkDirectory(resolved(given, setting, path));
  if (check.ok) return check.real;
  report(given, setting, check.what);
  return null;
}

export function readStateDir(given: Given): string {
  const path = get(given, SETTINGS.stateDir);
  if (path === undefined) return defaultStateDir(given.env, homeOf(given.env));
  const stateDir = resolved(given, SETTINGS.stateDir, path);
  const wrong = checkCreatable(stateDir);
  if (wrong !== null) report(given, SETTINGS.stateDir, wrong);
  return stateDir;
}

// ── Agent, log and limits ────────────────────────────────────────────────────

export function readAgent(given: Given): Config["agent"] {
  const kind = get(given, SETTINGS.agentKind);
  const bin = get(given, SETTINGS.agentBin) ?? "claude";
  const refused = get(given, SETTINGS.refusedCommands) ?? ["login", "logout", "exit", "quit"];
  return {
    kind: kind ?? "claude",
    explicit: kind !== undefined,
    // A bare name is looked up in PATH when it is run.
    bin: /[/\\]|^~$/.test(bin) ? resolved(given, SETTINGS.agentBin, bin) : bin,
    permissionMode: get(given, SETTINGS.permissionMode) ?? "default",
    approvals: get(given, SETTINGS.approvals) ?? "ask",
    model: get(given, SETTINGS.model) ?? null,
    refusedCommands: refused.map((name) => name.replace(/^\//, "").toLowerCase()),
    legacyContinue: get(given, SETTINGS.legacyContinue) ?? false,
    selfReport: get(given, SETTINGS.selfReport) ?? true,
  };
}

export const readLog = (given: Given): Config["log"] => ({
  level: get(given, SETTINGS.logLevel) ?? "info",
});

/** The first must not be above the second, or the second cannot do what it is for. */
const ORDERED: readonly (readonly [LimitName, LimitName])[] = [
  ["pollTimeoutMs", "pollAbortMs"],
  ["pollBackoffMinMs", "pollBackoffMaxMs"],
  ["sendBackoffMinMs", "sendBackoffMaxMs"],
];

export function readLimits(given: Given): Limits {
  const limits: { -readonly [Name in LimitName]: number } = { ...DEFAULT_LIMITS };
  for (const name of LIMIT_NAMES) limits[name] = get(given, LIMIT_SETTINGS[name]) ?? limits[name];
  for (const [low, high] of ORDERED) {
    if (limits[low] <= limits[high]) continue;
    const [culprit, other] = given.entries.has(LIMIT_SETTINGS[low]) ? [low, high] : [high, low];
    const relation = culprit === low ? "above" : "below";
    const what = `${limits[culprit]} is ${relation} ${LIMIT_SETTINGS[other].key} (${limits[other]})`;
    report(given, LIMIT_SETTINGS[culprit], `${what}. Set both so that they fit.`);
  }
  return limits;
}
