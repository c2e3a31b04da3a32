#!/usr/bin/env node
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { askDoor, type Asked } from "./agent-commands/client.ts";
import { contextReport } from "./cli/context-report.ts";
import { serve, type ExitCode } from "./cli/serve.ts";
import { loadConfig, readEnvironment, type Environment } from "./config.ts";
import { StateLockedError } from "./store/state-lock.ts";
import { StoreError } from "./store/store-error.ts";
import { readVersion } from "./version.ts";

const USAGE = `holdfast [serve] [--config FILE]
holdfast context-report [--json] [--config FILE]
holdfast send FILE [--caption TEXT]
holdfast restart-context

  serve           keeps a Telegram chat attached to its coding-agent session (the default);
                  without a Telegram token it opens a chat in the terminal
  context-report  how far the agent's own estimates of its context are from its usage,
                  over all stored turns; the service may run meanwhile

For the agents that holdfast runs:
  send            gives a file of the workspace to the chat
  restart-context asks for a cleared context once the present turn is over

  --caption TEXT  what is said with the file
  --json          the report as one JSON object
  --config FILE   the configuration file (default: ./holdfast.toml where it exists)
  --help          this text
  --version       the version

Settings: docs/configuration.md
`;

const COMMANDS = ["serve", "context-report", "send", "restart-context"] as const;

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
  if (parsed.command === "send") {
    const file = { path: resolve(parsed.operand), caption: parsed.caption ?? "" };
    return ask(env, { command: "send", file });
  }
  if (parsed.command === "restart-context") return ask(env, { command: "restartContext" });
  const loaded = loadConfig({ env, argv: { config: parsed.config }, cwd: process.cwd() });
  if (!loaded.ok) return complain(loaded.problems.join("\nholdfast: "), 2);
  const { stdin, stdout, stderr } = process;
  try {
    if (parsed.command === "context-report") {
      const write = (text: string) => void stdout.write(text);
      contextReport({ config: loaded.config, json: parsed.json, write });
      return 0;
    }
    const program = [process.execPath, import.meta.filename];
    return await serve({
      config: loaded.config,
      env,
      program,
      stdin,
      stdout,
      stderr,
      ended: signalled(),
    });
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
        json: { type: "boolean", default: false },
        caption: { type: "string" },
        help: { type: "boolean", short: "h", default: false },
        version: { type: "boolean", short: "V", default: false },
      },
    });
    const [name = "serve", ...rest] = positionals;
    const command = COMMANDS.find((known) => known === name);
    const [operand = "", ...more] = command === "send" ? rest : ["", ...rest];
    if (command === "send" && (operand === "" || more.length > 0)) {
      return "send takes one file. See holdfast --help";
    }
    if (command === undefined || more.length > 0) {
      return `unknown command "${positionals.join(" ")}"; there are: ${COMMANDS.join(", ")}. See holdfast --help`;
    }
    if (values.json && command !== "context-report") {
      return "--json goes with context-report only. See holdfast --help";
    }
    if (values.caption !== undefined && command !== "send") {
      return "--caption goes with send only. See holdfast --help";
    }
    return { ...values, command, operand };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}. See holdfast --help`;
  }
}

/** Its words are read by an agent. */
async function ask(env: Environment, asked: Asked): Promise<ExitCode> {
  const { ok, words } = await askDoor(env, asked);
  if (!ok) return complain(words, 1);
  process.stdout.write(`${words}\n`);
  return 0;
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
