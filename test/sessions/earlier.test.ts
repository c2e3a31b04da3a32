import { describe, expect, it } from "vitest";
import { age, resumeList } from "../../src/resume-words.ts";
import { earlierConversations } from "../../src/sessions/earlier.ts";
import { ACCOUNT, KEY, messageItem, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { bound, intended } from "../support/facts.ts";

const HOUR = 3_600_000;

describe("the earlier conversations of a chat", () => {
  it("are listed with their turns, age, directory and first words, the latest first", () => {
    const store = openTestStore(tempStoreFile());
    const [message] = store.intake("telegram", ACCOUNT, [messageItem(1)], 2).messages;
    const id = message?.id ?? 0;
    const at = store.history(KEY)[0]?.at ?? 0;
    const archived = (agentSessionId: string) =>
      ({
        type: "agentSession.archived",
        agentSessionId,
        transcript: `/t/${agentSessionId}.jsonl`,
        reason: "new",
      }) as const;
    store.write(
      KEY,
      only({
        facts: [
          { type: "workspace.bound", path: "/w", agentKind: "scripted" },
          intended(1, "s1"),
          { type: "message.given", id, epoch: 1, transcript: "/t/s1.jsonl" },
          bound("s1"),
          { type: "message.answered", id },
          { type: "turn.completed", epoch: 1 },
          archived("s1"),
          bound("s2"),
          archived("s2"),
        ],
      }),
    );
    const earlier = earlierConversations(store, KEY, at + 2 * HOUR);
    expect(earlier).toEqual([
      { agentSessionId: "s2", workspace: "/w", turns: 0, ageMs: null, firstWords: "" },
      { agentSessionId: "s1", workspace: "/w", turns: 1, ageMs: 2 * HOUR, firstWords: "text 1" },
    ]);
    const words = resumeList(earlier).split("\n");
    expect(words).toContain("1\\. `s2` – 0 turns, `/w`");
    expect(words).toContain("2\\. `s1` – 1 turn, 2 h ago, `/w`: “text 1”");
  });

  it("are ten at most, and the rest is counted", () => {
    const one = { agentSessionId: "s", workspace: null, turns: 2, ageMs: null, firstWords: "" };
    expect(resumeList(Array.from({ length: 12 }, () => one))).toContain("… and 2 more");
    expect(resumeList([])).toBe("There is no earlier conversation in this chat yet.");
  });

  it.each([
    [0, "1 min"],
    [119_000, "1 min"],
    [HOUR, "1 h"],
    [50 * HOUR, "2 d"],
  ])("of %i ms are %s old", (ms, words) => expect(age(ms)).toBe(words));
});
