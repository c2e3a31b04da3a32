import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { MIGRATIONS, latestVersion, migrate, schemaVersion } from "../../src/store/migrate.ts";
import { tempStoreFile, openTestStore } from "./store-files.ts";

const one = { version: 1, sql: "CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (1)" };
const two = { version: 2, sql: "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1" };

function memory(): Database.Database {
  return new Database(":memory:");
}

test("are numbered from 1 without gaps", () => {
  expect(MIGRATIONS.map((step) => step.version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

test("run once each, from where the file stands", () => {
  const db = memory();
  migrate(db, [one]);
  migrate(db, [one, two]);
  migrate(db, [one, two]);
  expect(db.prepare("SELECT * FROM a").all()).toEqual([{ x: 1, y: 2 }]);
  expect(schemaVersion(db)).toBe(2);
});

test("leave the version before a step that fails, and nothing of the step", () => {
  const db = memory();
  const broken = { version: 2, sql: "CREATE TABLE b (x INTEGER); CREATE TABLE a (x INTEGER)" };
  expect(() => migrate(db, [one, broken])).toThrow(/already exists/);
  expect(schemaVersion(db)).toBe(1);
  expect(db.prepare("SELECT name FROM sqlite_master").pluck().all()).toEqual(["a"]);
});

test("keep the outgoing rows of a store without parked ones, to be sent as before", () => {
  const file = tempStoreFile();
  mkdirSync(dirname(file));
  const old = new Database(file);
  migrate(old, MIGRATIONS.slice(0, 1));
  old.exec(`
    INSERT INTO sessions (key, channel, chat_id) VALUES ('telegram/-100/-', 'telegram', '-100');
    INSERT INTO outbox (session_key, lane, kind, text, created_at, ended_at) VALUES
      ('telegram/-100/-', 'telegram/-100', 'answer', 'sent', 1, 2),
      ('telegram/-100/-', 'telegram/-100', 'answer', 'waiting', 1, NULL);
  `);
  old.close();
  expect(openTestStore(file).nextOutgoing("telegram/-100")?.text).toBe("waiting");
});

test("bring a new store to the last version", () => {
  const file = tempStoreFile();
  openTestStore(file);
  const db = new Database(file, { readonly: true });
  expect(schemaVersion(db)).toBe(latestVersion());
  db.close();
});
