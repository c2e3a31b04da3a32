import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TOKEN, useConfigFolder } from "../support/config-folder.ts";

const folder = useConfigFolder();
const { problem } = folder;

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
      `${name} (${join(folder.home, "holdfast.toml")}): is not a key of holdfast. Did you mean ${meant}?`,
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
    mkdirSync(join(folder.home, "holdfast.toml"));
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
