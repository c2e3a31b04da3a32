import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionFacts } from "../../machines/facts.ts";
import type { Store } from "../../src/ports.ts";
import { openStore } from "../../src/store/sqlite-store.ts";
import { startFakeTelegram, type FakeTelegram } from "./fake-telegram/server.ts";
import type { SentMessage } from "./fake-telegram/types.ts";
import { startHoldfast, ROOT, type Holdfast } from "./holdfast-process.ts";
import { startMessagesApi, type MessagesApi } from "./messages-api.ts";
import { findMarked, findWithVariable, killQuietly, PATIENCE_MS, until } from "./processes.ts";

/** The service as a real process, between the strict fake of Telegram and the scripted Messages API. */

const CLAUDE = join(ROOT, "node_modules", ".bin", "claude");

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
  /** The allowed user writes, by default in the private chat. */
  say(text: string, chatId?: number): void;
  /** The first message to a chat that holds this, once there is one. */
  answer(part: string): Promise<SentMessage>;
  /** All of them until now. */
  said(part: string): readonly SentMessage[];
  facts(key: string): SessionFacts;
  /** To read in, beside the service. */
  store(): Store;
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
    // Its default is what test/e2e/groups.test.ts is about.
    HOLDFAST_REQUIRE_MENTION: "false",
    HOLDFAST_LOG_LEVEL: "debug",
    // A turn on a busy machine may take as long as one that is shown: tests that want that say so.
    HOLDFAST_LIMIT_PROGRESS_AFTER_MS: "600000",
    HOLDFAST_LIMIT_POLL_TIMEOUT_MS: "5000",
    HOLDFAST_LIMIT_POLL_BACKOFF_MIN_MS: "100",
    HOLDFAST_LIMIT_SEND_BACKOFF_MIN_MS: "100",
    CLAUDE_BIN: CLAUDE,
  };
  const launch: Bench["launch"] = (extra = {}, args = []) => {
    const merged = Object.fromEntries(
      Object.entries({ ...env, ...extra }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
    const one = startHoldfast(merged, args);
    started.push(one);
    return one;
  };
  const openToRead = () =>
    openStore({
      file: join(stateDir, "holdfast.db"),
      clock: { now: () => 0 },
      agentKind: "claude",
      readOnly: true,
    });
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
    say(text, chatId = CHAT) {
      telegram.user({ chatId, fromId: ALLOWED, text });
    },
    answer: (part) => telegram.waitForMessage((one) => one.text.includes(part), PATIENCE_MS),
    said: (part) => telegram.messages.filter((one) => one.text.includes(part)),
    facts(key) {
      using store = openToRead();
      return store.facts(key);
    },
    store: openToRead,
    agents,
    transcripts() {
      const projects = join(home, ".claude", "projects");
      return readdirSync(projects, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".jsonl"))
        .map((name) => join(projects, name));
    },
    async [Symbol.asyncDispose]() {
      for (const one of started) await one.kill();
      // The agents, and what a killed service left of its look for one: it still writes in HOME.
      await until("every process of the bench is gone", () => {
        const left = findWithVariable(`HOME=${home}`);
        for (const pid of left) killQuietly(pid);
        return left.length === 0;
      });
      await telegram[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
