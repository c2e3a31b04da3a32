import { openStore } from "../../src/store/sqlite-store.ts";
import { ACCOUNT, KEY, draft, messageItem, only } from "../contract/store-fixtures.ts";

/** Answers what is open, then takes in batches and answers them, as fast as it can, until it is ended; says every offset it has stored. */
const [file = ""] = process.argv.slice(2);
const store = openStore({ file, clock: Date, agentKind: "scripted" });
const answer = (id: number): void => {
  const outgoing = [draft(`answer ${id}`, `answer:${id}`)];
  store.write(KEY, only({ facts: [{ type: "message.answered", id }], outgoing }));
};
for (const { id } of store.facts(KEY).messages) answer(id);
for (let next = store.offset("telegram", ACCOUNT) ?? 0; ; next += 3) {
  const items = [next, next + 1, next + 2].map((updateId) => messageItem(updateId));
  const { messages } = store.intake("telegram", ACCOUNT, items, next + 3);
  process.stdout.write(`${next + 3}\n`);
  for (const { id } of messages) answer(id);
}
