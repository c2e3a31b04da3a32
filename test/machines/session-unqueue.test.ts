import { describe, expect, it } from "vitest";
import { factsOf, RETURNING } from "../support/facts.ts";
import { NO_WORK, planCommand } from "../../machines/commands.ts";
import { createSession, toWorking, turnEnded } from "../support/session-harness.ts";

const stop = (messageId?: number) =>
  ({
    type: "command.stop",
    commandId: 9,
    ...(messageId === undefined ? {} : { messageId }),
  }) as const;

describe("a /stop about one message", () => {
  it("takes it out of the queue, and what runs goes on", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.receive(3);
    session.receive(4);
    session.send(stop(3));
    expect(session.state()).toEqual({ running: "working" });
    expect(agent.commands.map((one) => one.type)).toEqual(["prompt"]);
    expect(session.notices()).toEqual([{ code: "unqueued", waiting: 1 }]);
    agent.say(turnEnded("completed", ["uuid-2"]));
    expect(agent.commands.at(-1)).toMatchObject({ type: "prompt", messageId: 4 });
  });

  it("that runs stops it", async () => {
    const session = createSession({ facts: RETURNING });
    const agent = await toWorking(session);
    session.send(stop(2));
    expect(session.state()).toEqual({ running: "interrupting" });
    expect(agent.commands.at(-1)).toEqual({ type: "interrupt" });
  });

  it("that was answered already stops nothing else", async () => {
    const session = createSession({ facts: RETURNING });
    await toWorking(session);
    session.send(stop(1));
    expect(session.state()).toEqual({ running: "working" });
    expect(session.notices()).toEqual([{ code: "nothing-to-stop" }]);
  });

  it("needs no process", () => {
    const facts = factsOf(...RETURNING);
    expect(planCommand(facts, stop(2), NO_WORK)).toMatchObject({
      facts: [{ type: "message.cancelled", id: 2 }],
      say: [{ notice: { code: "unqueued", waiting: 0 } }],
    });
  });
});
