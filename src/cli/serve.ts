import { randomUUID } from "node:crypto";
import { appendFileSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createAgent } from "../agents/create.ts";
import { rememberOffers, type OfferingAgent } from "../agents/offered.ts";
import { createLocalChannel, LOCAL_ACCOUNT, translateLine } from "../channels/local/channel.ts";
import { openTerminalChat, type TerminalChat } from "../channels/local/terminal.ts";
import { createTelegramChannel } from "../channels/telegram/channel.ts";
import { systemClock } from "../clock.ts";
import { agentEnvironment, type Config, type Environment } from "../config.ts";
import { deferred } from "../deferred.ts";
import { createLogger, type Logs } from "../log.ts";
import type { Agent, Channel, Store } from "../ports.ts";
import { startService, type Service } from "../service.ts";
import { openStore } from "../store/sqlite-store.ts";
import { acquireStateLock } from "../store/state-lock.ts";
import { english } from "../words/english.ts";
import type { Wording } from "../words/wording.ts";

/** Exit codes: 0 after a shutdown, 1 for a fault, 2 for a configuration to mend. */
export type ExitCode = 0 | 1 | 2;

export interface ServeOptions {
  readonly config: Config;
  readonly env: Environment;
  /** This program with its interpreter, as its agents start it. */
  readonly program: readonly string[];
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Resolves with the name of the signal that asks for the end. */
  readonly ended: Promise<string>;
}

const NO_CHANNEL = [
  "There is no Telegram token and no terminal to talk in.",
  "Set TELEGRAM_BOT_TOKEN, HOLDFAST_ALLOWED_USERS and HOLDFAST_WORKSPACE (see docs/configuration.md), or start holdfast in a terminal.",
].join(" ");

/** Runs the service until a signal, the end of the terminal, or a fault. */
export async function serve(options: ServeOptions): Promise<ExitCode> {
  const { config, stderr, stdin } = options;
  if (config.telegram === null && !stdin.isTTY) {
    stderr.write(`holdfast: ${NO_CHANNEL}\n`);
    return 2;
  }
  using _lock = acquireStateLock(config.stateDir, systemClock);
  const logs = openLogs(config, stderr);
  return config.telegram === null
    ? await serveTerminal(options, logs)
    : await serveTelegram(options, logs, config.telegram);
}

/** In a terminal chat the log would be written over the conversation: there it goes to a file. */
function openLogs(config: Config, stderr: NodeJS.WriteStream): Logs {
  const options = { level: config.log.level, secrets: config.secrets };
  if (config.telegram !== null || !stderr.isTTY) {
    return createLogger({ ...options, pretty: stderr.isTTY });
  }
  const file = logFile(config);
  const write = (line: string) => appendFileSync(file, line, { mode: 0o600 });
  return createLogger({ ...options, pretty: false, destination: { write } });
}

const logFile = (config: Config) => join(config.stateDir, "terminal.log");

async function serveTelegram(
  options: ServeOptions,
  logs: Logs,
  telegram: NonNullable<Config["telegram"]>,
): Promise<ExitCode> {
  const { agent, wasLaunched } = watchLaunches(
    agentOf(options.config.agent.kind, options.config, options.env, logs),
  );
  const leaving = new AbortController();
  const checked = reportAvailability(agent, wasLaunched, logs, leaving.signal);
  try {
    return await serveBot(options, logs, telegram, agent);
  } finally {
    leaving.abort();
    await checked;
  }
}

async function serveBot(
  { config, env, program, ended }: ServeOptions,
  logs: Logs,
  telegram: NonNullable<Config["telegram"]>,
  agent: OfferingAgent,
): Promise<ExitCode> {
  let running: Service | null = null;
  const channel = createTelegramChannel({
    token: telegram.token,
    apiRoot: telegram.apiRoot,
    allowedUsers: telegram.allowedUsers,
    chatUsers: telegram.chatUsers,
    requireMention: telegram.requireMention,
    groupCommands: telegram.groupCommands,
    refusedCommands: new Set(config.agent.refusedCommands),
    words: english,
    limits: config.limits,
    clock: systemClock,
    log: logs.telegram,
    chatMoved: (from, to) => running?.chatMoved(from, to),
    chatJoined: (chatId) => running?.chatJoined(chatId),
  });
  const prepared = await Promise.race([channel.prepare(), ended.then(() => null)]);
  if (prepared === null) return 0;
  if (!prepared.ok && prepared.fatal) {
    logs.telegram.error({ detail: prepared.detail }, "telegram.refused");
    return 1;
  }
  if (prepared.ok) logs.telegram.info({ bot: prepared.name }, "telegram.ready");
  const { workspace } = config;
  const account = channel.account();
  const started = (service: Service) => {
    running = service;
  };
  return run({ config, env, program, logs, agent, channel, account, workspace, started }, ended);
}

/** A session that is started at once tells the same, and a check would compete with it for the machine. */
const CHECK_AFTER_MS = 2_000;

function watchLaunches(agent: OfferingAgent): { agent: OfferingAgent; wasLaunched(): boolean } {
  let launched = false;
  const launch: OfferingAgent["launch"] = (request, emit) => {
    launched = true;
    return agent.launch(request, emit);
  };
  return { agent: { ...agent, launch }, wasLaunched: () => launched };
}

/** For the log only: it may be mended while the service runs, and every message says so until then. */
async function reportAvailability(
  agent: Agent,
  wasLaunched: () => boolean,
  logs: Logs,
  leaving: AbortSignal,
): Promise<void> {
  await sleep(CHECK_AFTER_MS, undefined, { signal: leaving }).catch(() => {});
  if (leaving.aborted || wasLaunched()) return;
  const availability = await agent.check(leaving);
  if (availability.usable || leaving.aborted) return;
  const { reason, detail } = availability;
  logs.agent.error({ kind: agent.kind, reason, detail }, "agent.unavailable");
}

async function serveTerminal(
  { config, env, program, stdin, stdout, stderr, ended }: ServeOptions,
  logs: Logs,
): Promise<ExitCode> {
  const { terminal } = english;
  const say = (line: Wording) => stdout.write(`${line}\n`);
  say(terminal.noToken);
  if (stderr.isTTY) say(terminal.logAt(logFile(config)));
  let agent = agentOf(config.agent.kind, config, env, logs);
  if (!config.agent.explicit) {
    const leaving = new AbortController();
    void ended.then(() => leaving.abort());
    const availability = await agent.check(leaving.signal);
    if (leaving.signal.aborted) return 0;
    if (!availability.usable) {
      say(terminal.demoAgent(availability.detail));
      agent = agentOf("scripted", config, env, logs);
    }
  }
  const workspace = config.workspace ?? demoWorkspace(config.stateDir);
  let chat: TerminalChat | null = null;
  const closed = deferred<string>();
  const account = LOCAL_ACCOUNT;
  const channel = createLocalChannel({ words: english, write: (text) => chat?.print(text) });
  const refused = new Set(config.agent.refusedCommands);
  const started = (service: Service, store: Store) => {
    chat = openTerminalChat({
      input: stdin,
      output: stdout,
      prompt: terminal.prompt,
      plain: env["TERM"] === "dumb",
      onLine(text) {
        const line = store.offset(channel.name, account) ?? 1;
        const intake = translateLine(text, line, refused, channel.buttonAt);
        if (intake !== null) service.receive([intake], line + 1);
      },
      onClose: (reason) => closed.resolve(reason),
    });
  };
  const parts = { config, env, program, logs, agent, channel, account, workspace, started };
  const code = await run(parts, Promise.race([ended, closed.promise]));
  (chat as TerminalChat | null)?.close();
  return code;
}

interface Parts {
  readonly env: Environment;
  readonly program: readonly string[];
  readonly config: Config;
  readonly logs: Logs;
  readonly agent: OfferingAgent;
  readonly channel: Channel;
  readonly account: string;
  readonly workspace: string | null;
  started(service: Service, store: Store): void;
}

async function run(parts: Parts, ended: Promise<string>): Promise<ExitCode> {
  const { config, logs, agent, channel, account, workspace } = parts;
  using store = openStore({
    file: join(config.stateDir, "holdfast.db"),
    clock: systemClock,
    agentKind: agent.kind,
  });
  const fault = deferred<unknown>();
  const service = startService({
    store,
    agent,
    channel,
    account,
    // Agents are marked with it: one directory, however it was written, has one name.
    stateDir: realpathSync(config.stateDir),
    defaultWorkspace: workspace,
    roots: rootsOf(config, workspace),
    model: config.agent.model,
    words: english,
    policy: { legacyContinue: config.agent.legacyContinue, approvals: config.agent.approvals },
    ...approversOf(config),
    limits: config.limits,
    agentCommands: { program: parts.program, path: parts.env["PATH"] ?? "" },
    clock: systemClock,
    logs,
    newId: randomUUID,
    fatal: (error) => fault.resolve(error),
  });
  logs.service.info({ channel: channel.name, workspace, agent: agent.kind }, "service.started");
  parts.started(service, store);
  const outcome = await Promise.race([
    ended.then((signal) => ({ signal })),
    fault.promise.then((error) => ({ error })),
  ]);
  if ("error" in outcome) logs.service.error({ error: outcome.error }, "service.failed");
  else logs.service.info({ signal: outcome.signal }, "service.stopping");
  await service[Symbol.asyncDispose]();
  logs.service.info({}, "service.stopped");
  return "error" in outcome ? 1 : 0;
}

function rootsOf({ roots }: Config, workspace: string | null): readonly string[] {
  return roots.length > 0 || workspace === null ? roots : [dirname(workspace)];
}

/** In the terminal there is one person. */
function approversOf({ telegram }: Config): { readonly approvers?: ReadonlySet<string> } {
  const approvers = telegram?.approvers ?? null;
  return approvers === null ? {} : { approvers: new Set([...approvers].map(String)) };
}

function agentOf(kind: Agent["kind"], config: Config, env: Environment, logs: Logs): OfferingAgent {
  const inherited = agentEnvironment(env, config.telegram?.token ?? null);
  const options = { config, env: inherited, clock: systemClock, log: logs.agent };
  return rememberOffers(createAgent(kind, options));
}

/** An empty folder of its own: a demo must not touch anybody's files. */
function demoWorkspace(stateDir: string): string {
  const path = join(stateDir, "workspaces", "demo");
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
