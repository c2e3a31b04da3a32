import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StateLockedError, acquireStateLock } from "../../src/store/state-lock.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { runChild } from "./child.ts";
import { openTestStore, tempDir } from "./store-files.ts";

const clock = { now: () => 1_700_000_000_000 };
const SINCE = "2023-11-14T22:13:20.000Z";

function refusal(stateDir: string): StateLockedError {
  try {
    acquireStateLock(stateDir, clock)[Symbol.dispose]();
  } catch (error) {
    if (error instanceof StateLockedError) return error;
    throw error;
  }
  throw new Error("the lock was free");
}

test("keeps a second process out and tells it who holds the lock since when", async () => {
  const stateDir = join(tempDir(), "state");
  const lock = acquireStateLock(stateDir, clock);
  const said = await runChild("hold-lock-child.ts", stateDir).line();
  expect(said).toBe(
    `StateLockedError: Another holdfast (pid ${process.pid}, since ${SINCE}) uses the state ` +
      `directory ${stateDir}. Stop it first, or give this one a state directory of its own.`,
  );
  lock[Symbol.dispose]();
  expect(await runChild("hold-lock-child.ts", stateDir).line()).toBe("held");
});

test("is free at once when its holder is killed", async () => {
  const stateDir = tempDir();
  const child = runChild("hold-lock-child.ts", stateDir);
  expect(await child.line()).toBe("held");
  expect(refusal(stateDir).holder).toEqual({ pid: child.pid, since: SINCE });
  await child.kill();
  const lock = acquireStateLock(stateDir, clock);
  expect(refusal(stateDir).holder).toEqual({ pid: process.pid, since: SINCE });
  lock[Symbol.dispose]();
});

test("is not lost by a second attempt in the same process", async () => {
  const stateDir = tempDir();
  const lock = acquireStateLock(stateDir, clock);
  expect(refusal(stateDir).message).toContain(stateDir);
  expect(await runChild("hold-lock-child.ts", stateDir).line()).toMatch(/^StateLockedError/);
  lock[Symbol.dispose]();
});

test("leaves the store readable for others", async () => {
  const stateDir = tempDir();
  const file = join(stateDir, "holdfast.db");
  openTestStore(file);
  const child = runChild("hold-lock-child.ts", stateDir);
  expect(await child.line()).toBe("held");
  expect(openTestStore(file, { readOnly: true }).keysWithWork()).toEqual([]);
});

test("can be taken again once disposed, and disposing twice is harmless", () => {
  const stateDir = tempDir();
  const first = acquireStateLock(stateDir, clock);
  first[Symbol.dispose]();
  expect(existsSync(join(stateDir, "lock.json"))).toBe(false);
  const second = acquireStateLock(stateDir, clock);
  first[Symbol.dispose]();
  expect(refusal(stateDir).holder?.pid).toBe(process.pid);
  second[Symbol.dispose]();
});

test("keeps its files private", () => {
  const stateDir = join(tempDir(), "state");
  const lock = acquireStateLock(stateDir, clock);
  expect(statSync(stateDir).mode & 0o777).toBe(0o700);
  for (const name of ["lock.db", "lock.json"]) {
    expect(statSync(join(stateDir, name)).mode & 0o777).toBe(0o600);
  }
  lock[Symbol.dispose]();
});

test("does not name a holder it cannot be sure of", async () => {
  const stateDir = tempDir();
  const child = runChild("hold-lock-child.ts", stateDir);
  expect(await child.line()).toBe("held");
  const gone = runChild("hold-lock-child.ts", stateDir);
  expect(await gone.line()).toMatch(/^StateLockedError/);
  await gone.kill();
  for (const left of [JSON.stringify({ pid: gone.pid, since: SINCE }), "{", '{"pid":"x"}']) {
    writeFileSync(join(stateDir, "lock.json"), left);
    const error = refusal(stateDir);
    expect(error.holder).toBeNull();
    expect(error.message).toContain(`Another holdfast uses the state directory ${stateDir}`);
  }
});

test("says what to do when its file is damaged, or the directory cannot be made", () => {
  const stateDir = tempDir();
  writeFileSync(join(stateDir, "lock.db"), "this is no database ".repeat(100));
  expect(() => acquireStateLock(stateDir, clock)).toThrow(StoreError);
  expect(() => acquireStateLock(stateDir, clock)).toThrow(/lock\.db .*not a database.*delete it/);
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(() => acquireStateLock(join(file, "state"), clock)).toThrow(/cannot be made/);
});

test("says so below a directory in which nothing can be made, instead of trying for ever", () => {
  expect(() => acquireStateLock("/proc/holdfast/state", clock)).toThrow(/cannot be made/);
});
