import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { SessionFact } from "../../machines/facts.ts";
import { createFactCodec } from "../../src/store/fact-codec.ts";
import type { Upcasters } from "../../src/store/fact-codec.ts";
import { StoreError } from "../../src/store/store-error.ts";
import { ACCOUNT, KEY, messageItem, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "./store-files.ts";

/** Two made-up older versions: `dir` became `path`, then the agent's kind came in. */
const upcasters: Upcasters = {
  "workspace.bound": [
    ({ dir, ...rest }) => ({ ...rest, path: dir }),
    (fact) => ({ ...fact, agentKind: "claude" }),
  ],
};

function insertFact(file: string, type: string, v: number, body: string): number {
  const db = new Database(file);
  const { lastInsertRowid } = db
    .prepare("INSERT INTO facts (session_key, at, type, v, body) VALUES (?, 1, ?, ?, ?)")
    .run(KEY, type, v, body);
  db.close();
  return Number(lastInsertRowid);
}

function storeWithSession(file: string, options: { upcasters?: Upcasters } = {}) {
  const store = openTestStore(file, options);
  store.intake("telegram", ACCOUNT, [messageItem(1)], 2);
  return store;
}

test("gives back every kind of fact as it was", () => {
  const codec = createFactCodec("/state/holdfast.db");
  const facts: SessionFact[] = [
    { type: "launch.exited", epoch: 3, crashedAt: 1_700_000_000_000.5 },
    { type: "context.measured", context: { used: 12_000, window: 200_000 } },
    { type: "message.given", id: 1, epoch: 2, transcript: null },
    { type: "session.failed", reason: "crash-limit", detail: "three\ndeaths" },
  ];
  for (const fact of facts) {
    const { type, v, body } = codec.encode(fact);
    expect(v).toBe(1);
    expect(JSON.parse(body)).not.toHaveProperty("type");
    expect(codec.decode({ seq: 1, at: 0, type, v, body })).toEqual(fact);
  }
});

test("reads facts of older versions, and writes the current one", () => {
  const file = tempStoreFile();
  storeWithSession(file)[Symbol.dispose]();
  insertFact(file, "workspace.bound", 1, '{"dir":"/work/one"}');
  insertFact(file, "workspace.bound", 2, '{"path":"/work/two"}');
  insertFact(file, "workspace.bound", 3, '{"path":"/work/three","agentKind":"scripted"}');
  const store = openTestStore(file, { upcasters });
  expect(
    store
      .history(KEY)
      .slice(1)
      .map((one) => one.fact),
  ).toEqual([
    { type: "workspace.bound", path: "/work/one", agentKind: "claude" },
    { type: "workspace.bound", path: "/work/two", agentKind: "claude" },
    { type: "workspace.bound", path: "/work/three", agentKind: "scripted" },
  ]);
  const four = { type: "workspace.bound", path: "/work/four", agentKind: "claude" } as const;
  expect(store.write(KEY, only({ facts: [four] })).workspace).toBe("/work/four");
  const db = new Database(file, { readonly: true });
  expect(db.prepare("SELECT v FROM facts ORDER BY seq DESC LIMIT 1").pluck().get()).toBe(3);
  db.close();
});

test.each([
  ["an unknown type", "session.exploded", 1, "{}", /session\.exploded/],
  ["a body that is no JSON", "turn.completed", 1, '{"epoch":', /JSON/],
  ["a body that is no object", "turn.completed", 1, "[1]", /turn\.completed/],
  ["a missing field", "turn.completed", 1, "{}", /epoch/],
  ["a field too many", "turn.completed", 1, '{"epoch":1,"extra":2}', /extra/],
  ["a value of another kind", "message.parked", 1, '{"id":1,"reason":"bored"}', /reason/],
  ["a newer version", "turn.completed", 2, '{"epoch":1}', /version 2/],
  ["the name of something inherited", "constructor", 1, "{}", /constructor/],
])("refuses %s, naming file and row", (_what, type, v, body, why) => {
  const file = tempStoreFile();
  storeWithSession(file)[Symbol.dispose]();
  const seq = insertFact(file, type, v, body);
  const store = openTestStore(file);
  for (const look of [() => store.facts(KEY), () => store.history(KEY)]) {
    expect(look).toThrow(StoreError);
    expect(look).toThrow(`${file} holds a fact that cannot be read: row ${seq} of facts`);
    expect(look).toThrow(why);
  }
  const write = only({ facts: [{ type: "turn.completed", epoch: 1 }] });
  expect(() => store.write(KEY, write)).toThrow(`row ${seq}`);
  expect(store.intake("telegram", ACCOUNT, [], 9).messages).toEqual([]);
});

test("reads an approval of a version that kept words for always", () => {
  const codec = createFactCodec("/state/holdfast.db");
  const request = {
    requestId: "r",
    toolUseId: null,
    kind: "tool",
    tool: "Bash",
    summary: "npm test",
    detail: "",
    always: "npm test in this project",
    questions: [],
  } as const;
  const body = JSON.stringify({ epoch: 1, messageId: null, request });
  expect(codec.decode({ seq: 1, at: 0, type: "approval.opened", v: 1, body })).toEqual({
    type: "approval.opened",
    epoch: 1,
    messageId: null,
    request: { ...request, always: null },
  });
});
