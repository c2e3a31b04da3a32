import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import { systemClock } from "../../src/clock.ts";
import type { Agent, AgentProcess, Store } from "../../src/ports.ts";
import { createLedger } from "../../src/sessions/ledger.ts";
import { createPool } from "../../src/sessions/pool.ts";
import { openStore } from "../../src/store/sqlite-store.ts";
import { memoryLog } from "../support/memory-log.ts";

const ADDRESS = { channel: "local", chatId: "c", topicId: null };
const KEY = "local/c/-";

/** The pool over a real store whose writes fail from one kind of fact on, and an agent that answers at once. */
function createBench(failsAt: string) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-pool-")));
  const workspace = join(dir, "w");
  mkdirSync(workspace);
  const { log } = memoryLog();
  const store = openStore({ file: join(dir, "h.db"), clock: systemClock, agentKind: "scripted" });
  const done: string[] = [];
  const failures: unknown[] = [];
  const failing: Store = {
    ...store,
    write(key, write) {
      if (write.facts.some((fact) => fact.type === failsAt)) throw new Error("disk full");
      return store.write(key, write);
    },
  };
  const agent: Agent = {
    kind: "scripted",
    check: async () => ({ usable: true, version: "1" }),
    launch(_request, emit): AgentProcess {
      done.push("launch");
      const tell = (event: AgentEvent) => {
        setImmediate(() => emit(event));
      };
      tell({ type: "agent.spawned", pid: 1, startedAt: "1" });
      tell({ type: "agent.ready", model: null });
      return {
        prompt: () => void done.push("prompt"),
        interrupt: () => {},
        decide: () => {},
        end: async () => {
          tell({ type: "agent.exited", at: 0, code: 0, signal: null, stderr: "" });
        },
      };
    },
    transcriptPath: (id) => join(dir, `${id}.jsonl`),
    inspectTranscript: async () => ({ state: "missing", bytes: null }),
    tracePrompt: async () => ({ found: "absent" }),
    findRunning: async () => [],
    endRunning: async () => {},
    findForeign: async () => null,
  };
  const pool = createPool({
    store: failing,
    ledger: createLedger({ store: failing, log, outboxFilled: () => {} }),
    agent,
    stateDir: dir,
    defaultWorkspace: workspace,
    roots: [dir],
    model: null,
    limits: { ...DEFAULT_LIMITS, drainMs: 0 },
    policy: { legacyContinue: false, approvals: "deny" },
    clock: systemClock,
    logs: { session: log, agent: log, telegram: log, store: log, service: log, config: log },
    newId: () => "id",
    sessionEnded: () => {},
    phaseChanged: () => {},
    failed: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await pool.shutdown();
    store[Symbol.dispose]();
    rmSync(dir, { recursive: true });
  });
  const receive = () => {
    const intake = {
      kind: "message",
      updateId: 1,
      address: ADDRESS,
      sender: "me",
      text: "hello",
      platformMessageId: null,
    } as const;
    const [message] = store.intake(
      "local",
      "me",
      [{ intake, key: KEY, uuid: "u", reply: null }],
      2,
    ).messages;
    pool.received(KEY, message?.id ?? 0);
  };
  return { receive, done, failures, facts: () => store.facts(KEY) };
}

const settled = async (failures: readonly unknown[]) => {
  for (let n = 0; n < 100 && failures.length === 0; n += 1) await sleep(10);
  await sleep(50);
};

it("launches and prompts where everything can be written", async () => {
  const { receive, done, failures } = createBench("nothing");
  receive();
  for (let n = 0; n < 100 && done.length < 2; n += 1) await sleep(10);
  expect(done).toEqual(["launch", "prompt"]);
  expect(failures).toEqual([]);
});

it("starts no process whose launch could not be written, and says so once", async () => {
  const { receive, done, failures, facts } = createBench("launch.intended");
  receive();
  await settled(failures);
  expect(done).toEqual([]);
  expect(failures).toHaveLength(1);
  expect(facts().messages).toMatchObject([{ state: "received" }]);
});

it("gives no prompt whose fact could not be written, and says so once", async () => {
  const { receive, done, failures, facts } = createBench("message.given");
  receive();
  await settled(failures);
  expect(done).toEqual(["launch"]);
  expect(failures).toHaveLength(1);
  expect(facts().messages).toMatchObject([{ state: "received" }]);
});
