import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { latestVersion } from "../../src/store/migrate.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { ACCOUNT, KEY, messageItem } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "./store-files.ts";

/** A sound store with some rows, closed. */
function soundStore(messages = 1): string {
  const file = tempStoreFile();
  const store = openTestStore(file);
  const items = Array.from({ length: messages }, (_, index) =>
    messageItem(index, { text: `${index} ${"lorem ipsum ".repeat(50)}` }),
  );
  store.intake("telegram", ACCOUNT, items, messages);
  store[Symbol.dispose]();
  return file;
}

/** The one line with which opening is refused, for writing and for looking; every byte must stay as it was. */
function refusal(file: string): string {
  const kept = [file, `${file}-wal`].filter((path) => existsSync(path));
  const digests = () =>
    kept.map((path) => createHash("sha256").update(readFileSync(path)).digest("hex"));
  const before = digests();
  const messages = [false, true].map((readOnly) => {
    let message = "";
    try {
      openTestStore(file, { readOnly });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      message = error.message;
    }
    expect(digests()).toEqual(before);
    return message;
  });
  expect(messages[0]).toContain(file);
  expect(messages[0]).not.toContain("\n");
  expect(messages[1]).toBe(messages[0]);
  return messages[0] ?? "";
}

test("opens a sound store, and one that a crash left with its log", () => {
  const file = soundStore();
  const store = openTestStore(file);
  store.intake("telegram", ACCOUNT, [messageItem(7)], 8);
  // What a killed process leaves: the main file without the last commits, and the log with them.
  const left = tempStoreFile();
  mkdirSync(dirname(left), { recursive: true });
  copyFileSync(file, left);
  copyFileSync(`${file}-wal`, `${left}-wal`);
  expect(openTestStore(left).facts(KEY).messages).toHaveLength(2);
});

test("undoes what a first start had begun when it was killed", () => {
  const file = tempStoreFile();
  mkdirSync(dirname(file), { recursive: true });
  const began = new Database(file);
  began.pragma("cache_size = 2");
  began.exec("BEGIN; CREATE TABLE half (x TEXT)");
  began.exec("INSERT INTO half SELECT hex(randomblob(9000)) FROM json_each('[1,2,3,4,5,6,7,8]')");
  const left = tempStoreFile();
  mkdirSync(dirname(left), { recursive: true });
  copyFileSync(file, left);
  copyFileSync(`${file}-journal`, `${left}-journal`);
  began.close();
  expect(statSync(left).size).toBeGreaterThan(0);
  expect(openTestStore(left).keysWithWork()).toEqual([]);
});

test("takes an empty file without a log for a new store", () => {
  const file = tempStoreFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  expect(openTestStore(file).keysWithWork()).toEqual([]);
  expect(statSync(file).size).toBeGreaterThan(0);
});

test("tightens the mode of a file that others can read", () => {
  const file = tempStoreFile();
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "", { mode: 0o644 });
  openTestStore(file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("refuses a file that is no database", () => {
  for (const content of ["x", "no database at all ".repeat(1_000)]) {
    const file = tempStoreFile();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    expect(refusal(file)).toMatch(/damaged: (file is not a database|it has 1 bytes only).*backup/);
  }
});

test("refuses a store that was cut short", () => {
  const file = soundStore(200);
  truncateSync(file, Math.floor(statSync(file).size / 8_192) * 4_096);
  expect(refusal(file)).toMatch(/damaged: .*backup/);
  truncateSync(file, 100);
  expect(refusal(file)).toMatch(/damaged: .*backup/);
});

test("refuses a store with a page of garbage in its middle", () => {
  const file = soundStore(200);
  const bytes = readFileSync(file);
  bytes.fill(0xa5, 4_096 * 5, 4_096 * 30);
  writeFileSync(file, bytes);
  expect(refusal(file)).toMatch(/damaged: .*backup/);
});

test("refuses an empty or missing file whose log is still there", () => {
  const file = soundStore();
  const store = openTestStore(file);
  store.intake("telegram", ACCOUNT, [messageItem(7)], 8);
  const copy = tempStoreFile();
  mkdirSync(dirname(copy), { recursive: true });
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  expect(refusal(copy)).toMatch(/empty or missing although .*-wal exists/);
  expect(existsSync(copy)).toBe(false);
  writeFileSync(copy, "");
  expect(refusal(copy)).toMatch(/empty or missing although .*-wal exists/);
  rmSync(`${copy}-wal`);
  expect(openTestStore(copy).keysWithWork()).toEqual([]);
});

test("refuses a newer schema, also while its last commits are in the log only", () => {
  const file = soundStore();
  const newer = new Database(file);
  newer.pragma("wal_autocheckpoint = 0");
  newer.pragma(`user_version = ${latestVersion() + 1}`);
  expect(refusal(file)).toMatch(
    new RegExp(`schema ${latestVersion() + 1}.*up to ${latestVersion()}`),
  );
  // What a killed process leaves: nobody holds the log, so closing it could write it back.
  const left = tempStoreFile();
  mkdirSync(dirname(left), { recursive: true });
  copyFileSync(file, left);
  copyFileSync(`${file}-wal`, `${left}-wal`);
  expect(refusal(left)).toMatch(/newer holdfast/);
  newer.close();
  expect(refusal(file)).toMatch(/newer holdfast/);
});

test("refuses a database of another program", () => {
  const file = tempStoreFile();
  mkdirSync(dirname(file), { recursive: true });
  const other = new Database(file);
  other.exec("CREATE TABLE bookmarks (url TEXT)");
  other.close();
  expect(refusal(file)).toMatch(/another program.*another state directory/);
});

test("refuses a directory in the file's place, and a directory that is a file", () => {
  const file = tempStoreFile();
  mkdirSync(file, { recursive: true });
  expect(() => openTestStore(file)).toThrow(/is a directory/);
  rmSync(dirname(file), { recursive: true });
  writeFileSync(dirname(file), "");
  expect(() => openTestStore(file)).toThrow(StoreError);
  expect(() => openTestStore(file)).toThrow(/state directory .* cannot be made/);
});
