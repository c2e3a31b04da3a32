import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { loadConfig } from "../../src/config.ts";
import type { Config, ConfigResult, Environment } from "../../src/config.ts";

export const TOKEN = "123456789:AAE-abcdefghijklmnopqrstuvwxyz_0123456";

interface Sources {
  /** What holdfast.toml in the home holds. */
  readonly toml?: string;
  readonly env?: Environment;
  readonly config?: string;
}

export interface ConfigFolder {
  /** The user's home, and the directory that the service is started in. */
  readonly home: string;
  readonly workspace: string;
  readonly loaded: (sources: Sources) => Config;
  readonly problems: (sources: Sources) => readonly string[];
  /** The only problem there is. */
  readonly problem: (sources: Sources) => string;
  /** The variables that a bot cannot do without. */
  readonly bot: () => Record<string, string>;
}

/** A home of its own for every test of the file, to load a configuration in. */
export function useConfigFolder(): ConfigFolder {
  let home: string;
  let workspace: string;

  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-config-")));
    workspace = join(home, "projects", "site");
    mkdirSync(workspace, { recursive: true });
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const load = ({ toml, env = {}, config }: Sources): ConfigResult => {
    if (toml !== undefined) writeFileSync(join(home, "holdfast.toml"), toml);
    return loadConfig({ env: { HOME: home, ...env }, argv: { config }, cwd: home });
  };
  const problems = (sources: Sources): readonly string[] => {
    const result = load(sources);
    if (result.ok) throw new Error("the configuration was accepted");
    return result.problems;
  };
  return {
    get home() {
      return home;
    },
    get workspace() {
      return workspace;
    },
    loaded(sources) {
      const result = load(sources);
      if (!result.ok) throw new Error(result.problems.join("\n"));
      return result.config;
    },
    problems,
    problem(sources) {
      const all = problems(sources);
      expect(all).toHaveLength(1);
      return all[0] ?? "";
    },
    bot: () => ({
      TELEGRAM_BOT_TOKEN: TOKEN,
      HOLDFAST_ALLOWED_USERS: "42",
      HOLDFAST_WORKSPACE: workspace,
    }),
  };
}
