import { describe, expect, it } from "vitest";
import type { SessionFact } from "../../machines/facts.ts";
import {
  resumeList,
  sessionsList,
  type ListedSession,
} from "../../src/words/conversation-lists.ts";
import { earlierConversations } from "../../src/sessions/earlier.ts";
import { english } from "../../src/words/english.ts";
import { ACCOUNT, KEY, messageItem, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { bound } from "../support/facts.ts";

const HOUR = 3_600_000;

const archived = (agentSessionId: string) =>
  ({
    type: "agentSession.archived",
    agentSessionId,
    transcript: `/t/${agentSessionId}.jsonl`,
    reason: "new",
  }) as const;
const given = (id: number, agentSessionId: string) =>
  ({ type: "message.given", id, epoch: 1, transcript: `/t/${agentSessionId}.jsonl` }) as const;
const answered = (id: number) => ({ type: "message.answered", id }) as const;

/** A chat that holds so many messages; what it has left is asked for two hours after the first. */
function chat(messages: number) {
  const store = openTestStore(tempStoreFile());
  const items = Array.from({ length: messages }, (_, at) => messageItem(at + 1));
  const ids = store.intake("telegram", ACCOUNT, items, messages + 1).messages.map(({ id }) => id);
  const at = store.history(KEY)[0]?.at ?? 0;
  return {
    ids: ids as [number, ...number[]],
    leave: (...facts: readonly SessionFact[]) =>
      store.write(
        KEY,
        only({ facts: [{ type: "workspace.bound", path: "/w", agentKind: "scripted" }, ...facts] }),
      ),
    earlier: () => earlierConversations(store, KEY, at + 2 * HOUR),
  };
}

describe("the earlier conversations of a chat", () => {
  it("are listed with their turns, age, directory and first words, the latest first", () => {
    const {
      ids: [one, two = 0],
      leave,
      earlier,
    } = chat(2);
    const completed = { type: "turn.completed", epoch: 1 } as const;
    leave(
      ...[given(one, "s1"), bound("s1"), answered(one), completed, archived("s1")],
      ...[given(two, "s2"), bound("s2"), answered(two), completed, completed, archived("s2")],
    );
    const both = { workspace: "/w", ageMs: 2 * HOUR, name: null };
    expect(earlier()).toEqual([
      { ...both, agentSessionId: "s2", turns: 2, firstWords: "text 2" },
      { ...both, agentSessionId: "s1", turns: 1, firstWords: "text 1" },
    ]);
    const words = resumeList(english, earlier()).split("\n");
    expect(words).toContain("1\\. `s2` – 2 turns, 2 h ago, `/w`: “text 2”");
    expect(words).toContain("2\\. `s1` – 1 turn, 2 h ago, `/w`: “text 1”");
  });

  it("are left out where nothing was said in them, be it that commands were answered there", () => {
    const {
      ids: [one],
      leave,
      earlier,
    } = chat(1);
    leave(
      ...[bound("s1"), archived("s1")],
      ...[given(one, "s2"), bound("s2"), answered(one), archived("s2")],
    );
    expect(earlier()).toEqual([]);
  });

  it("are kept where the only turn was cut short, and its message run again elsewhere", () => {
    const {
      ids: [one],
      leave,
      earlier,
    } = chat(1);
    leave(
      ...[given(one, "s1"), bound("s1"), archived("s1")],
      ...[given(one, "s2"), bound("s2"), answered(one), archived("s2")],
    );
    expect(earlier()).toMatchObject([{ agentSessionId: "s1", turns: 0 }]);
    expect(resumeList(english, earlier())).toContain("`s1` – no turn completed, 2 h ago");
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
