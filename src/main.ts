#!/usr/bin/env node
import { parseArgs } from "node:util";
import { serve, type ExitCode } from "./cli/serve.ts";
import { loadConfig, readEnvironment } from "./config.ts";
import { StateLockedError } from "./store/state-lock.ts";
import { StoreError } from "./store/store-error.ts";
import { readVersion } from "./version.ts";

const USAGE = `holdfast [serve] [--config FILE]

Keeps a Telegram chat attached to its coding-agent session.
Without a Telegram token it opens a chat in the terminal.

  --config FILE   the configuration file (default: ./holdfast.toml where it exists)
  --help          this text
  --version       the version

Settings: docs/configuration.md
`;

process.exitCode = await main(process.argv.slice(2));
// Whatever still hangs (a call that was left behind) must not keep a finished service alive.
setTimeout(() => process.exit(), 1_000).unref();

async function main(args: readonly string[]): Promise<ExitCode> {
  const parsed = parse(args);
  if (typeof parsed === "string") return complain(parsed, 2);
  if (parsed.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (parsed.version) {
    process.stdout.write(`${readVersion()}\n`);
    return 0;
  }
  const env = readEnvironment();
  const loaded = loadConfig({ env, argv: { config: parsed.config }, cwd: process.cwd() });
  if (!loaded.ok) return complain(loaded.problems.join("\nholdfast: "), 2);
  const { stdin, stdout, stderr } = process;
  try {
    return await serve({ config: loaded.config, env, stdin, stdout, stderr, ended: signalled() });
  } catch (error) {
    if (error instanceof StateLockedError || error instanceof StoreError) {
      return complain(error.message, 1);
    }
    throw error;
  }
}

function parse(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", short: "V", default: false },
      },
    });
    const [command = "serve", ...rest] = positionals;
    if (command !== "serve" || rest.length > 0) {
      return `unknown command "${positionals.join(" ")}"; there is: serve. See holdfast --help`;
    }
    return values;
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}. See holdfast --help`;
  }
}

function complain(text: string, code: ExitCode): ExitCode {
  process.stderr.write(`holdfast: ${text}\n`);
  return code;
}

/** The first SIGTERM or SIGINT asks for a shutdown; a second one ends the process at once. */
function signalled(): Promise<string> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve(signal);
      });
    }
  });
}
