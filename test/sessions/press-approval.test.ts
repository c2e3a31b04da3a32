import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../machines/commands.ts";
import type { ApprovalRequest, Question } from "../../machines/vocabulary.ts";
import type { CommandOptions } from "../../src/sessions/command-options.ts";
import { pressApproval, replyToApproval } from "../../src/sessions/press-approval.ts";
import { laneOf } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { ACCOUNT, CHAT, commandItem, KEY, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { intended } from "../support/facts.ts";
import { memoryLog } from "../support/memory-log.ts";

const question = (text: string, multiSelect: boolean): Question => ({
  question: text,
  header: "",
  multiSelect,
  options: ["red", "blue"].map((label) => ({ label, description: "" })),
});

/** A session whose agent asks something, and a command that is about it. */
function world(more: Partial<ApprovalRequest>, picks: readonly (readonly number[])[] = []) {
  const store = openTestStore(tempStoreFile());
  const request: ApprovalRequest = {
    requestId: "r",
    toolUseId: "t",
    kind: "tool",
    tool: "Bash",
    summary: "make",
    detail: "all of it",
    always: null,
    questions: [],
    ...more,
  };
  const [command] = store.intake("telegram", ACCOUNT, [commandItem(1, "x")], 2).commands;
  if (command === undefined) throw new Error("The command was not stored");
  const opened = { type: "approval.opened", epoch: 1, messageId: null, request } as const;
  const picked = { type: "approval.picked", requestId: "r", picks } as const;
  store.write(KEY, only({ facts: [intended(1, "s1"), opened, picked] }));
  const asked: SessionCommand[] = [];
  const options: CommandOptions = {
    store,
    words: english,
    defaultWorkspace: "/w",
    roots: ["/w"],
    limits: { messageBytes: 100, buttonMs: 1_000 },
    log: memoryLog().log,
    clock: { now: () => 0 },
    newId: () => "id",
    phase: () => null,
    toSession: (_key, one) => asked.push(one),
    outboxFilled: () => undefined,
    isApprover: () => true,
    offers: () => null,
    answerPress: () => undefined,
  };
  return { store, asked, options, command };
}

const decisionOf = (asked: readonly SessionCommand[]) =>
  asked.map((one) => (one.type === "command.decide" ? one.decision : one.type));

describe("a press about an approval", () => {
  it.each([
    ["allow", { allow: true, always: false, answers: {} }],
    ["always", { allow: true, always: true, answers: {} }],
    ["deny", { allow: false, reason: "" }],
  ] as const)("%s is passed on as such", (how, decision) => {
    const { asked, options, command } = world({});
    expect(pressApproval(options, command, { do: "decide", requestId: "r", how })).toBeNull();
    expect(decisionOf(asked)).toEqual([decision]);
  });

  it("on the option of a single question is the answer", () => {
    const { asked, options, command } = world({
      kind: "question",
      questions: [question("Which?", false)],
    });
    pressApproval(options, command, { do: "option", requestId: "r", question: 0, option: 1 });
    expect(decisionOf(asked)).toEqual([
      { allow: true, always: false, answers: { "Which?": "blue" } },
    ]);
  });

  it("on one of several only chooses, and all chosen are sent together", () => {
    const questions = [question("Which?", true), question("And?", false)];
    const choosing = world({ kind: "question", questions });
    const option = { do: "option", requestId: "r", question: 0, option: 1 } as const;
    pressApproval(choosing.options, choosing.command, option);
    expect(choosing.asked).toMatchObject([{ type: "command.pick", question: 0, option: 1 }]);
    const sending = world({ kind: "question", questions }, [[0, 1], [1]]);
    pressApproval(sending.options, sending.command, { do: "submit", requestId: "r" });
    expect(decisionOf(sending.asked)).toEqual([
      { allow: true, always: false, answers: { "Which?": "red, blue", "And?": "blue" } },
    ]);
  });

  it("sends no half of the answers", () => {
    const questions = [question("Which?", true), question("And?", false)];
    const { asked, options, command, store } = world({ kind: "question", questions }, [[0]]);
    const said = pressApproval(options, command, { do: "submit", requestId: "r" });
    expect(said).toBe(english.presses.unanswered);
    expect(asked).toEqual([]);
    expect(store.pendingCommands()).toEqual([]);
  });

  it("shows all of it as a message of its own", () => {
    const { options, command, store } = world({});
    pressApproval(options, command, { do: "more", requestId: "r" });
    expect(store.nextOutgoing(laneOf(CHAT))?.text).toBe("all of it");
    expect(store.pendingCommands()).toEqual([]);
  });

  it("that is settled, or about an option that there is not, does nothing", () => {
    const { asked, options, command } = world({});
    const gone = pressApproval(options, command, { do: "decide", requestId: "q", how: "allow" });
    const none = { do: "option", requestId: "r", question: 4, option: 1 } as const;
    expect([gone, pressApproval(options, command, none)]).toEqual(
      Array(2).fill(english.presses.stale),
    );
    expect(asked).toEqual([]);
  });
});

describe("a text", () => {
  it("in reply to a request for a permission is the reason why not", () => {
    const { asked, options, command } = world({});
    replyToApproval(options, command, "r", "use make test");
    expect(decisionOf(asked)).toEqual([{ allow: false, reason: "use make test" }]);
  });

  it("typed in reply is the answer where nothing is chosen", () => {
    const questions = [question("Which?", true), question("And?", false)];
    const { asked, options, command } = world({ kind: "question", questions }, [[0]]);
    replyToApproval(options, command, "r", "green");
    expect(decisionOf(asked)).toEqual([
      { allow: true, always: false, answers: { "Which?": "red", "And?": "green" } },
    ]);
  });
});
