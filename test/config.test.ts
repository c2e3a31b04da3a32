import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../machines/limits.ts";
import { agentEnvironment } from "../src/config.ts";
import { TOKEN, useConfigFolder } from "./support/config-folder.ts";

const folder = useConfigFolder();
const { bot, loaded, problem, problems } = folder;

describe("defaults", () => {
  it("is the terminal chat with nothing set", () => {
    expect(loaded({})).toEqual({
      stateDir: join(folder.home, ".local/state/holdfast"),
      telegram: null,
      workspace: null,
      roots: [],
      agent: {
        kind: "claude",
        explicit: false,
        bin: "claude",
        permissionMode: "default",
        approvals: "ask",
        model: null,
        refusedCommands: ["login", "logout", "exit", "quit"],
        legacyContinue: false,
        selfReport: true,
      },
      limits: DEFAULT_LIMITS,
      log: { level: "info" },
      secrets: [],
    });
  });

  it("keeps the state where XDG_STATE_HOME says, and ignores a relative one", () => {
    expect(loaded({ env: { XDG_STATE_HOME: "/var/s" } }).stateDir).toBe("/var/s/holdfast");
    expect(loaded({ env: { XDG_STATE_HOME: "s" } }).stateDir).toBe(
      join(folder.home, ".local/state/holdfast"),
    );
  });

  it("takes the default workspace's parent as the only root", () => {
    expect(loaded({ env: bot() }).roots).toEqual([join(folder.home, "projects")]);
  });

  it("remembers that claude was chosen and not fallen back to", () => {
    expect(loaded({ env: { HOLDFAST_AGENT: "claude" } }).agent.explicit).toBe(true);
  });
});

describe("sources", () => {
  it("lets a variable win over holdfast.toml", () => {
    const toml = '[log]\nlevel = "warn"\n[agent]\nmodel = "opus"\n';
    const config = loaded({ toml, env: { HOLDFAST_LOG_LEVEL: "error" } });
    expect([config.log.level, config.agent.model]).toEqual(["error", "opus"]);
  });

  it("lets --config win over HOLDFAST_CONFIG", () => {
    writeFileSync(join(folder.home, "a.toml"), '[log]\nlevel = "warn"\n');
    const sources = { env: { HOLDFAST_CONFIG: "missing.toml" }, config: "a.toml" };
    expect(loaded(sources).log.level).toBe("warn");
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
  it("is reported in the file even where a variable wins", () => {
    const sources = { toml: '[log]\nlevel = "loud"', env: { HOLDFAST_LOG_LEVEL: "info" } };
    expect(problem(sources)).toContain('"loud"');
  });

  it("does not hide the others: all come at once", () => {
    const toml = '[log]\nlevel = "loud"\nlevle = 1\n[limits]\nstart_ms = -1\n';
    const env = { ...bot(), HOLDFAST_AGENT: "x", HOLDFAST_WORKSPACE: "none", HOLDFAST_FOO_BAR: "" };
    expect(problems({ toml, env })).toHaveLength(6);
  });

  it("never shows a token that was pasted into another setting", () => {
    const found = problem({ env: { ...bot(), HOLDFAST_LOG_LEVEL: TOKEN } });
    expect(found).toContain('HOLDFAST_LOG_LEVEL (environment): "[redacted]" is not allowed');
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
      HOLDFAST_WORKSPACE: folder.workspace,
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
