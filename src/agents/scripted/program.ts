#!/usr/bin/env node
import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { createChildren } from "./children.ts";
import { readCommandLine } from "./command-line.ts";
import type { CommandLine } from "./command-line.ts";
import { createHost } from "./host.ts";
import { createOutput } from "./output.ts";
import { parseScript } from "./script.ts";
import type { Script } from "./script.ts";
import { DEFAULT_MODEL, VERSION } from "./session.ts";
import type { World } from "./session.ts";
import { createSessionFile } from "./session-file.ts";
import { openSession, unknownSession } from "./start.ts";
import type { Opened } from "./start.ts";
import { refusalLine } from "./wire.ts";

/**
 * The scripted agent: a process that speaks the protocol of
 * `claude -p --input-format stream-json --output-format stream-json` and plays
 * a script (`--script FILE` or HOLDFAST_SCRIPT), or else keeps the user company.
 */

/** A start that hangs ends by itself after this long, should nobody end it. */
const HANG_MS = 600_000;

const env = process.env;
const configDir = env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"] ?? homedir(), ".claude");
const output = createOutput(process.stdout);
const children = createChildren();

function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function main(): Promise<void> {
  const commandLine = readCommandLine(process.argv.slice(2));
  if (commandLine.version) {
    process.stdout.write(`${VERSION} (holdfast scripted agent)\n`);
    return;
  }
  const opened = openSession(commandLine, configDir, process.cwd(), randomUUID);
  const wantsOld = commandLine.resume !== null || commandLine.continue;
  const script = readScript(commandLine.script ?? env["HOLDFAST_SCRIPT"] ?? null, wantsOld);
  await playStart(script, opened, commandLine);
}

function readScript(file: string | null, resumed: boolean): Script {
  if (file === null || file === "") return { start: null, steps: [] };
  try {
    return parseScript(readFileSync(file, "utf8"), resumed);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The script ${file} cannot be played: ${detail}`, { cause });
  }
}

async function playStart(script: Script, opened: Opened, commandLine: CommandLine): Promise<void> {
  const start = script.start?.start;
  if (start === "exit") throw new Error("The scripted agent was told to fail at its start.");
  if (start === "hang") return sleep(HANG_MS);
  if (start === "slow") await sleep(script.start?.ms);
  const found = start === "refuse" ? unknownSession(askedFor(opened)) : opened;
  if (found.outcome === "refused") {
    if (found.asResult) output.line(refusalLine(found.sessionId, found.error));
    throw new Error(found.error);
  }
  if (start === "garbage") await output.garbage(80);
  serve(found, script, commandLine, start !== "not-logged-in");
}

function askedFor(opened: Opened): string {
  return opened.outcome === "opened" ? opened.session.id : opened.sessionId;
}

function serve(
  { session, resumed }: Extract<Opened, { outcome: "opened" }>,
  script: Script,
  commandLine: CommandLine,
  loggedIn: boolean,
): void {
  const { pid } = process;
  const cwd = process.cwd();
  const world: World = {
    output,
    session,
    model: commandLine.model ?? DEFAULT_MODEL,
    permissionMode: commandLine.permissionMode,
    partials: commandLine.partials,
    cwd,
    pid,
    loggedIn,
    resumed,
    now: Date.now,
    newId: randomUUID,
  };
  const file = createSessionFile({ configDir, pid, cwd, version: VERSION, startedAt: Date.now() });
  file.write(null);
  // Tools are ended in the same tick, so that no turn goes on from their death.
  const leaveNow = (code: number): void => {
    file.remove();
    children.killAll();
    process.exit(code);
  };
  const leave = (code: number): void =>
    void output.flush().then(() => {
      leaveNow(code);
    });
  const host = createHost({
    world,
    steps: script.steps,
    children,
    configDir,
    onSession: (sessionId) => {
      file.write(sessionId);
    },
    onAnswer: () => {
      if (commandLine.journal === null) return;
      const entry = { sessionId: session.id, said: session.memory.said };
      appendFileSync(commandLine.journal, `${JSON.stringify(entry)}\n`);
    },
    warn,
    exit: leave,
    die: async () => {
      await output.flush();
      process.kill(pid, "SIGKILL");
      return new Promise<never>(() => undefined);
    },
  });
  process.once("SIGTERM", () => {
    leaveNow(143);
  });
  process.once("SIGINT", () => {
    leaveNow(0);
  });
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on("line", host.line)
    .on("close", host.endOfInput);
}

main().catch((error: unknown) => {
  warn(error instanceof Error ? error.message : String(error));
  void output.flush().then(() => process.exit(1));
});
