import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import type { SessionFacts } from "../../machines/facts.ts";
import { openStore } from "../../src/store/sqlite-store.ts";
import { startFakeTelegram, type FakeTelegram } from "./fake-telegram/server.ts";
import { startMessagesApi, type MessagesApi } from "./messages-api.ts";

/** The service as a real process, between the strict fake of Telegram and the scripted Messages API. */

const ROOT = join(import.meta.dirname, "..", "..");
const CLAUDE = join(ROOT, "node_modules", ".bin", "claude");
/** Long enough for a start of the real CLI while the machine does other things. */
const PATIENCE_MS = 45_000;

export interface LogRecord {
  readonly msg: string;
  readonly subsystem: string;
  readonly [field: string]: unknown;
}

export interface Holdfast {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly logs: readonly LogRecord[];
  readonly output: readonly string[];
  waitForLog(predicate: (record: LogRecord) => boolean, timeoutMs?: number): Promise<LogRecord>;
  /** Resolves with the exit code, or the signal's name. */
  exited(): Promise<number | string>;
  signal(name: NodeJS.Signals): void;
  /** SIGTERM, and the exit code. */
  stop(): Promise<number | string>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface Bench extends AsyncDisposable {
  readonly telegram: FakeTelegram;
  readonly api: MessagesApi;
  readonly home: string;
  readonly stateDir: string;
  /** Parent of the workspace. */
  readonly root: string;
  readonly workspace: string;
  /** The environment that a started service gets, for tests to add to. */
  readonly env: Readonly<Record<string, string>>;
  start(extra?: Readonly<Record<string, string | undefined>>): Promise<Holdfast>;
  /** Without waiting until it polls. */
  launch(extra?: Readonly<Record<string, string | undefined>>, args?: readonly string[]): Holdfast;
  facts(key: string): SessionFacts;
  /** Pids of agent processes of this bench, tools included. */
  agents(): readonly number[];
  transcripts(): readonly string[];
}

export const ALLOWED = 4242;
export const STRANGER = 6666;
/** A private chat has the id of its user. */
export const CHAT = 4242;
export const KEY = `telegram/${CHAT}/-`;

export async function createBench(): Promise<Bench> {
  const telegram = await startFakeTelegram();
  const api = await startMessagesApi();
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-e2e-")));
  const [home, stateDir, root] = ["home", "state", "root"].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  const workspace = join(root, "project");
  for (const path of [home, stateDir, workspace]) mkdirSync(path, { recursive: true });
  const started: Holdfast[] = [];
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    ANTHROPIC_API_KEY: "sk-ant-dummy-key-of-the-tests",
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    IS_SANDBOX: "1",
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    HOLDFAST_STATE_DIR: stateDir,
    HOLDFAST_ALLOWED_USERS: String(ALLOWED),
    HOLDFAST_WORKSPACE: workspace,
    HOLDFAST_AGENT: "claude",
    HOLDFAST_LOG_LEVEL: "debug",
    HOLDFAST_LIMIT_POLL_TIMEOUT_MS: "5000",
    HOLDFAST_LIMIT_POLL_BACKOFF_MIN_MS: "100",
    HOLDFAST_LIMIT_SEND_BACKOFF_MIN_MS: "100",
    CLAUDE_BIN: CLAUDE,
  };
  const launch: Bench["launch"] = (extra = {}, args = []) => {
    const merged = Object.fromEntries(
      Object.entries({ ...env, ...extra }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const one = startProcess(merged, args);
    started.push(one);
    return one;
  };
  const agents = () => findMarked(stateDir);
  return {
    telegram,
    api,
    home,
    stateDir,
    root,
    workspace,
    env,
    launch,
    async start(extra) {
      const one = launch(extra);
      const ended = one.exited().then((code) => {
        throw new Error(`holdfast ended with ${code}:\n${one.output.join("\n")}`);
      });
      const ready = one.waitForLog((record) => record.msg === "service.started");
      await Promise.race([ready, ended]);
      ended.catch(() => {});
      return one;
    },
    facts(key) {
      using store = openStore({
        file: join(stateDir, "holdfast.db"),
        clock: { now: () => 0 },
        agentKind: "claude",
        readOnly: true,
      });
      return store.facts(key);
    },
    agents,
    transcripts() {
      const projects = join(home, ".claude", "projects");
      return readdirSync(projects, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(projects, name));
    },
    async [Symbol.asyncDispose]() {
      for (const one of started) await one.kill();
      for (const pid of agents()) killQuietly(pid);
      await telegram[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

function startProcess(env: Record<string, string>, args: readonly string[]): Holdfast {
  const child = spawn(process.execPath, ["--import", "tsx", join(ROOT, "src/main.ts"), ...args], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const logs: LogRecord[] = [];
  const output: string[] = [];
  const waiting = new Set<() => void>();
  const note = (line: string) => {
    output.push(line);
    try {
      logs.push(JSON.parse(line) as LogRecord);
    } catch {
      // Not a record: a complaint for people.
    }
    for (const look of waiting) look();
  };
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", note);
  }
  const exit = once(child, "close").then(([code, signal]) => (code ?? signal) as number | string);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    child,
    pid: child.pid ?? 0,
    logs,
    output,
    exited: () => exit,
    signal: (name) => void child.kill(name),
    async stop() {
      child.kill("SIGTERM");
      return exit;
    },
    async kill() {
      if (isRunning()) child.kill("SIGKILL");
      await exit;
    },
    waitForLog(predicate, timeoutMs = PATIENCE_MS) {
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(
            new Error(`no such record within ${timeoutMs} ms:\n${output.slice(-30).join("\n")}`),
          );
        }, timeoutMs);
        function look() {
          const found = logs.find(predicate);
          if (found === undefined) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(found);
        }
        waiting.add(look);
        look();
      });
    },
  };
}

export function findMarked(stateDir: string): readonly number[] {
  const mark = `HOLDFAST_AGENT_STATE_DIR=${stateDir}`;
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
      } catch {
        return false;
      }
    })
    .map(Number);
}

export function killQuietly(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

/** Polls until it holds; for what nothing announces. */
export async function until(
  what: string,
  holds: () => boolean,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`"${what}" did not come true in ${timeoutMs} ms`);
    await sleep(50);
  }
}
