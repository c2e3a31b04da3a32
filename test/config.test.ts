import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, LIMITS, limitEnvName } from "../machines/limits.ts";
import { agentEnvironment, loadConfig } from "../src/config.ts";
import type { Config, Environment } from "../src/config.ts";

const TOKEN = "123456789:AAE-abcdefghijklmnopqrstuvwxyz_0123456";

let home: string;
let workspace: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-config-")));
  workspace = join(home, "projects", "site");
  mkdirSync(workspace, { recursive: true });
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Sources {
  readonly toml?: string;
  readonly env?: Environment;
  readonly config?: string;
}

function load({ toml, env = {}, config }: Sources) {
  if (toml !== undefined) writeFileSync(join(home, "holdfast.toml"), toml);
  return loadConfig({ env: { HOME: home, ...env }, argv: { config }, cwd: home });
}

function loaded(sources: Sources): Config {
  const result = load(sources);
  if (!result.ok) throw new Error(result.problems.join("\n"));
  return result.config;
}

function problems(sources: Sources): readonly string[] {
  const result = load(sources);
  if (result.ok) throw new Error("the configuration was accepted");
  return result.problems;
}

/** The only problem there is. */
function problem(sources: Sources): string {
  const all = problems(sources);
  expect(all).toHaveLength(1);
  return all[0] ?? "";
}

const bot = (): Record<string, string> => ({
  TELEGRAM_BOT_TOKEN: TOKEN,
  HOLDFAST_ALLOWED_USERS: "42",
  HOLDFAST_WORKSPACE: workspace,
});

describe("defaults", () => {
  it("is the terminal chat with nothing set", () => {
    expect(loaded({})).toEqual({
      stateDir: join(home, ".local/state/holdfast"),
      telegram: null,
      workspace: null,
      roots: [],
      agent: {
        kind: "claude",
        explicit: false,
        bin: "claude",
        permissionMode: "default",
        model: null,
        refusedCommands: ["login", "logout", "exit", "quit"],
        legacyContinue: false,
      },
      limits: DEFAULT_LIMITS,
      log: { level: "info" },
      secrets: [],
    });
  });

  it("keeps the state where XDG_STATE_HOME says, and ignores a relative one", () => {
    expect(loaded({ env: { XDG_STATE_HOME: "/var/s" } }).stateDir).toBe("/var/s/holdfast");
    expect(loaded({ env: { XDG_STATE_HOME: "s" } }).stateDir).toBe(
      join(home, ".local/state/holdfast"),
    );
  });

  it("takes the default workspace's parent as the only root", () => {
    expect(loaded({ env: bot() }).roots).toEqual([join(home, "projects")]);
  });

  it("remembers that claude was chosen and not fallen back to", () => {
    expect(loaded({ env: { HOLDFAST_AGENT: "claude" } }).agent.explicit).toBe(true);
  });
});

describe("sources", () => {
  it("reads every variable", () => {
    const env = {
      ...bot(),
      TELEGRAM_API_ROOT: "http://127.0.0.1:8081/",
      HOLDFAST_ALLOWED_USERS: "42, 43",
      HOLDFAST_STATE_DIR: "state",
      HOLDFAST_WORKSPACE_ROOTS: [join(home, "projects"), "~"].join(delimiter),
      HOLDFAST_AGENT: "scripted",
      CLAUDE_BIN: "~/bin/claude",
      HOLDFAST_PERMISSION_MODE: "acceptEdits",
      HOLDFAST_MODEL: "sonnet",
      HOLDFAST_REFUSED_COMMANDS: "/Login,theme",
      HOLDFAST_LEGACY_CONTINUE: "on",
      HOLDFAST_LOG_LEVEL: "debug",
      HOLDFAST_LIMIT_IDLE_REAP_MS: "1500",
      ANTHROPIC_API_KEY: "a-key-to-hide",
    };
    expect(loaded({ env })).toEqual({
      stateDir: join(home, "state"),
      telegram: {
        token: TOKEN,
        apiRoot: "http://127.0.0.1:8081",
        allowedUsers: new Set([42, 43]),
      },
      workspace,
      roots: [join(home, "projects"), home],
      agent: {
        kind: "scripted",
        explicit: true,
        bin: join(home, "bin/claude"),
        permissionMode: "acceptEdits",
        model: "sonnet",
        refusedCommands: ["login", "theme"],
        legacyContinue: true,
      },
      limits: { ...DEFAULT_LIMITS, idleReapMs: 1500 },
      log: { level: "debug" },
      secrets: [TOKEN, "a-key-to-hide"],
    });
  });

  it("reads every table of the file, its relative paths from the file's folder", () => {
    mkdirSync(join(home, "etc"));
    const file = join(home, "etc", "bot.toml");
    writeFileSync(
      file,
      `state_dir = "../state"
[telegram]
token = "${TOKEN}"
api_root = "https://bots.example"
allowed_users = [7]
[workspaces]
default = "../projects/site"
roots = ["~/projects"]
[agent]
kind = "claude"
bin = "./claude"
permission_mode = "plan"
model = "opus"
refused_commands = []
legacy_continue = true
[limits]
live_agents = 2
[log]
level = "silent"
`,
    );
    expect(loaded({ env: { HOLDFAST_CONFIG: "etc/bot.toml" } })).toEqual({
      stateDir: join(home, "state"),
      telegram: { token: TOKEN, apiRoot: "https://bots.example", allowedUsers: new Set([7]) },
      workspace,
      roots: [join(home, "projects")],
      agent: {
        kind: "claude",
        explicit: true,
        bin: join(home, "etc/claude"),
        permissionMode: "plan",
        model: "opus",
        refusedCommands: [],
        legacyContinue: true,
      },
      limits: { ...DEFAULT_LIMITS, liveAgents: 2 },
      log: { level: "silent" },
      secrets: [TOKEN],
    });
  });

  it("lets a variable win over holdfast.toml", () => {
    const toml = '[log]\nlevel = "warn"\n[agent]\nmodel = "opus"\n';
    const config = loaded({ toml, env: { HOLDFAST_LOG_LEVEL: "error" } });
    expect([config.log.level, config.agent.model]).toEqual(["error", "opus"]);
  });

  it("lets --config win over HOLDFAST_CONFIG", () => {
    writeFileSync(join(home, "a.toml"), '[log]\nlevel = "warn"\n');
    const sources = { env: { HOLDFAST_CONFIG: "missing.toml" }, config: "a.toml" };
    expect(loaded(sources).log.level).toBe("warn");
  });

  it.each(Object.keys(LIMITS))("reads the limit %s from both sources", (name) => {
    const upper = limitEnvName(name);
    const value = DEFAULT_LIMITS[name as keyof typeof LIMITS] + 1;
    const variable = loaded({ env: { [`HOLDFAST_LIMIT_${upper}`]: String(value) } });
    const file = loaded({ toml: `[limits]\n${upper.toLowerCase()} = ${value}\n` });
    expect(variable.limits).toEqual({ ...DEFAULT_LIMITS, [name]: value });
    expect(file.limits).toEqual(variable.limits);
  });

  it("ignores the variables that mark an agent's process and name its script", () => {
    const env = {
      HOLDFAST_AGENT_STATE_DIR: "/s",
      HOLDFAST_AGENT_SESSION: "k",
      HOLDFAST_AGENT_EPOCH: "3",
      HOLDFAST_SCRIPT: "x.json",
    };
    expect(loaded({ env }).telegram).toBeNull();
  });
});

describe("a bad value", () => {
  it.each([
    ["HOLDFAST_LOG_LEVEL", "loud", /"loud" is not allowed.*trace, debug.*silent/],
    ["HOLDFAST_AGENT", "codex", /"codex" is not allowed.*claude or scripted/],
    ["HOLDFAST_PERMISSION_MODE", "yolo", /"yolo" is not allowed.*bypassPermissions/],
    ["HOLDFAST_LEGACY_CONTINUE", "maybe", /"maybe" is not allowed.*true or false/],
    ["TELEGRAM_API_ROOT", "api.telegram.org", /"api.telegram.org" is not allowed.*http:\/\//],
    ["TELEGRAM_API_ROOT", "ftp://x", /"ftp:\/\/x" is not allowed/],
    ["TELEGRAM_API_ROOT", "http://x/?a=1", /is not allowed/],
    ["HOLDFAST_ALLOWED_USERS", "42,@me", /: "@me" is not allowed.*numeric/],
    ["HOLDFAST_ALLOWED_USERS", "-100123", /: -100123 is not allowed.*not negative/],
    ["HOLDFAST_REFUSED_COMMANDS", "log in", /"log in" is not allowed/],
    ["HOLDFAST_LIMIT_START_MS", "1.5", /"1.5" is not allowed.*1 to 2147483647 ms/],
    ["HOLDFAST_LIMIT_START_MS", "0", /: 0 is not allowed/],
    ["HOLDFAST_LIMIT_START_MS", "2147483648", /2147483648 is not allowed/],
    ["HOLDFAST_LIMIT_LIVE_AGENTS", "many", /"many" is not allowed.*1 to 1000\./],
    ["HOLDFAST_LIMIT_LINE_BYTES", "10", /1024 to 1073741824 bytes/],
    ["HOLDFAST_MODEL", " ", /is empty.*Set it or unset/],
    ["CLAUDE_BIN", "", /is empty.*PATH/],
    ["HOLDFAST_CONFIG", "", /is empty/],
  ])("of %s=%j names the variable, the value and what is allowed", (name, value, text) => {
    const found = problem({ env: { [name]: value } });
    expect(found).toMatch(new RegExp(`^${name} \\(environment\\): `));
    expect(found).toMatch(text);
  });

  it.each([
    ['[log]\nlevel = "loud"', /^log\.level \(.*holdfast\.toml\): "loud" is not allowed/],
    ["[log]\nlevel = 3", /: 3 is not allowed/],
    ["log = 3", /^log \(.*must be a table.*\[log\]/],
    ['[telegram]\nallowed_users = [1, "2"]', /^telegram\.allowed_users \(.*: "2" is not allowed/],
    ["[telegram]\nallowed_users = 1", /: 1 is not allowed/],
    ['[limits]\nidle_reap_ms = "15m"', /^limits\.idle_reap_ms \(.*: "15m" is not allowed/],
    ['[agent]\nlegacy_continue = "yes"', /"yes" is not allowed/],
  ])("in the file %j names the key and the file", (toml, text) => {
    expect(problem({ toml })).toMatch(text);
  });

  it("is reported in the file even where a variable wins", () => {
    const sources = { toml: '[log]\nlevel = "loud"', env: { HOLDFAST_LOG_LEVEL: "info" } };
    expect(problem(sources)).toContain('"loud"');
  });

  it("does not hide the others: all come at once", () => {
    const toml = '[log]\nlevel = "loud"\nlevle = 1\n[limits]\nstart_ms = -1\n';
    const env = { ...bot(), HOLDFAST_AGENT: "x", HOLDFAST_WORKSPACE: "none", HOLDFAST_FOO_BAR: "" };
    expect(problems({ toml, env })).toHaveLength(6);
  });

  it("refuses limits that do not fit each other", () => {
    const env = { HOLDFAST_LIMIT_POLL_ABORT_MS: "100" };
    expect(problem({ env })).toMatch(
      /^HOLDFAST_LIMIT_POLL_ABORT_MS .*below limits.poll_timeout_ms/,
    );
  });
});

describe("an unknown name", () => {
  it.each([
    ["HOLDFAST_WORKSPACES", "HOLDFAST_WORKSPACE"],
    ["HOLDFAST_LIMIT_IDLE_REAP", "HOLDFAST_LIMIT_IDLE_REAP_MS"],
    ["HOLDFAST_ALLOWED_USER", "HOLDFAST_ALLOWED_USERS"],
    ["HOLDFAST_TELEGRAM_BOT_TOKEN", "TELEGRAM_BOT_TOKEN"],
    ["HOLDFAST_CLAUDE_BIN", "CLAUDE_BIN"],
  ])("of a variable, %s, suggests %s", (name, meant) => {
    expect(problem({ env: { [name]: "1" } })).toBe(
      `${name} (environment): is not a variable of holdfast. Did you mean ${meant}?`,
    );
  });

  it.each([
    ["[telegram]\ntokne = 1", "telegram.tokne", "telegram.token"],
    ["[limits]\nidleReapMs = 1", "limits.idleReapMs", "limits.idle_reap_ms"],
    ['allowed_users = ["1"]', "allowed_users", "telegram.allowed_users"],
    ["[agents]\nkind = 1", "agents", "agent"],
  ])("of a key, %j, suggests the near one", (toml, name, meant) => {
    expect(problem({ toml })).toBe(
      `${name} (${join(home, "holdfast.toml")}): is not a key of holdfast. Did you mean ${meant}?`,
    );
  });

  it("suggests nothing where nothing is near", () => {
    expect(problem({ env: { HOLDFAST_ZZZZZZZZ: "1" } })).toMatch(/Remove it; docs/);
  });
});

describe("the file", () => {
  it("must exist when it is named", () => {
    const found = problem({ env: { HOLDFAST_CONFIG: "nowhere.toml" } });
    expect(found).toMatch(
      /^HOLDFAST_CONFIG \(environment\): the file .*nowhere.toml.*ENOENT.*Create/,
    );
  });

  it("must not be a directory", () => {
    mkdirSync(join(home, "holdfast.toml"));
    expect(problem({})).toMatch(/holdfast\.toml cannot be read \(EISDIR\)/);
  });

  it("with a syntax error says line and column and shows nothing of the file", () => {
    const toml = `[telegram]\ntoken = "${TOKEN}" oops\n`;
    const found = problem({ toml });
    expect(found).toMatch(/holdfast\.toml:2:\d+: Invalid TOML document/);
    expect(found).not.toContain("AAE");
    expect(found).not.toContain("oops");
  });
});

describe("Telegram", () => {
  it("with an empty token is refused", () => {
    const found = problem({ env: { ...bot(), TELEGRAM_BOT_TOKEN: "" } });
    expect(found).toMatch(/^TELEGRAM_BOT_TOKEN \(environment\): is empty.*BotFather/);
  });

  it("with a malformed token is refused without showing it", () => {
    const found = problem({ env: { ...bot(), TELEGRAM_BOT_TOKEN: "1234567:my secret" } });
    expect(found).toMatch(/^TELEGRAM_BOT_TOKEN .*not shown/);
    expect(found).not.toContain("my secret");
  });

  it("never shows a token that was pasted into another setting", () => {
    const found = problem({ env: { ...bot(), HOLDFAST_LOG_LEVEL: TOKEN } });
    expect(found).toContain('HOLDFAST_LOG_LEVEL (environment): "[redacted]" is not allowed');
  });

  it.each(["", ",", undefined])("without anybody allowed (%j) is refused", (users) => {
    const found = problem({ env: { ...bot(), HOLDFAST_ALLOWED_USERS: users } as Environment });
    expect(found).toMatch(/^HOLDFAST_ALLOWED_USERS \(.*nobody is allowed.*List the numeric/);
  });

  it("without a workspace is refused", () => {
    const env: Record<string, string> = bot();
    delete env["HOLDFAST_WORKSPACE"];
    expect(problem({ env })).toMatch(/^HOLDFAST_WORKSPACE \(or workspaces\.default in holdfast/);
  });

  it("says all that a lone bad token of the file lacks", () => {
    expect(problems({ toml: "[telegram]\ntoken = 5\n" })).toHaveLength(3);
  });
});

describe("the workspace", () => {
  const withWorkspace = (path: string, extra: Environment = {}) =>
    problem({ env: { ...bot(), HOLDFAST_WORKSPACE: path, ...extra } });

  it("must exist", () => {
    expect(withWorkspace("gone")).toMatch(/gone does not exist. Create it/);
  });

  it("must not be a file", () => {
    writeFileSync(join(home, "file"), "");
    expect(withWorkspace("file")).toMatch(/file is a file, not a directory/);
    expect(withWorkspace("file/below")).toMatch(/has a file in the middle/);
  });

  it.each(["000", "400", "100"])("must be readable (mode %s)", (mode) => {
    chmodSync(home, 0o755);
    chmodSync(workspace, Number.parseInt(mode, 8));
    const restore = asUnprivileged();
    try {
      expect(withWorkspace(workspace)).toMatch(/site cannot be read by the user.*permissions/);
    } finally {
      restore();
      chmodSync(workspace, 0o755);
    }
  });

  it("must not be a symlink that leads back to itself", () => {
    symlinkSync(join(home, "loop"), join(home, "loop"));
    expect(withWorkspace("loop")).toMatch(/leads back to itself/);
  });

  it("is resolved, symlinks and ~ included", () => {
    symlinkSync(workspace, join(home, "link"));
    const config = loaded({ env: { ...bot(), HOLDFAST_WORKSPACE: "~/link" } });
    expect([config.workspace, config.roots]).toEqual([workspace, [join(home, "projects")]]);
  });

  it("must be inside the roots", () => {
    mkdirSync(join(home, "projects-else"));
    const roots = { HOLDFAST_WORKSPACE_ROOTS: join(home, "projects") };
    expect(withWorkspace("projects-else", roots)).toMatch(
      /outside the workspace roots.*Add a root/,
    );
  });

  it("must be inside the roots after its symlinks are resolved", () => {
    mkdirSync(join(home, "outside"));
    symlinkSync(join(home, "outside"), join(home, "projects", "link"));
    const roots = { HOLDFAST_WORKSPACE_ROOTS: join(home, "projects") };
    expect(withWorkspace("projects/link", roots)).toMatch(/outside is outside the workspace roots/);
  });

  it("may be a root itself", () => {
    const env = { ...bot(), HOLDFAST_WORKSPACE_ROOTS: workspace };
    expect(loaded({ env }).roots).toEqual([workspace]);
  });

  it("has roots that must exist too", () => {
    const env = { ...bot(), HOLDFAST_WORKSPACE_ROOTS: ["gone", workspace].join(delimiter) };
    expect(problem({ env })).toMatch(/^HOLDFAST_WORKSPACE_ROOTS .*gone does not exist/);
  });
});

describe("the state directory", () => {
  it("must not be, or be below, a file", () => {
    writeFileSync(join(home, "file"), "");
    for (const path of ["file", "file/below/it"]) {
      const found = problem({ env: { HOLDFAST_STATE_DIR: path } });
      expect(found).toMatch(/^HOLDFAST_STATE_DIR .*file is a file, not a directory/);
    }
  });

  it("need not exist yet", () => {
    expect(loaded({ env: { HOLDFAST_STATE_DIR: "a/b/c" } }).stateDir).toBe(join(home, "a/b/c"));
  });
});

describe("the agent's environment", () => {
  it("lacks the service's token and keeps what the agent logs in with", () => {
    const env = {
      ...bot(),
      COPY_OF_IT: TOKEN,
      PATH: "/bin",
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CODE_OAUTH_TOKEN: "o",
      EMPTY: "",
    };
    expect(agentEnvironment(env)).toEqual({
      HOLDFAST_ALLOWED_USERS: "42",
      HOLDFAST_WORKSPACE: workspace,
      PATH: "/bin",
      ANTHROPIC_API_KEY: "k",
      CLAUDE_CODE_OAUTH_TOKEN: "o",
      EMPTY: "",
    });
  });

  it("lacks copies of a token that came from the file", () => {
    expect(agentEnvironment({ OTHER: TOKEN, A: "1" }, TOKEN)).toEqual({ A: "1" });
  });
});

/** Permissions do not bind root: until the answer is called, the file system sees a user they bind. */
function asUnprivileged(): () => void {
  if (process.geteuid?.() !== 0) return () => undefined;
  process.seteuid?.(65_534);
  return () => process.seteuid?.(0);
}
