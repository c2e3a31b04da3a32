import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../machines/commands.ts";
import type { AgentOffers } from "../../machines/vocabulary.ts";
import { decides, readAction } from "../../src/buttons.ts";
import { handleCommand } from "../../src/sessions/handle-command.ts";
import { laneOf } from "../../src/sessions/session-key.ts";
import { english } from "../../src/words/english.ts";
import { ACCOUNT, CHAT, commandItem, KEY, only } from "../contract/store-fixtures.ts";
import { openTestStore, tempStoreFile } from "../store/store-files.ts";
import { memoryLog } from "../support/memory-log.ts";

const OFFERS: AgentOffers = {
  models: [
    { value: "opus", label: "Opus" },
    { value: "haiku", label: "Haiku" },
  ],
  modes: ["default", "plan"],
  efforts: [],
};

/** What a command of this name comes to. */
function type(name: string, args: string, offers: AgentOffers | null = OFFERS, isApprover = true) {
  const store = openTestStore(tempStoreFile());
  store.ensureSession(KEY, CHAT);
  const chosen = { type: "choice.made", choice: "model", value: "haiku" } as const;
  store.write(KEY, only({ facts: [chosen] }));
  const item = commandItem(1, name);
  const intake = { ...item.intake, args } as typeof item.intake;
  const [command] = store.intake("telegram", ACCOUNT, [{ ...item, intake }], 2).commands;
  if (command === undefined) throw new Error("The command was not stored");
  const asked: SessionCommand[] = [];
  handleCommand(
    {
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
      isApprover: () => isApprover,
      offers: () => offers,
      answerPress: () => undefined,
    },
    command,
  );
  const row = store.nextOutgoing(laneOf(CHAT));
  const offered = (row?.buttons ?? []).flat();
  return {
    asked,
    text: row?.text ?? null,
    labels: offered.map((one) => one.label),
    actions: offered.map((one) => readAction(store.button(one.nonce)?.action ?? "")),
    isDone: store.pendingCommands().length === 0,
  };
}

describe("a choice", () => {
  it("is offered as buttons, the present one marked", () => {
    const { labels, actions, text, isDone } = type("model", "");
    expect(labels).toEqual(["Opus", "✅ Haiku"]);
    expect(actions[0]).toEqual({ do: "choose", choice: "model", value: "opus" });
    expect(text).toContain("`haiku`");
    expect(isDone).toBe(true);
  });

  it.each([
    ["model", "opus"],
    ["model", "claude-opus-5[1m]"],
    ["mode", "plan"],
    ["verbose", "2"],
  ])("of /%s %s is handed to the session", (choice, value) => {
    expect(type(choice, value).asked).toEqual([
      { type: "command.choose", commandId: 1, choice, value },
    ]);
  });

  it.each([
    ["mode", "yolo"],
    ["verbose", "3"],
    ["effort", "high"],
    ["model", "--dangerously-skip-permissions"],
    ["model", "two words"],
  ])("of /%s %s that there is not changes nothing, and says what there is", (choice, value) => {
    const { asked, text, isDone } = type(choice, value);
    expect(asked).toEqual([]);
    expect(text).toContain("nothing was changed");
    expect(isDone).toBe(true);
  });

  it("of the permission mode is an approver's to make", () => {
    const { asked, text } = type("mode", "plan", OFFERS, false);
    expect(asked).toEqual([]);
    expect(text).toBe(english.choices.notApprover);
    expect(type("model", "opus", OFFERS, false).asked).toHaveLength(1);
    expect(decides({ do: "choose", choice: "mode", value: "plan" })).toBe(true);
    expect(decides({ do: "choose", choice: "model", value: "opus" })).toBe(false);
  });

  it("of a mode that asks nobody is refused until the agent offers it", () => {
    expect(type("mode", "bypassPermissions", null).asked).toEqual([]);
    expect(type("mode", "bypassPermissions", null).text).toContain("`plan`");
  });

  it("can be made by name before the agent has said what it offers, save one of effort", () => {
    expect(type("model", "opus", null).asked).toHaveLength(1);
    expect(type("mode", "plan", null).asked).toHaveLength(1);
    expect(type("effort", "high", null).asked).toEqual([]);
    expect(type("model", "", null).labels).toEqual([]);
  });
});

describe("a name", () => {
  it("is given to the present conversation, in one line", () => {
    expect(type("name", "the\n parser ").asked).toEqual([
      { type: "command.name", commandId: 1, name: "the parser" },
    ]);
  });

  it.each(["", "x".repeat(65)])("that is %j is asked for again", (name) => {
    const { asked, text } = type("name", name);
    expect(asked).toEqual([]);
    expect(text).toBe(english.commands.nameHow);
  });
});
