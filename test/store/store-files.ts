import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore } from "../../src/store/sqlite-store.ts";
import type { StoreOptions } from "../../src/store/sqlite-store.ts";

/** A directory that goes with the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "holdfast-store-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A file for a store, in a directory that does not exist yet. */
export function tempStoreFile(): string {
  return join(tempDir(), "state", "holdfast.db");
}

/** Disposed with the test, if that has not done it. */
export function openTestStore(file: string, options: Partial<StoreOptions> = {}) {
  const clock = { now: () => 1_700_000_000_000 };
  const store = openStore({ file, clock, agentKind: "scripted", ...options });
  onTestFinished(() => store[Symbol.dispose]());
  return store;
}
