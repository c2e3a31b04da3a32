import { statSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openForWriting } from "../../src/store/database.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { ACCOUNT, KEY, draft, messageItem, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "./store-files.ts";

/** Runs something on the file beside the open store, as another program would. */
function beside<T>(file: string, work: (db: Database.Database) => T): T {
  const db = new Database(file);
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const mode = (path: string) => statSync(path).mode & 0o777;

describe("the database", () => {
  test("fsyncs every commit, logs ahead and keeps references", () => {
    const db = openForWriting(tempStoreFile());
    const setting = (name: string) => db.pragma(name, { simple: true });
    expect(setting("journal_mode")).toBe("wal");
    expect(setting("synchronous")).toBe(2);
    expect(setting("foreign_keys")).toBe(1);
    expect(setting("busy_timeout")).toBe(5_000);
    db.close();
  });

  test("is readable by its owner only, with its side files and its directory", () => {
    const file = tempStoreFile();
    const store = openTestStore(file);
    store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
    expect(mode(dirname(file))).toBe(0o700);
    for (const path of [file, `${file}-wal`, `${file}-shm`]) expect(mode(path)).toBe(0o600);
  });

  test("finds what is open without reading what has ended", () => {
    const file = tempStoreFile();
    openTestStore(file);
    const waiting = "ended_at IS NULL AND parked_at IS NULL";
    const parked = "ended_at IS NULL AND parked_at IS NOT NULL";
    const plans = beside(file, (db) =>
      [
        `SELECT DISTINCT lane FROM outbox WHERE ${waiting} ORDER BY lane`,
        `SELECT id FROM outbox WHERE lane = 'x' AND ${waiting} ORDER BY id LIMIT 1`,
        "SELECT key FROM sessions WHERE has_work = 1 ORDER BY key",
        "SELECT id FROM inbox WHERE state = 'pending' ORDER BY id",
        `UPDATE outbox SET parked_at = NULL WHERE session_key = 'x' AND ${parked}`,
      ].map((sql) => JSON.stringify(db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all())),
    );
    expect(plans[0]).toContain("outbox_open");
    expect(plans[1]).toContain("outbox_open");
    expect(plans[2]).toContain("sessions_with_work");
    expect(plans[3]).toContain("inbox_pending");
    expect(plans[4]).toContain("outbox_parked");
    expect(plans.join()).not.toContain("TEMP B-TREE");
  });
});

describe("an inbox row", () => {
  test("is in step with the facts about its message", () => {
    const file = tempStoreFile();
    const store = openTestStore(file);
    const [message] = store.intake("telegram", ACCOUNT, [messageItem(1)], 2).messages;
    const id = message?.id ?? 0;
    const state = () => beside(file, (db) => db.prepare("SELECT state FROM inbox").pluck().get());
    const seen = [state()];
    for (const fact of [
      { type: "message.given", id, epoch: 1, transcript: null },
      { type: "message.accepted", id },
      { type: "message.parked", id, reason: "quiet" },
      { type: "message.requeued", id, uuid: "uuid-1b" },
      { type: "message.failed", id, reason: "skipped" },
      { type: "message.accepted", id },
    ] as const) {
      store.write(KEY, only({ facts: [fact] }));
      seen.push(state());
    }
    expect(seen).toEqual([
      "received",
      "given",
      "accepted",
      "parked",
      "received",
      "failed",
      "failed",
    ]);
  });
});

describe("a write that fails half-way", () => {
  test("changes neither disk nor memory, and says which file, why and what to do", () => {
    const file = tempStoreFile();
    const store = openTestStore(file);
    store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
    const before = store.facts(KEY);
    const write = only({
      facts: [{ type: "session.failed", reason: "start-failed", detail: "x" }],
      outgoing: [draft("notice")],
    });
    beside(file, (db) =>
      db.exec(`CREATE TRIGGER full BEFORE INSERT ON outbox
        BEGIN SELECT RAISE(ABORT, 'no room left'); END`),
    );
    expect(() => store.write(KEY, write)).toThrow(StoreError);
    expect(() => store.write(KEY, write)).toThrow(file);
    expect(() => store.write(KEY, write)).toThrow(/write a session: no room left/);
    expect(store.facts(KEY)).toEqual(before);
    expect(store.history(KEY)).toHaveLength(1);

    const late = messageItem(2, { reply: draft("full") });
    expect(() => store.intake("telegram", ACCOUNT, [messageItem(3), late], 4)).toThrow(StoreError);
    expect(store.offset("telegram", ACCOUNT)).toBe(2);
    expect(store.facts(KEY)).toEqual(before);

    beside(file, (db) => db.exec("DROP TRIGGER full"));
    expect(store.write(KEY, write).failure?.reason).toBe("start-failed");
    expect(store.intake("telegram", ACCOUNT, [messageItem(3), late], 4).messages).toHaveLength(1);
  });

  test("says that the store is closed once it is disposed", () => {
    const file = tempStoreFile();
    const store = openTestStore(file);
    store[Symbol.dispose]();
    store[Symbol.dispose]();
    expect(() => store.facts(KEY)).toThrow(`The store ${file} is closed`);
    expect(() => store.ensureSession(KEY, messageItem(1).intake.address)).toThrow(StoreError);
  });
});

describe("a store opened for looking", () => {
  test("sees what the service has committed, while it runs and after", () => {
    const file = tempStoreFile();
    const store = openTestStore(file);
    store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
    const looking = openTestStore(file, { readOnly: true });
    expect(looking.session(KEY)).toEqual(store.session(KEY));
    looking[Symbol.dispose]();
    store[Symbol.dispose]();
    expect(openTestStore(file, { readOnly: true }).keysWithWork()).toEqual([KEY]);
  });

  test("cannot write", () => {
    const file = tempStoreFile();
    openTestStore(file);
    const looking = openTestStore(file, { readOnly: true });
    expect(() => looking.intake("telegram", ACCOUNT, [messageItem(1)], 2)).toThrow(StoreError);
    expect(looking.offset("telegram", ACCOUNT)).toBeNull();
  });

  test("says so when there is no store yet, and makes none", () => {
    const file = tempStoreFile();
    expect(() => openTestStore(file, { readOnly: true })).toThrow(/no store at .* yet/);
    expect(() => statSync(dirname(file))).toThrow(/ENOENT/);
  });
});

describe("folded facts in memory", () => {
  test("are read from disk again for more sessions than are kept", () => {
    const store = openTestStore(tempStoreFile());
    const items = Array.from({ length: 1_100 }, (_, index) =>
      messageItem(index, {
        address: { channel: "telegram", chatId: String(index), topicId: null },
      }),
    );
    store.intake("telegram", ACCOUNT, items, 1_100);
    for (const { key, uuid } of items) {
      expect(store.facts(key).messages.map((one) => one.uuid)).toEqual([uuid]);
    }
  });
});
