import { mayHaveProcess } from "../machines/facts.ts";
import type { SessionCommand } from "../machines/commands.ts";
import type { SessionPolicy } from "../machines/session-types.ts";
import type { Limits } from "../machines/limits.ts";
import { openDoor, type Caller } from "./agent-commands/door.ts";
import { sendFile } from "./agent-commands/send-file.ts";
import { pathWithCommand } from "./agent-commands/shim.ts";
import type { OfferingAgent } from "./agents/offered.ts";
import { createLanes } from "./channels/lanes.ts";
import { startPolling, type Polling } from "./channels/polling.ts";
import { createProgress } from "./channels/progress.ts";
import { createTyping } from "./channels/typing.ts";
import type { Logs } from "./log.ts";
import type {
  Channel,
  Clock,
  Intake,
  SessionKey,
  Store,
  StoredCommand,
  StoredMessage,
} from "./ports.ts";
import { answerCommand } from "./sessions/command-options.ts";
import { handleCommand } from "./sessions/handle-command.ts";
import { intakeItems } from "./sessions/intake.ts";
import { chooseWorkspace } from "./sessions/chooser.ts";
import { saveFiles } from "./sessions/save-files.ts";
import { createLedger, noticeDraft } from "./sessions/ledger.ts";
import { createPool } from "./sessions/pool.ts";
import { laneOf } from "./sessions/session-key.ts";
import type { Wording } from "./words/wording.ts";
import type { Words } from "./words/words.ts";

export interface ServiceOptions {
  readonly store: Store;
  readonly agent: OfferingAgent;
  readonly channel: Channel;
  /** Whose update ids and offset they are: the bot's id, or a name of the terminal. */
  readonly account: string;
  readonly stateDir: string;
  /** Null: each chat chooses its own. */
  readonly defaultWorkspace: string | null;
  readonly roots: readonly string[];
  /** Null leaves the choice to the agent. */
  readonly model: string | null;
  readonly words: Words;
  readonly policy: SessionPolicy;
  readonly limits: Limits;
  /** Who may settle what the agent asks for. Default: everybody who may speak. */
  readonly approvers?: ReadonlySet<string>;
  /** How agents start this program, and the PATH that they would have. Default: they have no commands of their own. */
  readonly agentCommands?: { readonly program: readonly string[]; readonly path: string };
  readonly clock: Clock;
  readonly logs: Logs;
  newId(): string;
  /** The service cannot go on: a fact could not be written, or the credentials are refused. */
  fatal(error: unknown): void;
}

/** The composition root: one channel, one store, one pool of sessions. */
export interface Service extends AsyncDisposable {
  /** For channels that are not polled: stored before it returns, with the number to go on from. */
  receive(intakes: readonly Intake[], nextOffset: number): void;
  /** A chat lives on under another id: its sessions follow. */
  chatMoved(fromChatId: string, toChatId: string): void;
  /** A chat takes messages (again): what waits for it is sent. */
  chatJoined(chatId: string): void;
}

/** What agents may ask for on their own. */
function openCommands(
  options: ServiceOptions,
  outboxFilled: (key: SessionKey) => void,
  restartContext: (caller: Caller) => boolean,
) {
  const { agentCommands, stateDir, store, limits, logs } = options;
  if (agentCommands === undefined) return null;
  const PATH = pathWithCommand(stateDir, agentCommands.program, agentCommands.path);
  const door = openDoor({
    stateDir,
    log: logs.agent,
    send: (key, command) => sendFile({ store, limits, outboxFilled }, key, command),
    restartContext: (caller) =>
      restartContext(caller)
        ? { ok: true, words: "the context is cleared when this turn is over; the user is told" }
        : { ok: false, words: "the session of this agent is over already" },
  });
  return {
    envOf: (key: SessionKey, epoch: number) => ({ PATH, ...door.envOf(key, epoch) }),
    close: () => door[Symbol.asyncDispose](),
  };
}

/** Starts everything in the order in which a message travels; what a previous run left is taken up first. */
export function startService(options: ServiceOptions): Service {
  const { store, channel, clock, limits, logs, words, newId } = options;
  const channels = new Map([[channel.name, channel]]);
  const lanes = createLanes({
    store,
    limits,
    clock,
    channels,
    log: logs.telegram,
    words,
    chatMoved: (_channel, from, to) => chatMoved(from, to),
    failed: options.fatal,
  });
  const typing = createTyping(channels, clock, limits.typingMs);
  const progress = createProgress({ channel, store, limits, clock, words, log: logs.telegram });
  const outboxFilled = (key: SessionKey) => {
    const session = store.session(key);
    // Not within a session's own step: a lane is an actor, and another's actions must not start one.
    if (session !== null) queueMicrotask(() => lanes.filled(laneOf(session.address)));
  };
  const ledger = createLedger({
    store,
    log: logs.session,
    words,
    outboxFilled,
    chooser: () => chooseWorkspace({ ...options, log: logs.session }, null),
  });
  const commands = openCommands(options, outboxFilled, (caller) => pool.restartContext(caller));
  const pool = createPool({
    ...options,
    ...(commands === null ? {} : { commandEnv: commands.envOf }),
    ledger,
    phaseChanged(key, phase) {
      const session = store.session(key);
      if (session !== null) typing.phaseChanged(session.address, phase);
      progress.phaseChanged(key, phase);
    },
    sessionEnded(key) {
      for (const command of store.pendingCommands()) if (command.key === key) handle(command);
    },
    saveFiles: (message, workspace) =>
      saveFiles({ channel, limits, words, log: logs.session }, message, workspace),
    tell({ key, platformMessageId }, text) {
      const outgoing = [noticeDraft(text, platformMessageId)];
      store.write(key, { facts: [], outgoing, commandsDone: [] });
      outboxFilled(key);
    },
    observe: (key, event) => progress.observe(key, event),
    failed: options.fatal,
  });
  const isApprover = (sender: string) => options.approvers?.has(sender) ?? true;
  const commandOptions = {
    ...options,
    log: logs.session,
    phase: (key: SessionKey) => pool.phase(key),
    toSession: (key: SessionKey, asked: SessionCommand) => pool.command(key, asked),
    outboxFilled,
    isApprover,
    offers: () => options.agent.offers(),
    answerPress: (pressId: string, text: Wording | null) => {
      void channel.answerPress?.(pressId, text).catch(() => {});
    },
  };
  const handle = (command: StoredCommand) => {
    try {
      handleCommand(commandOptions, command);
    } catch (error) {
      // One bad command must not stop the others, nor every start from now on.
      logs.service.error(
        { command: command.name, session_key: command.key, error },
        "command.failed",
      );
      try {
        answerCommand(commandOptions, command, words.commands.failed(command.name));
      } catch (unwritable) {
        options.fatal(unwritable);
      }
    }
  };

  const receive = (intakes: readonly Intake[], nextOffset: number | null) => {
    const items = intakeItems({ store, limits, words, newId, isApprover }, intakes);
    const stored = store.intake(channel.name, options.account, items, nextOffset);
    for (const lane of stored.lanes) lanes.filled(lane);
    // In the order in which they were sent: a /stop means what stands before it.
    const inOrder = [...stored.messages, ...stored.commands].toSorted((a, b) => a.id - b.id);
    for (const one of inOrder) {
      if ("name" in one) handle(one);
      else {
        pool.received(one.key, one.id);
        noteWaiting(one);
      }
    }
  };

  /** Whoever writes while others wait or run sees that it was taken. */
  const noteWaiting = ({ key, id, address, platformMessageId }: StoredMessage) => {
    const open = store.facts(key).messages.filter((one) => one.state !== "parked");
    if (platformMessageId === null || !open.some((one) => one.id !== id)) return;
    void channel.noteWaiting?.(address, platformMessageId).catch(() => {});
  };

  /** The actors of the old chat end first, or two processes could run on one session. */
  const chatMoved = (fromChatId: string, toChatId: string) => {
    const from = laneOf({ channel: channel.name, chatId: fromChatId, topicId: null });
    pool
      .release((key) => key.startsWith(`${from}/`))
      .then(() => {
        store.moveChat(channel.name, fromChatId, toChatId);
        logs.service.info({ from: fromChatId, to: toChatId }, "chat.moved");
        takeUp();
      })
      .catch(options.fatal);
  };

  const takeUp = () => {
    // What belongs to a channel that does not run now waits for it.
    const isOurs = (key: string) => key.startsWith(`${channel.name}/`);
    for (const lane of store.pendingLanes()) if (isOurs(lane)) lanes.filled(lane);
    for (const command of store.pendingCommands()) if (isOurs(command.key)) handle(command);
    // Processes that an earlier run left behind take their places before anything new does.
    const keys = store.keysWithWork().filter(isOurs);
    const holds = (key: string) => mayHaveProcess(store.facts(key));
    for (const key of keys.filter(holds)) pool.recheck(key);
    for (const key of keys.filter((one) => !holds(one))) pool.recheck(key);
  };
  progress.closeLeft().catch((error: unknown) => {
    logs.telegram.warn({ error }, "progress.failed");
  });
  takeUp();

  const polling: Polling | null =
    channel.poll === undefined
      ? null
      : startPolling({
          channel,
          limits,
          clock,
          log: logs.telegram,
          offset: () => store.offset(channel.name, options.account),
          store: receive,
          stopped: (detail) => options.fatal(new Error(detail)),
          failed: options.fatal,
        });

  return {
    receive,
    chatMoved,
    chatJoined: (chatId) => lanes.filled(laneOf({ channel: channel.name, chatId, topicId: null })),
    async [Symbol.asyncDispose]() {
      await polling?.stop();
      await pool.shutdown();
      await commands?.close();
      typing.stop();
      progress.stop();
      await lanes.shutdown(limits.endGraceMs);
    },
  };
}
