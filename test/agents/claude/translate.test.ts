import { describe, expect, it } from "vitest";
import { settle, translate } from "../../../src/agents/claude/translate.ts";
import {
  interruptSent,
  lineSkipped,
  promptGiven,
} from "../../../src/agents/claude/translate-state.ts";
import { eventsOf, replay } from "./replay.ts";

describe("translating recorded lines", () => {
  it("tells a conversation: ready, answers, a tool, a local command", () => {
    const { events, uuids } = replay("conversation");
    const [first, second, third] = uuids;
    expect(events).toEqual([
      { type: "agent.ready", model: null },
      { type: "turn.accepted", uuid: first },
      {
        type: "turn.ended",
        uuids: [first],
        outcome: "completed",
        text: "ok: hello there",
        context: { used: 13_388, window: 1_000_000 },
        usage: { inputTokens: 13_388, outputTokens: 4, costUsd: 0.053632, durationMs: 150 },
        selfReportedPercent: null,
      },
      { type: "turn.accepted", uuid: second },
      { type: "turn.text", text: "let me look" },
      {
        type: "turn.toolStarted",
        toolUseId: "toolu_de5d88e6c8834ceca3226994",
        name: "Bash",
        summary: "echo hi",
      },
      { type: "turn.toolEnded", toolUseId: "toolu_de5d88e6c8834ceca3226994" },
      expect.objectContaining({
        type: "turn.ended",
        uuids: [second],
        outcome: "completed",
        text: "done",
        selfReportedPercent: 12,
        // The last call's input, not the turn's sum of 26,901.
        context: { used: 13_485, window: 1_000_000 },
      }),
      { type: "turn.accepted", uuid: third },
      expect.objectContaining({
        type: "turn.ended",
        uuids: [third],
        outcome: "local",
        text: expect.stringContaining("Estimated cost") as string,
        context: { used: 13_485, window: 1_000_000 },
      }),
    ]);
  });

  it("takes the agent's estimate off what it says on the way too, and tells nothing where nothing else was said", () => {
    const saying = (said: string) => {
      const edit = (line: object): object =>
        JSON.parse(JSON.stringify(line).replace('"let me look"', JSON.stringify(said))) as object;
      return eventsOf(replay("conversation", { edit }), "turn.text").map((event) => event.text);
    };
    expect(saying("let me look\n\n[ctx: ~12%]")).toEqual(["let me look"]);
    expect(saying("like `[ctx: ~12%]`")).toEqual(["like `[ctx: ~12%]`"]);
    expect(saying("[ctx: ~12%]")).toEqual([]);
  });

  it("takes a turn's cost as a difference, and says none before it knows where a resume began", () => {
    const costs = (fresh: boolean) =>
      eventsOf(replay("conversation", { fresh }), "turn.ended").map(
        (event) => event.usage?.costUsd,
      );
    expect(costs(true)).toEqual([0.053632, expect.closeTo(0.107744, 6), 0]);
    expect(costs(false)).toEqual([null, expect.closeTo(0.107744, 6), 0]);
  });

  it("calls an interrupted turn so, with what was said until then", () => {
    const [interrupted, after] = eventsOf(replay("interrupt"), "turn.ended");
    expect(interrupted).toMatchObject({ outcome: "interrupted", text: "partial text that goes o" });
    expect(after).toMatchObject({ outcome: "completed", text: "ok: hey" });
  });

  it("judges API failures by is_error, for they come as a success", () => {
    expect(eventsOf(replay("api-error"), "turn.ended")).toMatchObject([
      { outcome: "failed", text: "Failed to authenticate. API Error: 403 forbidden thing" },
    ]);
  });

  it("tells an overflow by its terminal reason, and by its text where there is none", () => {
    expect(eventsOf(replay("too-large"), "turn.ended")).toMatchObject([{ outcome: "too-large" }]);
    const edit = (line: object) => ({ ...line, terminal_reason: undefined });
    expect(eventsOf(replay("too-large", { edit }), "turn.ended")).toMatchObject([
      { outcome: "too-large", text: expect.stringMatching(/^Prompt is too long/) as string },
    ]);
  });

  it("tells when the context is compacted by itself, and goes on with the turn", () => {
    const { events } = replay("auto-compaction");
    expect(events.map((event) => event.type)).toEqual([
      "agent.ready",
      "turn.accepted",
      "turn.compacting",
      "turn.compacting",
      "turn.compacted",
      "turn.ended",
    ]);
    expect(events[4]).toMatchObject({ ok: true, manual: false });
    expect(events[5]).toMatchObject({ outcome: "completed", context: { used: 14_708 } });
  });

  it("takes the size after a compaction from it until the next call", () => {
    const known = replay("compact", {
      edit: (line) => (line["type"] === "system" ? { ...line, model: "claude-opus-5-5" } : line),
    });
    expect(eventsOf(known, "turn.compacted")).toMatchObject([{ ok: true, manual: true }]);
    expect(eventsOf(known, "turn.ended")).toMatchObject([
      { outcome: "local", text: "Compacted", context: { used: 3_126, window: 1_000_000 } },
    ]);
  });

  it("gives the reason of a compaction that failed", () => {
    const ended = eventsOf(replay("compact-fails"), "turn.ended");
    const compacted = eventsOf(replay("compact-fails"), "turn.compacted").at(-1);
    expect(compacted).toMatchObject({ ok: false, detail: "Not enough messages to compact." });
    expect(ended.at(-1)).toMatchObject({
      outcome: "local",
      text: "Not enough messages to compact.",
    });
    const silent = replay("compact-fails", {
      edit: (line) => (line["type"] === "result" ? { ...line, result: "" } : line),
    });
    expect(eventsOf(silent, "turn.ended").at(-1)?.text).toBe("Not enough messages to compact.");
  });

  it("asks for permissions, and withdraws what an interrupt has made pointless", () => {
    const replayed = replay("approvals");
    const requested = eventsOf(replayed, "approval.requested").map((event) => event.request);
    expect(requested).toMatchObject([
      { tool: "Write", summary: "/workspace/x.txt" },
      { tool: "Write", summary: "/workspace/x.txt" },
    ]);
    expect(eventsOf(replayed, "approval.withdrawn")).toEqual([
      { type: "approval.withdrawn", requestId: requested[1]?.requestId },
    ]);
    expect(eventsOf(replayed, "turn.ended").map((event) => event.outcome)).toEqual([
      "completed",
      "interrupted",
    ]);
  });

  it("tells a typed /clear as a reset to the id that the next turn names, not the one announced", () => {
    const replayed = replay("clear");
    const agentSessionId = "03e34d0a-496f-4ce8-895f-163d280099d5";
    expect(eventsOf(replayed, "agent.reset")).toEqual([
      { type: "agent.reset", agentSessionId, transcript: `/projects/${agentSessionId}.jsonl` },
    ]);
    const [before, cleared, after] = eventsOf(replayed, "turn.ended");
    expect(before?.context?.used).toBe(14_303);
    expect(cleared).toMatchObject({ outcome: "local", context: null });
    expect(after).toMatchObject({ outcome: "completed", context: { used: 13_508 } });
    expect(after?.usage?.costUsd).toBeCloseTo(0.054112, 6);
  });

  it("tells a /clear that is the first prompt of a resumed process as a reset, too", () => {
    let before = true;
    const { events } = replay("clear", {
      fresh: false,
      edit(line) {
        if (line["type"] === "conversation_reset") before = false;
        return before && line["type"] !== "control_response" ? null : line;
      },
    });
    const agentSessionId = "03e34d0a-496f-4ce8-895f-163d280099d5";
    const resets = events.filter((one) => one.type === "agent.reset");
    expect(resets).toMatchObject([{ agentSessionId }]);
  });

  it("counts background tasks and tells the turn they start as nobody's", () => {
    const replayed = replay("background");
    expect(eventsOf(replayed, "agent.background").map((event) => event.count)).toEqual([1, 0]);
    expect(eventsOf(replayed, "turn.began")).toEqual([
      { type: "turn.began", cause: expect.stringContaining("Background command") as string },
    ]);
    expect(eventsOf(replayed, "turn.ended")).toMatchObject([
      { uuids: replayed.uuids, text: "started it" },
      { uuids: [], outcome: "completed", text: "the task ended" },
    ]);
  });

  it("counts background tasks without a list of them as well", () => {
    const replayed = replay("background", {
      edit: (line) => (line["subtype"] === "background_tasks_changed" ? null : line),
    });
    expect(eventsOf(replayed, "agent.background").map((event) => event.count)).toEqual([1, 0]);
  });

  it("ends a prompt with the turn of a background task that it was folded into", () => {
    const replayed = replay("folded");
    const [asked, folded] = replayed.uuids;
    const ended = eventsOf(replayed, "turn.ended");
    expect(ended.map((event) => event.uuids)).toEqual([[asked], [folded]]);
    expect(ended[1]?.text).toBe("both answered");
    // The agent is done with it a moment before the result: that must not end it twice.
    const awaited = replayed.effects.filter((effect) => effect.type === "awaitResult");
    expect(awaited).toMatchObject([{ uuid: folded }]);
    expect(settle(replayed.state, folded ?? "", { found: "absent" }).events).toEqual([]);
  });

  it("does not take a background task's turn for that of a prompt that waits behind it", () => {
    const replayed = replay("queued-behind");
    const [asked, waiting] = replayed.uuids;
    expect(eventsOf(replayed, "turn.ended").map((event) => event.uuids)).toEqual([
      [asked],
      [],
      [waiting],
    ]);
    const types = replayed.events.map((event) => event.type);
    expect(types.lastIndexOf("turn.accepted")).toBeGreaterThan(types.indexOf("turn.began"));
    expect(eventsOf(replayed, "turn.ended")[2]).toMatchObject({ text: "now yours" });
  });

  it("keeps a subagent out of the main thread's text and size, and shows its tools", () => {
    const replayed = replay("subagent");
    expect(eventsOf(replayed, "turn.text")).toEqual([{ type: "turn.text", text: "delegating" }]);
    expect(eventsOf(replayed, "turn.toolStarted").map((event) => event.name)).toEqual([
      "Agent",
      "Bash",
    ]);
    expect(eventsOf(replayed, "turn.toolEnded")).toHaveLength(2);
    expect(eventsOf(replayed, "agent.background")).toEqual([]);
    expect(eventsOf(replayed, "turn.ended")).toMatchObject([
      { text: "main done", context: { used: 15_172 } },
    ]);
  });

  it("finds an agent that is not logged in before it is ready", () => {
    const replayed = replay("not-logged-in");
    expect(replayed.effects[0]).toMatchObject({ type: "failStart", reason: "not-logged-in" });
    expect(eventsOf(replayed, "agent.ready")).toEqual([]);
    const elsewhere = replay("not-logged-in", {
      edit: (line) => JSON.parse(JSON.stringify(line).replace("firstParty", "bedrock")) as object,
    });
    expect(eventsOf(elsewhere, "agent.ready")).toHaveLength(1);
  });

  it("keeps what a refused resume says as the reason of the start's failure", () => {
    const { events, state } = replay("resume-refused");
    expect(events).toEqual([]);
    expect(state.startErrors).toEqual([
      "No conversation found with session ID: 22222222-2222-4222-8222-222222222222",
    ]);
  });
});

describe("a prompt without a result", () => {
  it("is swallowed when the agent took it for a duplicate", () => {
    // As recorded: the first prompt had been killed in the middle of a tool, and is given again.
    const { state, effects, uuids } = replay("duplicate", {
      edit: (line) => (line["state"] === "queued" ? null : line),
    });
    expect(effects[0]).toEqual({ type: "awaitResult", uuid: uuids[0] });
    const given = promptGiven(state, "again");
    const line = { type: "command_lifecycle", command_uuid: "again", state: "completed" } as const;
    const duplicate = translate(given, line, () => "").state;
    const trace = { found: "unfinished", toolsRan: true } as const;
    expect(settle(duplicate, "again", trace).events).toMatchObject([
      { type: "turn.ended", uuids: ["again"], outcome: "swallowed", text: "" },
    ]);
    expect(settle(interruptSent(duplicate), "again", trace).events).toMatchObject([
      { outcome: "interrupted" },
    ]);
    // A trace is without reports: this is an example, and not to be taken for one.
    const text = "I write:\n\n`[ctx: ~5%]`";
    const finished = { found: "finished", text, context: null } as const;
    expect(settle(duplicate, "again", finished).events).toMatchObject([
      { outcome: "completed", text, selfReportedPercent: null },
    ]);
    expect(settle(duplicate, "another", trace).events).toEqual([]);
    expect(settle(given, "again", trace).events).toEqual([]);
  });

  it("counts as answered when a line of its turn was too long to be read", () => {
    const { state } = replay("conversation", {
      edit: (line) => (["assistant", "result"].includes(String(line["type"])) ? null : line),
    });
    expect(state.turn).toMatchObject({ real: false });
    expect(lineSkipped(state).turn).toMatchObject({ real: true });
  });
});

describe("an agent that neither names prompts nor tells when it takes them", () => {
  const edit = (line: Readonly<Record<string, unknown>>): object | null => {
    if (line["type"] === "command_lifecycle") return null;
    const { user_message_uuids: _, capabilities: __, ...rest } = line;
    return rest;
  };

  it("is taken to have accepted the prompt when its turn begins", () => {
    const replayed = replay("conversation", { edit });
    expect(eventsOf(replayed, "turn.accepted").map((event) => event.uuid)).toEqual(replayed.uuids);
    expect(eventsOf(replayed, "turn.ended").map((event) => event.uuids)).toEqual(
      replayed.uuids.map((uuid) => [uuid]),
    );
    expect(eventsOf(replayed, "turn.began")).toEqual([]);
  });

  it("still has turns of its own", () => {
    const replayed = replay("background", { edit });
    expect(eventsOf(replayed, "turn.began")).toHaveLength(1);
    expect(eventsOf(replayed, "turn.ended").map((event) => event.uuids)).toEqual([
      replayed.uuids,
      [],
    ]);
  });
});
