import { describe, expect, it } from "vitest";
import {
  resumeList,
  sessionsList,
  type ListedSession,
} from "../../src/words/conversation-lists.ts";
import { earlierConversations } from "../../src/sessions/earlier.ts";
import { english } from "../../src/words/english.ts";
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
      { agentSessionId: "s2", workspace: "/w", turns: 0, ageMs: null, firstWords: "", name: null },
      {
        agentSessionId: "s1",
        workspace: "/w",
        turns: 1,
        ageMs: 2 * HOUR,
        firstWords: "text 1",
        name: null,
      },
    ]);
    const words = resumeList(english, earlier).split("\n");
    expect(words).toContain("1\\. `s2` – 0 turns, `/w`");
    expect(words).toContain("2\\. `s1` – 1 turn, 2 h ago, `/w`: “text 1”");
  });

  it("are all listed by workspace, the present one marked, with the size of its transcript", () => {
    const one = (agentSessionId: string, more: Partial<ListedSession>): ListedSession => ({
      agentSessionId,
      workspace: "/w",
      turns: 1,
      ageMs: HOUR,
      firstWords: "hello",
      name: null,
      bytes: 12_345,
      isPresent: false,
      ...more,
    });
    const listed = [
      one("s1", { isPresent: true }),
      one("s2", { workspace: "/v", name: "the parser", bytes: 2_340_000 }),
      one("s3", { bytes: null, firstWords: "" }),
    ];
    expect(sessionsList(english, listed).split("\n")).toEqual([
      "📁 `/w`",
      "▶️ `s1` – 1 turn, 1 h ago, 12 kB: “hello”",
      "• `s3` – 1 turn, 1 h ago",
      "",
      "📁 `/v`",
      "• `s2` **the parser** – 1 turn, 1 h ago, 2.3 MB: “hello”",
      "",
      "Press to go back to one.",
    ]);
    expect(sessionsList(english, [])).toContain("no conversation");
  });

  it("are ten at most, and the rest is counted", () => {
    const one = {
      agentSessionId: "s",
      workspace: null,
      turns: 2,
      ageMs: null,
      firstWords: "",
      name: null,
    };
    expect(
      resumeList(
        english,
        Array.from({ length: 12 }, () => one),
      ),
    ).toContain("… and 2 more");
    expect(resumeList(english, [])).toBe("There is no earlier conversation in this chat yet.");
  });

  it.each([
    [0, "1 min"],
    [119_000, "1 min"],
    [HOUR, "1 h"],
    [50 * HOUR, "2 d"],
  ])("of %i ms are %s old", (ms, words) => expect(english.units.age(ms)).toBe(words));
});
