import { describe, expect, it } from "vitest";
import { RETURNING } from "../support/facts.ts";
import { createSession, gone, toAnswered, toWorking } from "../support/session-harness.ts";

const choose = (choice: "model" | "mode" | "effort" | "verbose", value: string) =>
  ({ type: "command.choose", commandId: 9, choice, value }) as const;

describe("a choice of the user", () => {
  it("goes to the process that runs, and with its next launch to the one after it", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send(choose("model", "opus"));
    session.send(choose("mode", "plan"));
    expect(agent.commands.slice(-2)).toEqual([
      { type: "configure", settings: { model: "opus" } },
      { type: "configure", settings: { mode: "plan" } },
    ]);
    expect(session.state()).toEqual({ running: "working" });
    expect(session.facts().choices).toEqual({ model: "opus", mode: "plan" });
    expect(session.notices()).toEqual([
      { code: "chosen", choice: "model", value: "opus" },
      { code: "chosen", choice: "mode", value: "plan" },
    ]);
  });

  it("is not told to a process that is being ended", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toAnswered(session);
    session.clock.increment(session.limits.idleReapMs);
    session.send(choose("effort", "high"));
    expect(agent.commands.at(-1)).toEqual({ type: "end", now: false });
    agent.say(gone(0));
    expect(session.facts().choices).toEqual({ effort: "high" });
  });

  it("of what is shown concerns no agent", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    const before = agent.commands.length;
    session.send(choose("verbose", "0"));
    expect(agent.commands).toHaveLength(before);
  });
});

describe("a name", () => {
  it("stays with its conversation when that is left", async () => {
    const session = createSession({ facts: RETURNING });
    await toAnswered(session);
    session.send({ type: "command.name", commandId: 9, name: "the parser" });
    expect(session.facts().bound?.name).toBe("the parser");
    session.send({ type: "command.new", commandId: 10 });
    expect(session.facts().archived).toMatchObject([{ agentSessionId: "s1", name: "the parser" }]);
  });

  it("needs a conversation", () => {
    const session = createSession({ facts: [] });
    session.send({ type: "command.name", commandId: 9, name: "the parser" });
    expect(session.notices()).toEqual([{ code: "nothing-to-name" }]);
  });
});
