import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, LIMITS, limitEnvName } from "../../machines/limits.ts";
import { TOKEN, useConfigFolder } from "../support/config-folder.ts";

const folder = useConfigFolder();
const { bot, loaded, problem } = folder;

describe("sources", () => {
  it("reads every variable", () => {
    const env = {
      ...bot(),
      TELEGRAM_API_ROOT: "http://127.0.0.1:8081/",
      HOLDFAST_ALLOWED_USERS: "42, 43",
      HOLDFAST_APPROVERS: "43",
      HOLDFAST_CHAT_USERS: "-1001:42,-1001:44",
      HOLDFAST_REQUIRE_MENTION: "off",
      HOLDFAST_GROUP_COMMANDS: "admins",
      HOLDFAST_APPROVALS: "deny",
      HOLDFAST_STATE_DIR: "state",
      HOLDFAST_WORKSPACE_ROOTS: [join(folder.home, "projects"), "~"].join(delimiter),
      HOLDFAST_AGENT: "scripted",
      CLAUDE_BIN: "~/bin/claude",
      HOLDFAST_PERMISSION_MODE: "acceptEdits",
      HOLDFAST_MODEL: "sonnet",
      HOLDFAST_REFUSED_COMMANDS: "/Login,theme",
      HOLDFAST_LEGACY_CONTINUE: "on",
      HOLDFAST_SELF_REPORT: "off",
      HOLDFAST_LOG_LEVEL: "debug",
      HOLDFAST_LIMIT_IDLE_REAP_MS: "1500",
      ANTHROPIC_API_KEY: "a-key-to-hide",
    };
    expect(loaded({ env })).toEqual({
      stateDir: join(folder.home, "state"),
      telegram: {
        token: TOKEN,
        apiRoot: "http://127.0.0.1:8081",
        allowedUsers: new Set([42, 43]),
        approvers: new Set([43]),
        chatUsers: new Map([[-1001, new Set([42, 44])]]),
        requireMention: false,
        groupCommands: "admins",
      },
      workspace: folder.workspace,
      roots: [join(folder.home, "projects"), folder.home],
      agent: {
        kind: "scripted",
        explicit: true,
        bin: join(folder.home, "bin/claude"),
        permissionMode: "acceptEdits",
        approvals: "deny",
        model: "sonnet",
        refusedCommands: ["login", "theme"],
        legacyContinue: true,
        selfReport: false,
      },
      limits: { ...DEFAULT_LIMITS, idleReapMs: 1500 },
      log: { level: "debug" },
      secrets: [TOKEN, "a-key-to-hide"],
    });
  });

  it("reads every table of the file, its relative paths from the file's folder", () => {
    mkdirSync(join(folder.home, "etc"));
    const file = join(folder.home, "etc", "bot.toml");
    writeFileSync(
      file,
      `state_dir = "../state"
[telegram]
token = "${TOKEN}"
api_root = "https://bots.example"
allowed_users = [7]
approvers = [7]
chat_users = ["-5:7"]
require_mention = false
group_commands = "admins"
[workspaces]
default = "../projects/site"
roots = ["~/projects"]
[agent]
kind = "claude"
bin = "./claude"
permission_mode = "plan"
approvals = "deny"
model = "opus"
refused_commands = []
legacy_continue = true
self_report = false
[limits]
live_agents = 2
[log]
level = "silent"
`,
    );
    expect(loaded({ env: { HOLDFAST_CONFIG: "etc/bot.toml" } })).toEqual({
      stateDir: join(folder.home, "state"),
      telegram: {
        token: TOKEN,
        apiRoot: "https://bots.example",
        allowedUsers: new Set([7]),
        approvers: new Set([7]),
        chatUsers: new Map([[-5, new Set([7])]]),
        requireMention: false,
        groupCommands: "admins",
      },
      workspace: folder.workspace,
      roots: [join(folder.home, "projects")],
      agent: {
        kind: "claude",
        explicit: true,
        bin: join(folder.home, "etc/claude"),
        permissionMode: "plan",
        approvals: "deny",
        model: "opus",
        refusedCommands: [],
        legacyContinue: true,
        selfReport: false,
      },
      limits: { ...DEFAULT_LIMITS, liveAgents: 2 },
      log: { level: "silent" },
      secrets: [TOKEN],
    });
  });

  it.each(Object.keys(LIMITS))("reads the limit %s from both sources", (name) => {
    const upper = limitEnvName(name);
    const value = DEFAULT_LIMITS[name as keyof typeof LIMITS] + 1;
    const variable = loaded({ env: { [`HOLDFAST_LIMIT_${upper}`]: String(value) } });
    const file = loaded({ toml: `[limits]\n${upper.toLowerCase()} = ${value}\n` });
    expect(variable.limits).toEqual({ ...DEFAULT_LIMITS, [name]: value });
    expect(file.limits).toEqual(variable.limits);
  });
});

describe("a bad value", () => {
  it.each([
    ["HOLDFAST_LOG_LEVEL", "loud", /"loud" is not allowed.*trace, debug.*silent/],
    ["HOLDFAST_AGENT", "codex", /"codex" is not allowed.*claude or scripted/],
    ["HOLDFAST_PERMISSION_MODE", "yolo", /"yolo" is not allowed.*bypassPermissions/],
    ["HOLDFAST_APPROVALS", "allow", /"allow" is not allowed.*ask or deny/],
    ["HOLDFAST_LEGACY_CONTINUE", "maybe", /"maybe" is not allowed.*true or false/],
    ["HOLDFAST_SELF_REPORT", "maybe", /"maybe" is not allowed.*true or false/],
    ["TELEGRAM_API_ROOT", "api.telegram.org", /"api.telegram.org" is not allowed.*http:\/\//],
    ["TELEGRAM_API_ROOT", "ftp://x", /"ftp:\/\/x" is not allowed/],
    ["TELEGRAM_API_ROOT", "http://x/?a=1", /is not allowed/],
    ["HOLDFAST_ALLOWED_USERS", "42,@me", /: "@me" is not allowed.*numeric/],
    ["HOLDFAST_ALLOWED_USERS", "-100123", /: -100123 is not allowed.*not negative/],
    ["HOLDFAST_CHAT_USERS", "42:-100", /"42:-100" is not allowed.*-1001234567890:123456789/],
    ["HOLDFAST_GROUP_COMMANDS", "owner", /"owner" is not allowed.*everyone or admins/],
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
    ["[agent]\nself_report = 1", /: 1 is not allowed/],
  ])("in the file %j names the key and the file", (toml, text) => {
    expect(problem({ toml })).toMatch(text);
  });
});

it("refuses an approver whose presses would be ignored", () => {
  const env = { ...bot(), HOLDFAST_ALLOWED_USERS: "42", HOLDFAST_APPROVERS: "42,77" };
  expect(problem({ env })).toMatch(/^HOLDFAST_APPROVERS .*77 may not talk to the bot.*Add them/);
});
