import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { messageInFlight } from "../../machines/facts.ts";
import { createBench, KEY, type Bench } from "../support/holdfast.ts";
import type { Holdfast } from "../support/holdfast-process.ts";
import { killQuietly, until } from "../support/processes.ts";

/** `kill -9` of the service at the four points where a message can be lost or run twice. */
describe("a service killed in the middle of a message", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await createBench();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  const inFlight = () => messageInFlight(bench.facts(KEY));
  const tool = (command: string) => ({ tools: [{ name: "Bash", input: { command } }] });
  /** The CLI refuses a bare `sleep`. */
  const pause = (seconds: number) => `node -e "setTimeout(() => {}, ${seconds * 1000})"`;
  const firstTurn = async (): Promise<Holdfast> => {
    const service = await bench.start({ HOLDFAST_PERMISSION_MODE: "bypassPermissions" });
    bench.say("hello");
    await bench.answer("ok: hello");
    return service;
  };
  /** The transcript never branches: one writer at a time. */
  const expectOneWriter = () => {
    for (const file of bench.transcripts()) {
      const rows = readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map(
          (line) => JSON.parse(line) as { uuid?: string; parentUuid?: string | null; type: string },
        );
      const prompts = rows.filter((row) => row.type === "user" && row.parentUuid !== undefined);
      const parents = prompts.map((row) => row.parentUuid).filter((one) => one !== null);
      expect(new Set(parents).size).toBe(parents.length);
    }
  };

  it("answers a message that was stored and not yet given", async () => {
    const slow = bench.launch();
    await slow.waitForLog((one) => one.msg === "service.started");
    bench.say("stored only");
    await slow.waitForLog((one) => one.msg === "launch.intended");
    await slow.kill();
    await until("the agent of the dead service is gone", () => bench.agents().length === 0);
    expect(bench.facts(KEY).messages).toMatchObject([{ state: "received" }]);

    await bench.start();
    await bench.answer("ok: stored only");
    expect(bench.said("ok: stored only")).toHaveLength(1);
    expectOneWriter();
  });

  it("gives a message again that the agent never had", async () => {
    const service = await firstTurn();
    const [agent] = bench.agents();
    killQuietly(agent ?? 0, "SIGSTOP");
    bench.say("given in vain");
    await until("it is given", () => inFlight()?.state === "given");
    await service.kill();
    for (const pid of bench.agents()) killQuietly(pid);
    await until("the agent is gone", () => bench.agents().length === 0);

    await bench.start();
    await bench.answer("ok: given in vain");
    expect(bench.said("ok: given in vain")).toHaveLength(1);
    expect(bench.said("⏸")).toEqual([]);
    expectOneWriter();
  });

  it("takes the answer from the transcript when the agent finished without the service", async () => {
    const service = await firstTurn();
    bench.api.queue(tool(pause(4)), { text: "finished alone" });
    bench.say("run a long tool");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    await service.kill();
    expect(bench.agents().length).toBeGreaterThan(0);

    await bench.start();
    await bench.answer("finished alone");
    await sleep(500);
    expect(bench.said("finished alone")).toHaveLength(1);
    expect(
      bench.api.requests().filter((one) => one.main && one.path === "/v1/messages"),
    ).toHaveLength(3);
    expect(inFlight()).toBeNull();
    expectOneWriter();
  });

  it("asks the user once about a message that was cut short, and runs it again only when told", async () => {
    const service = await firstTurn();
    bench.api.queue(tool(pause(30)));
    bench.say("work that is cut short");
    await until("its tool runs", () => inFlight()?.toolsRan === true);
    await service.kill();
    for (const pid of bench.agents()) killQuietly(pid);

    await bench.start();
    await bench.answer("/retry");
    await sleep(500);
    expect(bench.said("/retry")).toHaveLength(1);
    expect(bench.facts(KEY).messages).toMatchObject([{ state: "parked" }]);

    bench.say("a later message is not held up");
    await bench.answer("ok: a later message");

    bench.api.queue({ text: "done the second time" });
    bench.say("/retry");
    await bench.answer("done the second time");
    expect(bench.facts(KEY).messages).toEqual([]);
    expectOneWriter();
  });

  it("delivers an answer that the agent had written and the service had not stored", async () => {
    const service = await firstTurn();
    bench.api.queue(tool(pause(2)), { text: "written, not stored" });
    bench.say("almost there");
    await service.waitForLog((one) => one.msg === "turn.toolStarted");
    service.signal("SIGSTOP");
    await until("the answer is in the transcript", () =>
      bench
        .transcripts()
        .some((file) => readFileSync(file, "utf8").includes("written, not stored")),
    );
    await service.kill();

    await bench.start();
    await bench.answer("written, not stored");
    await sleep(500);
    expect(bench.said("written, not stored")).toHaveLength(1);
    expectOneWriter();
  });
});
