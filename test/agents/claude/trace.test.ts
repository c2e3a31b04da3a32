import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lacksPrompt, tracePrompt } from "../../../src/agents/claude/trace.ts";
import { FIXTURES } from "./replay.ts";

interface RecordedRow {
  readonly type: string;
  readonly uuid: string;
  readonly message?: { readonly content: unknown };
  readonly attachment?: { readonly prompt?: string; readonly source_uuid?: string };
}

const fixture = (name: string): string => join(FIXTURES, `transcript-${name}.jsonl`);

async function rows(file: string): Promise<readonly RecordedRow[]> {
  const text = await readFile(file, "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RecordedRow);
}

/** Uuid under which a text was given, as recorded. */
async function given(name: string, text: string, nth = 0): Promise<string> {
  const found = (await rows(fixture(name))).flatMap((row) =>
    row.type === "user" && row.message?.content === text
      ? [row.uuid]
      : row.attachment?.prompt === text
        ? [row.attachment.source_uuid ?? ""]
        : [],
  );
  const uuid = found[nth];
  if (uuid === undefined) throw new Error(`${name} holds no prompt ${text}`);
  return uuid;
}

const complaints: string[] = [];
const trace = (transcript: string, uuid: string) =>
  tracePrompt({
    transcript,
    uuid,
    contextOf: (model, used) => (model === "claude-opus-5-5" ? { used, window: 1_000_000 } : null),
    onUnreadable: (detail) => void complaints.push(detail),
  });

const recorded = async (name: string, text: string, nth = 0) =>
  trace(fixture(name), await given(name, text, nth));

let folder = "";
beforeEach(async () => {
  complaints.length = 0;
  folder = await mkdtemp(join(tmpdir(), "holdfast-trace-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const finished = (text: string, used: number) => ({
  found: "finished",
  text,
  context: { used, window: 1_000_000 },
});

describe("tracing a prompt in a recorded transcript", () => {
  it("finds a finished answer, through tools, and without the self-report", async () => {
    expect(await recorded("compactions", "hello there")).toEqual(
      finished("ok: hello there", 13_388),
    );
    expect(await recorded("compactions", "run echo")).toEqual(finished("done", 13_485));
  });

  it("finds the answer behind a compaction in the middle of the turn", async () => {
    expect(await recorded("compactions", "big")).toEqual(finished("ok: big", 14_708));
  });

  it("does not take a later turn's answer for that of a turn that failed or was interrupted", async () => {
    const unfinished = { found: "unfinished", toolsRan: false };
    expect(await recorded("compactions", "403")).toEqual(unfinished);
    expect(await recorded("compactions", "long")).toEqual(unfinished);
    expect(await recorded("compactions", "hey")).toEqual(finished("ok: hey", 14_303));
  });

  it("does not take a background task's turn for the prompt's", async () => {
    expect(await recorded("background", "background please")).toEqual(
      finished("started it", 13_533),
    );
  });

  it("finds a prompt that was folded into a running turn, and one that waited behind it", async () => {
    expect(await recorded("background", "folded prompt")).toEqual(
      finished("both answered", 14_399),
    );
    expect(await recorded("background", "queued prompt")).toEqual(finished("now yours", 14_883));
  });

  it("finds the main thread's answer after a subagent's work", async () => {
    expect(await recorded("background", "delegate")).toEqual(finished("main done", 15_172));
  });

  it("tells a turn that was killed in the middle of a tool, also after a resume", async () => {
    const cut = { found: "unfinished", toolsRan: true };
    expect(await recorded("killed-mid-tool", "two")).toEqual(cut);
    expect(await recorded("killed-mid-tool", "one")).toEqual(finished("ok: one", 13_386));
    expect(await recorded("killed-then-resumed", "two")).toEqual(cut);
    expect(await recorded("killed-then-resumed", "three")).toEqual(finished("ok: three", 13_568));
  });

  it("tells a prompt that was killed before any answer, and its answer once it ran again", async () => {
    const cut = { found: "unfinished", toolsRan: false };
    expect(await recorded("killed-before-answer", "hang please")).toEqual(cut);
    expect(await recorded("rerun", "hang please")).toMatchObject({
      found: "finished",
      text: "rerun answer",
    });
  });

  it("does not know a prompt that was killed in the queue: it may be given again", async () => {
    const texts = await readFile(fixture("killed-while-queued"), "utf8");
    expect(texts).toContain("queued one");
    const uuid = "4c2caa69-f594-4632-bb7c-e603458ab62c";
    expect(await trace(fixture("killed-while-queued"), uuid)).toEqual({ found: "absent" });
  });
});

describe("tracing a prompt in a damaged transcript", () => {
  it("knows no prompt where there is no file", async () => {
    expect(await trace(join(folder, "none.jsonl"), "x")).toEqual({ found: "absent" });
  });

  it("passes over half a row at the end and rows that are no JSON", async () => {
    const file = join(folder, "cut.jsonl");
    await copyFile(fixture("killed-mid-tool"), file);
    await appendFile(file, 'garbage "parentUuid"\n{"type":"assistant","parentUuid":"d815');
    expect(await trace(file, await given("killed-mid-tool", "two"))).toEqual({
      found: "unfinished",
      toolsRan: true,
    });
  });

  it("says cut short, not absent, of what it cannot read, so that nothing runs twice", async () => {
    await mkdir(join(folder, "dir.jsonl"));
    expect(await trace(join(folder, "dir.jsonl"), "x")).toEqual({
      found: "unfinished",
      toolsRan: true,
    });
    await writeFile(join(folder, "long.jsonl"), Buffer.alloc(34_000_000, 0x61));
    expect(await trace(join(folder, "long.jsonl"), "x")).toEqual({
      found: "unfinished",
      toolsRan: true,
    });
    expect(complaints).toHaveLength(2);
  });
});

describe("what a transcript lacks", () => {
  it("is a prompt that has no row, wherever else its uuid is named", async () => {
    const whole = fixture("compactions");
    const prompts = (await rows(whole)).filter((row) => row.type === "user");
    const [first = "", last = ""] = [prompts[0]?.uuid, prompts.at(-1)?.uuid];
    expect(await lacksPrompt(whole, [first, last])).toBe(false);

    const cut = join(folder, "cut.jsonl");
    const lines = (await readFile(whole, "utf8")).split("\n");
    const own = lines.findIndex((line) => line.includes(`"uuid":"${first}"`));
    const left = lines.slice(own + 1).join("\n");
    expect(left).toContain(first);
    await writeFile(cut, left);
    expect(await lacksPrompt(cut, [first, last])).toBe(true);
    expect(await lacksPrompt(cut, [last])).toBe(false);
  });

  it("is said of nothing that holds no conversation, or cannot be read whole", async () => {
    const none = join(folder, "none.jsonl");
    for (const text of ["", "this is no transcript\n"]) {
      await writeFile(none, text);
      expect(await lacksPrompt(none, ["u"])).toBe(false);
    }
    expect(await lacksPrompt(join(folder, "nowhere.jsonl"), ["u"])).toBe(false);
    expect(await lacksPrompt(folder, ["u"])).toBe(false);
  });
});
