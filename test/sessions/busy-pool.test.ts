import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { rememberOffers } from "../../src/agents/offered.ts";
import { createClaudeAgent } from "../../src/agents/claude/agent.ts";
import { transcriptPath } from "../../src/agents/claude/transcript.ts";
import type { Logger } from "../../src/log.ts";
import type { Channel, Intake } from "../../src/ports.ts";
import { startService } from "../../src/service.ts";
import { english } from "../../src/words/english.ts";
import { realClock } from "../contract/agent-driver.ts";
import { openTestStore, tempDir, tempStoreFile } from "../store/store-files.ts";
import { until } from "../support/processes.ts";

const SESSIONS = 100;
const READY = "ready";
const ROUNDS = 40;
/** From a message's arrival to its prompt, and from the end of its turn to the channel. */
const BOUND_MS = 100;
const QUICK = join(import.meta.dirname, "../support/quick-agent.sh");

/** When each step of the ready session's messages happened, in their order. */
interface Steps {
  readonly given: number[];
  readonly ended: number[];
  readonly sent: number[];
}

/** The real service, store and processes; the channel takes everything at once. */
function createWorld() {
  const root = realpathSync(tempDir());
  const steps: Steps = { given: [], ended: [], sent: [] };
  const chats = new Set<string>();
  const channel: Channel = {
    name: "local",
    render: (outgoing) => [{ text: outgoing.text }],
    send(outgoing) {
      const { chatId } = outgoing.address;
      if (chatId === READY) steps.sent.push(performance.now());
      else chats.add(chatId);
      return Promise.resolve({ outcome: "sent", platformMessageId: "1" });
    },
  };
  const note = (fields: object, event: string) => {
    if (!("session_key" in fields) || fields.session_key !== `local/${READY}/-`) return;
    if (event === "message.given") steps.given.push(performance.now());
    if (event === "context_usage") steps.ended.push(performance.now());
  };
  const log: Logger = { debug: note, info: note, warn: note, error: note };
  const folder = dirname(transcriptPath(root, "any", root));
  mkdirSync(folder, { recursive: true });
  const service = startService({
    words: english,
    store: openTestStore(tempStoreFile()),
    agent: rememberOffers(
      createClaudeAgent({
        kind: "scripted",
        command: [QUICK],
        configDir: root,
        permissionMode: "default",
        appendSystemPrompt: null,
        env: { PATH: process.env["PATH"], QUICK_PROJECT: folder },
        limits: DEFAULT_LIMITS,
        clock: realClock,
        newId: randomUUID,
        log,
      }),
    ),
    channel,
    account: "test",
    stateDir: realpathSync(tempDir()),
    defaultWorkspace: root,
    roots: [root],
    model: null,
    policy: { legacyContinue: false, approvals: "deny" },
    limits: { ...DEFAULT_LIMITS, liveAgents: SESSIONS + 1, drainMs: 0 },
    clock: realClock,
    logs: { service: log, session: log, agent: log, telegram: log, store: log, config: log },
    newId: randomUUID,
    fatal: (error) => expect.fail(String(error)),
  });
  onTestFinished(() => service[Symbol.asyncDispose]());
  return { service, steps, chats };
}

function message(chatId: string, updateId: number): Intake {
  const address = { channel: "local", chatId, topicId: null };
  return {
    kind: "message",
    updateId,
    address,
    sender: "me",
    text: "hello",
    platformMessageId: null,
  };
}

it(
  "passes a ready session's messages on while a hundred others start within a second",
  { timeout: 120_000 },
  async () => {
    const { service, steps, chats } = createWorld();
    let updates = 0;
    const say = (chat: string) => {
      updates += 1;
      service.receive([message(chat, updates)], updates + 1);
    };
    say(READY);
    await until("the ready session has answered", () => steps.sent.length === 1, 30_000);
    const asked: number[] = [];
    for (let chat = 0; chat < SESSIONS; chat += 1) {
      setTimeout(() => say(`chat-${chat}`), chat * 9);
    }
    for (let round = 1; round <= ROUNDS; round += 1) {
      asked.push(performance.now());
      say(READY);
      await until("it is answered", () => steps.sent.length > round, 30_000);
    }
    const pass = asked.map((at, nth) => {
      const [given = Infinity, ended = 0, sent = Infinity] = [
        steps.given[nth + 1],
        steps.ended[nth + 1],
        steps.sent[nth + 1],
      ];
      return given - at + (sent - ended);
    });
    pass.sort((one, other) => one - other);
    expect(pass[Math.ceil(0.95 * pass.length) - 1]).toBeLessThan(BOUND_MS);
    await until("the others have started", () => chats.size === SESSIONS, 60_000);
  },
);
