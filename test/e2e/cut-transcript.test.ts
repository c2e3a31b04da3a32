import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBench, type Bench } from "../support/holdfast.ts";
import type { Holdfast } from "../support/holdfast-process.ts";
import { chatOf, lastAsked } from "../support/resumable.ts";

const MISSING = "Part of this conversation is missing";

describe("a transcript that loses turns", () => {
  let bench: Bench;
  let service: Holdfast;
  beforeAll(async () => {
    bench = await createBench();
    mkdirSync(join(bench.workspace, ".claude", "commands"), { recursive: true });
    writeFileSync(join(bench.workspace, ".claude", "commands", "greet.md"), "Greet $ARGUMENTS\n");
    service = await bench.start({ HOLDFAST_LIMIT_IDLE_REAP_MS: "1500" });
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it("while its agent lives is resumed with what is left, and that is said once", async () => {
    const chat = chatOf(bench, -2_001);
    chat.say("first of all");
    await chat.hears("ok: first of all");
    rmSync(chat.bound().transcript);
    await chat.turnAndReap(service, "and then");
    expect(chat.said(MISSING)).toEqual([]);
    const { agentSessionId } = chat.bound();

    await chat.turnAndReap(service, "who am I");
    expect(chat.said(MISSING)).toHaveLength(1);
    expect(chat.bound().agentSessionId).toBe(agentSessionId);
    expect(lastAsked(bench)).toContain("and then");
    expect(lastAsked(bench)).not.toContain("first of all");
    await service.waitForLog(
      (one) => one.msg === "agentSession.incomplete" && one["session_key"] === chat.key,
    );

    await chat.turnAndReap(service, "and later");
    expect(chat.said(MISSING)).toHaveLength(1);
    expect(chat.said("ok: ")).toHaveLength(4);
  });

  it("while it is reaped, at its end, is resumed with what is left, and that is said", async () => {
    const chat = chatOf(bench, -2_002);
    await chat.turnAndReap(service, "one");
    await chat.turnAndReap(service, "two");
    const { transcript, agentSessionId } = chat.bound();
    const lines = readFileSync(transcript, "utf8").split("\n");
    const cut = lines.findIndex((line) => line.includes('"type":"user"') && line.includes('"two"'));
    writeFileSync(transcript, `${lines.slice(0, cut).join("\n")}\n`);

    await chat.turnAndReap(service, "three");
    expect(chat.said(MISSING)).toHaveLength(1);
    expect(chat.bound().agentSessionId).toBe(agentSessionId);
    expect(lastAsked(bench)).toContain("one");
    expect(lastAsked(bench)).not.toContain("two");
  });

  it("none at all is said where a command, a compaction and a skill came between", async () => {
    const chat = chatOf(bench, -2_003);
    await chat.turnAndReap(service, "one");
    chat.say("/compact");
    await chat.hears("compacted");
    chat.say("/greet everybody");
    await chat.hears("ok: Greet everybody");
    await chat.turnAndReap(service, "two");
    chat.say("/greet nobody");
    await chat.hears("ok: Greet nobody");
    await chat.turnAndReap(service, "three");
    expect(chat.said("⚠️")).toEqual([]);
  });
});
