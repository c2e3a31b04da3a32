import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { rememberOffers } from "../../src/agents/offered.ts";
import { createScriptedAgent } from "../../src/agents/scripted/agent.ts";
import { startService, type Service } from "../../src/service.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { realClock } from "../channels/telegram/recording.ts";
import { openChannel, OWNER, says } from "../channels/telegram/support.ts";
import { openTestStore, tempDir, tempStoreFile } from "../store/store-files.ts";
import { startFakeTelegram, type FakeTelegram } from "../support/fake-telegram/server.ts";
import type { SentMessage } from "../support/fake-telegram/types.ts";
import { memoryLog } from "../support/memory-log.ts";
import { until } from "../support/processes.ts";
import { marked, outside } from "./marked.ts";

/** What the agent says and asks here holds no letters: every word in the chat is holdfast's. */
const SCRIPT = [
  { text: "1", usage: { used: 1_000 } },
  { approval: { name: "Bash", input: { command: "2" }, result: "2" }, text: "22" },
  { error: "33" },
  { tools: [{ name: "Bash", input: { command: "4" }, durationMs: 2_500 }], text: "44" },
  { tooLarge: true },
  { text: "66 ".repeat(6_000) },
];

/** Paths and names, which nobody translates. */
const NAMES =
  /(?:\/[\w.-]+)+|\b(?:Bash|scripted(?:-demo)?|ctx|root|project|default|acceptEdits|plan|dontAsk|auto|[0-9a-f-]{8,36})\b/g;

const ADDRESS = { channel: "telegram", chatId: String(OWNER), topicId: null };

const COMMANDS = [
  ...["/help", "/status", "/workspace", "/workspace 7", "/new 1", "/new", "/stop", "/stop all"],
  ...["/resume", "/resume 7", "/resume 1", "/sessions", "/fork", "/name", "/name 1", "/retry"],
  ...["/model", "/mode", "/mode 7", "/effort", "/verbose", "/verbose 1", "/skip", "/login"],
];

describe("a service that is given another language", () => {
  let fake: FakeTelegram;
  let service: Service;
  let root: string;

  beforeEach(async () => {
    fake = await startFakeTelegram();
    const dir = realpathSync(tempDir());
    root = join(dir, "root");
    mkdirSync(join(root, "project"), { recursive: true });
    const script = join(dir, "script.json");
    writeFileSync(script, JSON.stringify(SCRIPT));
    const { log } = memoryLog();
    const words = marked(english);
    const limits = { ...DEFAULT_LIMITS, progressAfterMs: 500, drainMs: 0 };
    service = startService({
      words,
      store: openTestStore(tempStoreFile(), { clock: realClock }),
      agent: rememberOffers(
        createScriptedAgent({
          env: { PATH: process.env["PATH"], HOLDFAST_SCRIPT: script },
          configDir: join(dir, "config"),
          permissionMode: "default",
          appendSystemPrompt: null,
          limits,
          clock: realClock,
          newId: randomUUID,
          log,
        }),
      ),
      channel: openChannel(fake, { words }).channel,
      account: "1",
      stateDir: dir,
      defaultWorkspace: null,
      roots: [root],
      model: null,
      policy: { legacyContinue: false, approvals: "ask" },
      limits,
      clock: realClock,
      logs: { service: log, session: log, agent: log, telegram: log, store: log, config: log },
      newId: randomUUID,
      fatal: (error) => expect.fail(String(error)),
    });
  });

  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await fake[Symbol.asyncDispose]();
  });

  /** Whoever writes waits until the chat holds one message more with this in it. */
  async function say(text: string, part = "⟦"): Promise<void> {
    const { length } = fake.messages;
    says(fake, text);
    const isThere = () => fake.messages.slice(length).some((one) => one.text.includes(part));
    await until(`"${text}" is answered with "${part}"`, isThere);
  }

  /** Presses the last button with this on it, and waits for what comes of it. */
  async function press(label: string): Promise<void> {
    const offers = (one: SentMessage) => buttonsOf(one).find(({ text }) => text.includes(label));
    await until(`"${label}" is offered`, () => fake.messages.some(offers));
    const message = fake.messages.findLast(offers);
    const { length } = fake.messages;
    const { messageId = 0 } = message ?? {};
    const data = (message && offers(message)?.callback_data) ?? "";
    fake.callback({ chatId: OWNER, fromId: OWNER, messageId, data });
    await until(`"${label}" has an effect`, () => fake.messages.length > length);
  }

  it("says every word in it", async () => {
    await say("0", "›");
    await press("›");
    await press("📁 project");
    await answered("1");
    says(fake, "2");
    await press(english.buttons.tool.allow);
    await answered("22");
    await say("3", "33");
    says(fake, "4");
    await answered("44");
    await say("5", "/skip");
    await press(english.buttons.skip);
    await say("6", english.answers.wholeInFile);
    fake.user({ chatId: OWNER, fromId: OWNER, extra: { voice: { file_id: "x" } } });
    for (const command of COMMANDS) await say(command);
    fake.callback({ chatId: OWNER, fromId: OWNER, messageId: 1, data: "gone" });
    await until("the press is answered", () => fake.callbackAnswers.some((one) => "text" in one));
    expect(leftOver()).toEqual([]);
    expect(shown().filter((text) => text.includes(sessionKey(ADDRESS)))).toEqual([]);
  });

  const answered = (text: string) =>
    until(`the answer is ${text}`, () => shown().some((one) => one.split("\n")[0] === text));
  const shown = () => fake.messages.map((one) => one.text);

  /** Everything that people have read, without what the other language has said and what is nobody's word. */
  function leftOver(): readonly string[] {
    const labels = fake.messages.flatMap(buttonsOf).map((one) => one.text);
    const answers = fake.callbackAnswers.map((one) => JSON.stringify(one["text"] ?? ""));
    const menu = fake.commands.map((one) => String(Reflect.get(one as object, "description")));
    return [...shown(), ...labels, ...answers, ...menu].filter((text) =>
      /\p{L}/u.test(outside(text).replaceAll(NAMES, "")),
    );
  }
});

interface Shown {
  readonly text: string;
  readonly callback_data: string;
}

function buttonsOf({ replyMarkup }: SentMessage): readonly Shown[] {
  const markup = replyMarkup as { readonly inline_keyboard?: readonly (readonly Shown[])[] } | null;
  return markup?.inline_keyboard?.flat() ?? [];
}
