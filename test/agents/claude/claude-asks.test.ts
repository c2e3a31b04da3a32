import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drive, type Driven } from "../../contract/agent-driver.ts";
import type { Step } from "../../support/messages-api.ts";
import { createClaudeWorld, type ClaudeWorld } from "./claude-world.ts";

/** What the real CLI asks, and what becomes of the answers. */
describe("the real CLI", () => {
  let world: ClaudeWorld;
  beforeEach(async () => {
    world = await createClaudeWorld();
  });
  afterEach(() => world[Symbol.asyncDispose]());

  const start = (change = {}): Driven =>
    drive({ agent: world.agent(change), stateDir: world.folder, cwd: world.workspace });
  const give = (one: Driven, ...steps: readonly Step[]): void => {
    const text = `[[fake: ${JSON.stringify(steps)}]]`;
    one.process.prompt({ uuid: randomUUID(), text });
  };
  const toTheModel = (): string => JSON.stringify(world.api.requests().at(-1)?.messages);

  it("puts its questions with their options, and gets the answers", async () => {
    await using one = start();
    await one.next("agent.ready");
    const options = [
      { label: "red", description: "like fire" },
      { label: "blue", description: "like the sea" },
    ];
    const questions = [
      { question: "Which colours?", header: "Colour", multiSelect: true, options },
      { question: "When?", header: "Time", multiSelect: false, options },
    ];
    give(one, { tools: [{ name: "AskUserQuestion", input: { questions } }] }, { text: "Thanks." });
    const { request } = await one.next("approval.requested");
    expect(request).toMatchObject({ kind: "question", always: null, questions });
    const answers = { "Which colours?": "red, blue", "When?": "tomorrow" };
    one.process.decide(request.requestId, { allow: true, always: false, answers });
    expect(await one.next("turn.toolEnded")).toMatchObject({ toolUseId: request.toolUseId });
    expect(await one.next("turn.ended")).toMatchObject({ text: "Thanks." });
    for (const said of ["red, blue", "tomorrow"]) expect(toTheModel()).toContain(said);
  });

  it("asks whether its plan shall be carried out, and hears why not", async () => {
    await using one = start({ permissionMode: "plan" });
    await one.next("agent.ready");
    const plan = "# Plan\n1. Mend the parser";
    give(one, { tools: [{ name: "ExitPlanMode", input: { plan } }] }, { text: "I see." });
    const { request } = await one.next("approval.requested");
    expect(request).toMatchObject({ kind: "plan", detail: plan });
    one.process.decide(request.requestId, { allow: false, reason: "tests first" });
    await one.next("turn.ended");
    expect(toTheModel()).toContain("tests first");
  });

  it("does not ask again for what is allowed for always", async () => {
    await using one = start();
    await one.next("agent.ready");
    const write = (name: string) => ({
      name: "Write",
      input: { file_path: join(world.workspace, name), content: "x" },
    });
    give(one, { tools: [write("a")] }, { tools: [write("b")] }, { text: "Both." });
    const { request } = await one.next("approval.requested");
    one.process.decide(request.requestId, { allow: true, always: true, answers: {} });
    expect(await one.next("turn.ended")).toMatchObject({ text: "Both." });
    expect(one.events.filter((event) => event.type === "approval.requested")).toHaveLength(1);
  });

  it("is shown images, and none that is no image", async () => {
    await using one = start();
    await one.next("agent.ready");
    const pixel =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
    const [png, text] = [join(world.folder, "a.txt"), join(world.folder, "b.png")];
    await writeFile(png, Buffer.from(pixel, "base64"));
    await writeFile(text, "no image");
    const images = [png, text, join(world.folder, "missing.png")];
    one.process.prompt({ uuid: randomUUID(), text: "look at this", images });
    await one.next("turn.ended");
    const main = world.api.requests().findLast((request) => request.main);
    const sent = JSON.stringify(main?.messages);
    expect(sent).toContain('"media_type":"image/png"');
    expect(sent.match(/"type":"image"/g)).toHaveLength(1);
    expect(world.logged.filter((one_) => one_.message === "agent.imageLeftOut")).toHaveLength(2);
  });
});
