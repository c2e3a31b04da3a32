import { describe, expect, it } from "vitest";
import { lastWords, withLocalText } from "../../../src/agents/claude/local-command.ts";
import { NEW_TURN } from "../../../src/agents/claude/translate-state.ts";
import { eventsOf, replay } from "./replay.ts";

describe("a local command of the agent's", () => {
  it("is answered with what it says, be it an error, an output or that there is no such thing", () => {
    const ended = eventsOf(replay("local-commands"), "turn.ended");
    expect(ended).toMatchObject([
      { outcome: "local", text: "Error: No messages to compact" },
      { outcome: "local", text: expect.stringContaining("Estimated cost:") as string },
      { outcome: "local", text: "/hooks isn't available in this environment." },
    ]);
  });

  it("that has nothing to compact has failed, with the reason", () => {
    expect(eventsOf(replay("local-commands"), "turn.compacted")).toEqual([
      { type: "turn.compacted", ok: false, manual: false, detail: "No messages to compact" },
    ]);
  });

  it("that fails is told where the agent does not say which command it was", () => {
    const bare = replay("local-commands", {
      edit: ({ local_command_run: _, local_command_outcome: __, ...line }) => line,
    });
    expect(eventsOf(bare, "turn.compacted")).toEqual([]);
    expect(eventsOf(bare, "turn.ended")[0]?.text).toBe("Error: No messages to compact");
  });

  it("may print twice, and nothing of it is told twice", () => {
    const told = ["", "out", "err", "out"].reduce(withLocalText, NEW_TURN);
    expect(told.localText).toBe("out\nerr");
  });
});

describe("the end of a turn", () => {
  const turn = { ...NEW_TURN, heldText: "held", localText: "printed" };
  const result = { type: "result", is_error: false } as const;

  it.each([
    ["completed", { result: "answer" }, "answer"],
    ["completed", { result: "" }, "held"],
    ["local", { result: "\n" }, "held"],
    ["interrupted", {}, "held"],
    ["failed", { result: "" }, "printed"],
  ] as const)("that is %s and has %o says %j", (outcome, fields, said) => {
    expect(lastWords(turn, { ...result, ...fields }, outcome)).toBe(said);
  });

  it("says why it failed before what the agent said on the way, and that before nothing", () => {
    const failed = { ...turn, localText: null };
    const reason = { ...result, errors: ["reason"] };
    expect(lastWords(failed, reason, "failed")).toBe("reason");
    expect(lastWords(failed, result, "failed")).toBe("held");
    expect(lastWords(NEW_TURN, result, "completed")).toBe("");
  });
});
