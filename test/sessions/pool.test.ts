import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { SessionFact } from "../../machines/facts.ts";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import { systemClock } from "../../src/clock.ts";
import type { Agent, AgentProcess, Store } from "../../src/ports.ts";
import { createLedger } from "../../src/sessions/ledger.ts";
import { createPool } from "../../src/sessions/pool.ts";
import { openStore } from "../../src/store/sqlite-store.ts";
import { english } from "../../src/words/english.ts";
import { memoryLog } from "../support/memory-log.ts";

const ADDRESS = { channel: "local", chatId: "c", topicId: null };
const KEY = "local/c/-";

/**
 * The pool over a real store in which nothing can be written from the first
 * fact of one kind on, and an agent that answers at once.
 */
function createBench(failsAt: SessionFact["type"] | "nothing") {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-pool-")));
  const workspace = join(dir, "w");
  mkdirSync(workspace);
  const { log } = memoryLog();
  const store = openStore({ file: join(dir, "h.db"), clock: systemClock, agentKind: "scripted" });
  const done: string[] = [];
  const failures: unknown[] = [];
  let full = false;
  const failing: Store = {
    ...store,
    write(key, write) {
      full ||= write.facts.some((fact) => fact.type === failsAt);
      if (full) throw new Error("disk full");
      return store.write(key, write);
    },
  };
  const agent: Agent = {
    kind: "scripted",
    check: async () => ({ usable: true, version: "1", offers: null }),
    launch(_request, emit): AgentProcess {
      done.push("launch");
      let ended = false;
      const tell = (event: AgentEvent) => {
        setImmediate(() => emit(event));
      };
      tell({ type: "agent.spawned", pid: 1, startedAt: "1" });
      tell({ type: "agent.ready", model: null });
      return {
        prompt({ uuid, text }) {
          done.push(`prompt ${text}`);
          tell({ type: "turn.accepted", uuid });
          tell(answerTo(uuid));
        },
        interrupt: () => {},
        configure: () => undefined,
        decide: () => {},
        end: async () => {
          // Asked for as often as one likes; a process ends once.
          if (ended) return;
          ended = true;
          done.push("end");
          tell({ type: "agent.exited", at: 0, code: 0, signal: null, stderr: "" });
        },
      };
    },
    transcriptPath: (id) => join(dir, `${id}.jsonl`),
    inspectTranscript: async () => ({ state: "missing", bytes: null }),
    lacksPrompt: async () => false,
    tracePrompt: async () => ({ found: "absent" }),
    findRunning: async () => [],
    endRunning: async () => {},
    findForeign: async () => null,
  };
  const pool = createPool({
    store: failing,
    saveFiles: async ({ text }) => ({ text, images: [], problems: [] }),
    tell: () => {},
    ledger: createLedger({
      chooser: () => ({ text: english.workspaces.choose, buttons: [] }),
      store: failing,
      log,
      words: english,
      outboxFilled: () => {},
    }),
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
    expect(failures).toHaveLength(failsAt === "nothing" ? 0 : 1);
  });
  let updates = 0;
  /** Messages of one batch. */
  const receive = (...texts: readonly string[]) => {
    const items = texts.map((text) => {
      updates += 1;
      const intake = {
        kind: "message",
        updateId: updates,
        address: ADDRESS,
        sender: "me",
        text,
        platformMessageId: null,
      } as const;
      return { intake, key: KEY, uuid: `uuid-${updates}`, reply: null };
    });
    for (const { id } of store.intake("local", "me", items, updates + 1).messages) {
      pool.received(KEY, id);
    }
  };
  return {
    receive,
    done,
    failures,
    pool,
    facts: () => store.facts(KEY),
    answered: () => store.nextOutgoing("local/c"),
  };
}

const answerTo = (uuid: string): AgentEvent => ({
  type: "turn.ended",
  uuids: [uuid],
  outcome: "completed",
  text: "the answer",
  context: null,
  usage: null,
  selfReportedPercent: null,
});

/** What would follow a write that failed has had the time to. */
async function afterFailure(failures: readonly unknown[]): Promise<void> {
  await vi.waitFor(() => expect(failures).toHaveLength(1), { timeout: 30_000 });
  await sleep(50);
}

describe("the pool", () => {
  it("launches once and prompts in order where everything can be written", async () => {
    const { receive, done, facts } = createBench("nothing");
    receive("one", "two");
    await vi.waitFor(() => expect(facts().messages).toEqual([]), { timeout: 30_000 });
    expect(done).toEqual(["launch", "prompt one", "prompt two"]);
  });
});

describe("where a fact cannot be written, the pool", () => {
  it("starts no process whose launch could not be written, and says so once", async () => {
    const { receive, done, failures, facts } = createBench("launch.intended");
    receive("one");
    await afterFailure(failures);
    expect(done).toEqual([]);
    expect(facts().messages).toMatchObject([{ state: "received" }]);
  });

  it("gives no prompt whose fact could not be written, and says so once", async () => {
    const { receive, done, failures, facts } = createBench("message.given");
    receive("one");
    await afterFailure(failures);
    expect(done).toEqual(["launch", "end"]);
    expect(facts().messages).toMatchObject([{ state: "received" }]);
  });

  it.each(["message.accepted", "message.answered"] as const)(
    "gives no further prompt once %s could not be written, and lets the process go",
    async (failsAt) => {
      const { receive, done, failures, facts, answered } = createBench(failsAt);
      receive("one", "two");
      await afterFailure(failures);
      expect(done).toEqual(["launch", "prompt one", "end"]);
      expect(answered()).toBeNull();
      const first = failsAt === "message.accepted" ? "given" : "accepted";
      expect(facts().messages).toMatchObject([{ state: first }, { state: "received" }]);
    },
  );

  it("starts nothing for what comes in later, and carries out no command", async () => {
    const { receive, done, failures, facts, pool } = createBench("message.given");
    receive("one");
    await afterFailure(failures);
    receive("two");
    pool.command(KEY, { type: "command.new", commandId: 9 });
    pool.recheck(KEY);
    await sleep(50);
    expect(done).toEqual(["launch", "end"]);
    expect(facts()).toMatchObject({
      fresh: null,
      messages: [{ state: "received" }, { state: "received" }],
    });
  });
});
