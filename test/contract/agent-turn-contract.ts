/* oxlint-disable unicorn/no-thenable -- a behaviour is data and never awaited */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AgentUnderTest } from "./agent-contract.ts";
import { typesOf } from "./agent-driver.ts";

/** By its first bytes a picture; nobody looks at the others. */
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** What holdfast relies on while an agent answers. */
export function turnContract(under: AgentUnderTest): void {
  const { answer, start } = under;

  it("answers, and binds the session to the transcript it foretold", async () => {
    const agentSessionId = randomUUID();
    await using one = start({ mode: "fresh", agentSessionId });
    await one.next("agent.ready");
    const ended = await one.ask(answer("Hello back [ctx: ~7%]"));
    expect(ended).toMatchObject({
      outcome: "completed",
      text: "Hello back",
      selfReportedPercent: 7,
    });
    expect(ended.context?.used).toBeGreaterThan(0);
    expect(ended.context?.window).toBeGreaterThan(ended.context?.used ?? 0);
    const bound = one.events.filter((event) => event.type === "agent.bound");
    const transcript = under.harness.agent.transcriptPath(agentSessionId, under.harness.workspace);
    expect(bound).toMatchObject([{ agentSessionId, transcript }]);
    const types = typesOf(one);
    expect(types.indexOf("turn.accepted")).toBeGreaterThan(0);
    expect(types.indexOf("agent.bound")).toBeLessThan(types.indexOf("turn.ended"));
    const { state, bytes } = await under.harness.agent.inspectTranscript(transcript);
    expect(state).toBe("present");
    expect(bytes).toBeGreaterThan(0);
  });

  it("keeps its context over prompts, an end and a resume", async () => {
    const agentSessionId = randomUUID();
    const first = start({ mode: "fresh", agentSessionId });
    await first.next("agent.ready");
    await first.ask(answer("alpha-answer"));
    await first.ask(answer("beta-answer"));
    expect(await under.harness.seen()).toContain("alpha-answer");
    await first.end();
    const transcript = under.harness.agent.transcriptPath(agentSessionId, under.harness.workspace);
    await using second = start({ mode: "resume", agentSessionId, transcript });
    await second.next("agent.ready");
    const ended = await second.ask(answer("gamma-answer"));
    expect(ended).toMatchObject({ outcome: "completed", text: "gamma-answer" });
    const seen = await under.harness.seen();
    expect(seen).toContain("alpha-answer");
    expect(seen).toContain("beta-answer");
    const bound = second.events.filter((event) => event.type === "agent.bound");
    expect(bound).toMatchObject([{ agentSessionId, transcript }]);
  });

  it("says how full a resumed context is before its first turn", async () => {
    const agentSessionId = randomUUID();
    const first = start({ mode: "fresh", agentSessionId });
    await first.next("agent.ready");
    await first.ask(answer("something"));
    await first.end();
    const transcript = under.harness.agent.transcriptPath(agentSessionId, under.harness.workspace);
    await using second = start({ mode: "resume", agentSessionId, transcript });
    await second.next("agent.ready");
    const { context } = await second.next("agent.context");
    expect(context.used).toBeGreaterThan(1_000);
    expect(context.window).toBeGreaterThan(context.used);
    expect(typesOf(second)).not.toContain("turn.accepted");
  });

  it("copies a session under an id of its own, and leaves the other as it is", async () => {
    const from = randomUUID();
    const first = start({ mode: "fresh", agentSessionId: from });
    await first.next("agent.ready");
    await first.ask(answer("alpha-answer"));
    await first.end();
    const { agent, workspace } = under.harness;
    const source = readFileSync(agent.transcriptPath(from, workspace), "utf8");
    const agentSessionId = randomUUID();
    await using copy = start({ mode: "fork", agentSessionId, from });
    await copy.next("agent.ready");
    await copy.ask(answer("beta-answer"));
    expect(await under.harness.seen()).toContain("alpha-answer");
    const transcript = agent.transcriptPath(agentSessionId, workspace);
    const bound = copy.events.filter((event) => event.type === "agent.bound");
    expect(bound).toMatchObject([{ agentSessionId, transcript }]);
    expect(readFileSync(agent.transcriptPath(from, workspace), "utf8")).toBe(source);
    await copy.end();
    await using again = start({ mode: "resume", agentSessionId, transcript });
    await again.next("agent.ready");
    await again.ask(answer("gamma-answer"));
    const seen = await under.harness.seen();
    expect(seen).toContain("alpha-answer");
    expect(seen).toContain("beta-answer");
  });

  it("tells of a tool and of the text before it", async () => {
    await using one = start();
    await one.next("agent.ready");
    const saying = "Let me look.";
    const ended = await one.ask(
      under.harness.prompt({ do: "tool", saying, output: "tool-output", then: "I have looked." }),
    );
    expect(ended).toMatchObject({ outcome: "completed", text: "I have looked." });
    const told = one.events.filter((event) =>
      ["turn.text", "turn.toolStarted", "turn.toolEnded"].includes(event.type),
    );
    expect(told).toMatchObject([
      { type: "turn.text", text: saying },
      { type: "turn.toolStarted", name: "Bash" },
      { type: "turn.toolEnded" },
    ]);
  });

  it("asks for a permission and goes on when it is denied", async () => {
    await using one = start();
    await one.next("agent.ready");
    const uuid = randomUUID();
    const text = under.harness.prompt({ do: "approval", then: "As you wish." });
    one.process.prompt({ uuid, text });
    const { requestId, tool } = (await one.next("approval.requested")).request;
    expect(tool).not.toBe("");
    one.process.decide("not-asked", { allow: true, always: false, answers: {} });
    one.process.decide(requestId, { allow: false, reason: "not now" });
    const ended = await one.next("turn.ended");
    expect(ended).toMatchObject({ uuids: [uuid], outcome: "completed", text: "As you wish." });
  });

  it("tells what a permission is about, and the end of its tool once it is allowed for always", async () => {
    await using one = start();
    await one.next("agent.ready");
    const text = under.harness.prompt({ do: "approval", then: "Done." });
    one.process.prompt({ uuid: randomUUID(), text });
    const { request } = await one.next("approval.requested");
    expect(request).toMatchObject({ kind: "tool", tool: "Write", questions: [] });
    expect(request.always).toEqual([
      { what: { kind: "mode", mode: "acceptEdits" }, where: "session" },
    ]);
    expect(request.toolUseId).toMatch(/^toolu_/);
    one.process.decide(request.requestId, { allow: true, always: true, answers: {} });
    expect(await one.next("turn.toolEnded")).toMatchObject({ toolUseId: request.toolUseId });
    expect(await one.next("turn.ended")).toMatchObject({ outcome: "completed", text: "Done." });
  });

  it("tells a text while it grows, and not after it is whole", async () => {
    await using one = start();
    await one.next("agent.ready");
    const answer = await one.ask(under.harness.prompt({ do: "answer", text: "A growing answer." }));
    expect(answer.text).toBe("A growing answer.");
    const partials = one.events.flatMap((event) =>
      event.type === "turn.partial" ? [event.text] : [],
    );
    expect(partials.length).toBeGreaterThan(0);
    for (const partial of partials) expect("A growing answer.").toContain(partial);
    const types = typesOf(one);
    expect(types.lastIndexOf("turn.partial")).toBeLessThan(types.indexOf("turn.ended"));
  });

  it("goes on with what it is configured to, in the middle of its life", async () => {
    await using one = start();
    await one.next("agent.ready");
    one.process.configure({ mode: "acceptEdits", model: "opus", effort: "low" });
    const answer = await one.ask(under.harness.prompt({ do: "answer", text: "Still here." }));
    expect(answer).toMatchObject({ outcome: "completed", text: "Still here." });
  });

  it("withdraws a permission that an interrupt makes pointless", async () => {
    await using one = start();
    await one.next("agent.ready");
    const text = under.harness.prompt({ do: "approval", then: "never said" });
    one.process.prompt({ uuid: randomUUID(), text });
    const { requestId } = (await one.next("approval.requested")).request;
    one.process.interrupt();
    expect(await one.next("approval.withdrawn")).toMatchObject({ requestId });
    expect(await one.next("turn.ended")).toMatchObject({ outcome: "interrupted" });
  });

  it("is silent until it is interrupted, and answers the next prompt", async () => {
    await using one = start();
    await one.next("agent.ready");
    const uuid = randomUUID();
    one.process.prompt({ uuid, text: under.harness.prompt({ do: "silence" }) });
    await one.next("turn.accepted");
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(typesOf(one)).not.toContain("turn.ended");
    one.process.interrupt();
    const ended = await one.next("turn.ended");
    expect(ended).toMatchObject({ uuids: [uuid], outcome: "interrupted" });
    expect(await one.ask(answer("back again"))).toMatchObject({ text: "back again" });
  });

  it("is interrupted also in the moment in which it is given a picture", async () => {
    await using one = start();
    await one.next("agent.ready");
    const picture = join(under.harness.workspace, "picture.png");
    await writeFile(picture, Buffer.concat([PNG, Buffer.alloc(2_000_000)]));
    const uuid = randomUUID();
    const text = under.harness.prompt({ do: "silence" });
    one.process.prompt({ uuid, text, images: [picture] });
    one.process.interrupt();
    const ended = await one.next("turn.ended");
    expect(ended).toMatchObject({ uuids: [uuid], outcome: "interrupted" });
    expect(await one.ask(answer("back again"))).toMatchObject({ text: "back again" });
  });

  it("reports an error and lives on", async () => {
    await using one = start();
    await one.next("agent.ready");
    const ended = await one.ask(under.harness.prompt({ do: "error", text: "no such luck" }));
    expect(ended.outcome).toBe("failed");
    expect(ended.text).toContain("no such luck");
    expect(await one.ask(answer("still here"))).toMatchObject({ outcome: "completed" });
  });

  it("tells an overflowing context from other errors", async () => {
    await using one = start();
    await one.next("agent.ready");
    expect(await one.ask(under.harness.prompt({ do: "tooLarge" }))).toMatchObject({
      outcome: "too-large",
    });
  });
}
