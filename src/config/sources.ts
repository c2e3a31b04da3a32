import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import { nearest } from "./nearest.ts";
import { errorCode } from "./paths.ts";
import { ALL_SETTINGS, OTHER_VARIABLES } from "./settings.ts";
import type { Setting } from "./settings.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a value was written: what a problem names, and what its relative paths start from. */
export interface Origin {
  /** The key or the variable. */
  readonly name: string;
  /** The file, or the environment. */
  readonly source: string;
  readonly base: string;
}

export interface Entry {
  readonly origin: Origin;
  readonly value: unknown;
}

/** One source, read: what it sets by setting, and what is wrong with it. */
export interface SourceReading {
  readonly entries: ReadonlyMap<Setting, Entry>;
  /** Settings it gave a value for, right or wrong. */
  readonly mentioned: ReadonlySet<Setting>;
  readonly problems: readonly string[];
}

export const describe = (origin: Origin, what: string): string =>
  `${origin.name} (${origin.source}): ${what}`;

const nothing = (problems: readonly string[]): SourceReading => ({
  entries: new Map(),
  mentioned: new Set(),
  problems,
});

// ── Environment ──────────────────────────────────────────────────────────────

export function readVariables(env: Environment, cwd: string): SourceReading {
  const entries = new Map<Setting, Entry>();
  const mentioned = new Set<Setting>();
  const problems: string[] = [];
  for (const setting of ALL_SETTINGS) {
    const text = env[setting.env];
    if (text === undefined) continue;
    mentioned.add(setting);
    const origin: Origin = { name: setting.env, source: "environment", base: cwd };
    if (text.trim() === "" && !setting.emptyAllowed) {
      problems.push(
        describe(origin, `is empty. Allowed: ${setting.allowed}. Set it or unset the variable.`),
      );
      continue;
    }
    accept(setting, { origin, value: setting.fromEnv(text) }, entries, problems);
  }
  return { entries, mentioned, problems: [...problems, ...unknownVariables(env)] };
}

function unknownVariables(env: Environment): string[] {
  const known = [...ALL_SETTINGS.map((setting) => setting.env), ...OTHER_VARIABLES];
  const forms = (name: string): string[] => [name, name.replace(/^holdfast_/, "")];
  return Object.keys(env)
    .filter((name) => name.startsWith("HOLDFAST_") && env[name] !== undefined)
    .filter((name) => !known.includes(name))
    .map((name) => `${name} (environment): ${unknown(nearest(name, known, forms), "variable")}`);
}

// ── File ─────────────────────────────────────────────────────────────────────

/** Reads a file that somebody named, or (`named` null) one that may be missing. */
export function readConfigFile(path: string, named: Origin | null): SourceReading {
  if (named !== null && path === "") return nothing([describe(named, "is empty. Name a file.")]);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = errorCode(error);
    if (named === null && code === "ENOENT") return nothing([]);
    const what = `the file ${path} cannot be read (${code}). ${FILE_REMEDIES[code] ?? "Check its permissions."}`;
    return nothing([named === null ? what : describe(named, what)]);
  }
  return readToml(text, path);
}

const FILE_REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: "Create it or correct its name.",
  EISDIR: "It is a directory: name the file in it.",
  EACCES: "Make it readable for the user that runs the service.",
};

function readToml(text: string, path: string): SourceReading {
  let document: Readonly<Record<string, unknown>>;
  try {
    document = parse(text);
  } catch (error) {
    // The error's own text quotes the lines around, which may hold the token.
    const where = error instanceof TomlError ? `:${error.line}:${error.column}` : "";
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    return nothing([`${path}${where}: ${reason}. Correct the line.`]);
  }

  const entries = new Map<Setting, Entry>();
  const mentioned = new Set<Setting>();
  const problems = unknownKeys(document, path);
  for (const setting of ALL_SETTINGS) {
    const value = valueAt(document, setting.key.split("."));
    if (value === undefined) continue;
    mentioned.add(setting);
    const origin: Origin = { name: setting.key, source: path, base: dirname(path) };
    accept(setting, { origin, value }, entries, problems);
  }
  return { entries, mentioned, problems };
}

/** The file's shape: only its strictness is used, values are judged one by one. */
const fileShape = (() => {
  const top: Record<string, z.ZodType> = {};
  const tables: Record<string, Record<string, z.ZodType>> = {};
  for (const { key } of ALL_SETTINGS) {
    const [table = key, name] = key.split(".");
    if (name === undefined) top[table] = z.unknown();
    else (tables[table] ??= {})[name] = z.unknown();
  }
  for (const [table, shape] of Object.entries(tables)) {
    top[table] = z.strictObject(shape).partial();
  }
  return z.strictObject(top).partial();
})();

function unknownKeys(document: unknown, path: string): string[] {
  const known = ALL_SETTINGS.map((setting) => setting.key);
  const forms = (name: string): string[] => [name, name.slice(name.lastIndexOf(".") + 1)];
  const issues = fileShape.safeParse(document).error?.issues ?? [];
  return issues.flatMap((issue) => {
    const table = issue.path.join(".");
    if (issue.code !== "unrecognized_keys") {
      return [`${table} (${path}): must be a table. Write its keys below a line [${table}].`];
    }
    return issue.keys.map((key) => {
      const name = table === "" ? key : `${table}.${key}`;
      const tables = Object.keys(fileShape.shape);
      const meant = nearest(name, known, forms) ?? nearest(name, tables);
      return `${name} (${path}): ${unknown(meant, "key")}`;
    });
  });
}

// ── Both ─────────────────────────────────────────────────────────────────────

const unknown = (meant: string | null, kind: string): string =>
  meant === null
    ? `is not a ${kind} of holdfast. Remove it; docs/configuration.md lists all.`
    : `is not a ${kind} of holdfast. Did you mean ${meant}?`;

function accept(
  setting: Setting,
  entry: Entry,
  entries: Map<Setting, Entry>,
  problems: string[],
): void {
  const parsed = setting.schema.safeParse(entry.value);
  if (parsed.success) {
    entries.set(setting, { ...entry, value: parsed.data });
    return;
  }
  // Of a list, only the item that is wrong.
  const wrong = new Set(parsed.error.issues.map((issue) => valueAt(entry.value, issue.path)));
  for (const value of wrong) {
    const shown = setting.secret ? "the value (not shown)" : show(value);
    const what = `${shown} is not allowed. Allowed: ${setting.allowed}. Correct it or remove it.`;
    problems.push(describe(entry.origin, what));
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.hasOwn(found, step) ? Reflect.get(found, step) : undefined;
  }
  return found;
}

function show(value: unknown): string {
  const text = typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
