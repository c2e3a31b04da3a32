import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { ACCOUNT, KEY } from "../contract/store-fixtures.ts";
import { runChild } from "./child.ts";
import { openTestStore, tempStoreFile } from "./store-files.ts";

const ROUNDS = 3;

/** Kills it right after the line with which it says that at least `atLeast` more is stored. */
async function takeInAndDie(file: string, atLeast: number): Promise<number> {
  const child = runChild("intake-child.ts", file);
  const first = Number(await child.line());
  let said = first;
  while (said < first + atLeast) said = Number(await child.line());
  await child.kill();
  return said;
}

test("loses no update below the offset and has none twice, whenever the process is killed", async () => {
  const file = tempStoreFile();
  for (let round = 0; round < ROUNDS; round += 1) {
    const said = await takeInAndDie(file, 60 + round * 7);
    const store = openTestStore(file);
    const offset = store.offset("telegram", ACCOUNT) ?? 0;
    expect(offset).toBeGreaterThanOrEqual(said);
    const received = store
      .history(KEY)
      .flatMap(({ fact }) => (fact.type === "message.received" ? [fact.uuid] : []));
    expect(received).toEqual(Array.from({ length: offset }, (_, index) => `uuid-${index}`));
    expectInStep(
      file,
      store.facts(KEY).messages.map((one) => one.id),
    );
    store[Symbol.dispose]();
  }
});

/** Rows agree with facts: a message is either open, or ended with exactly one answer in the outbox. */
function expectInStep(file: string, open: readonly number[]): void {
  const db = new Database(file, { readonly: true });
  const ids = (sql: string) => db.prepare<[], number>(sql).pluck().all();
  expect(ids("SELECT id FROM inbox WHERE state = 'received' ORDER BY id")).toEqual(open);
  expect(open.length).toBeLessThanOrEqual(3);
  const ended = ids("SELECT id FROM inbox WHERE state = 'answered' ORDER BY id");
  const answered = ids("SELECT CAST(substr(dedupe, 8) AS INTEGER) FROM outbox ORDER BY 1");
  expect(answered).toEqual(ended);
  db.close();
}
