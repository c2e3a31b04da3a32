import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBench, type Bench } from "../support/holdfast.ts";
import type { Holdfast } from "../support/holdfast-process.ts";
import { chatOf, createProgram, lastAsked, type Program } from "../support/resumable.ts";

/** One service for all of them; each case has a chat of its own. */
describe("the next message to a conversation whose process was reaped", () => {
  let bench: Bench;
  let service: Holdfast;
  let program: Program;
  let chats = 0;
  const newChat = () => chatOf(bench, -1_000 - (chats += 1));

  beforeAll(async () => {
    bench = await createBench();
    program = createProgram(bench);
    service = await bench.start({
      CLAUDE_BIN: program.path,
      HOLDFAST_LIMIT_IDLE_REAP_MS: "300",
    });
  });
  beforeEach(() => {
    program.set();
  });
  afterAll(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it.each([
    {
      name: "was deleted",
      spoil: (file: string) => rmSync(file),
      words: "record of the earlier conversation is gone",
      reason: "transcript-missing",
    },
    {
      name: "is a directory",
      spoil(file: string) {
        rmSync(file);
        mkdirSync(file);
      },
      words: "record of the earlier conversation is gone",
      reason: "transcript-missing",
    },
    {
      name: "has the name of another session",
      spoil: (file: string) =>
        renameSync(file, file.replace(/[^/]+$/, "0a0b0c0d-0000-4000-8000-000000000000.jsonl")),
      words: "record of the earlier conversation is gone",
      reason: "transcript-missing",
    },
    {
      name: "is empty",
      spoil: (file: string) => writeFileSync(file, ""),
      words: "could not be resumed",
      reason: "resume-refused",
    },
    {
      name: "is garbage",
      spoil: (file: string) => writeFileSync(file, "this is no transcript\n"),
      words: "could not be resumed",
      reason: "resume-refused",
    },
  ])(
    "goes with one notice to one fresh session, and so does what follows, where the transcript $name",
    async ({ spoil, words, reason }) => {
      const chat = newChat();
      await chat.turnAndReap(service, "remember me");
      const old = chat.bound();
      spoil(old.transcript);

      chat.say("are you there");
      await chat.hears("ok: are you there");
      expect(chat.said("⚠️")).toEqual([expect.stringContaining(words)]);
      expect(chat.facts()).toMatchObject({
        archived: [{ agentSessionId: old.agentSessionId, reason }],
        fresh: null,
        messages: [],
      });
      const fresh = chat.bound().agentSessionId;
      expect(fresh).not.toBe(old.agentSessionId);
      expect(lastAsked(bench)).not.toContain("remember me");

      chat.say("still there");
      await chat.hears("ok: still there");
      expect(lastAsked(bench)).toContain("are you there");
      expect(chat.bound().agentSessionId).toBe(fresh);
      expect(chat.said("⚠️")).toHaveLength(1);
      expect(chat.said("ok: are you there")).toHaveLength(1);
      const modes = service.logs
        .filter((one) => one.msg === "launch.intended" && one["session_key"] === chat.key)
        .map((one) => one["mode"]);
      expect(modes.filter((mode) => mode === "fresh")).toHaveLength(2);
    },
  );

  const projects = () => join(bench.home, ".claude", "projects");
  /** For everybody; the files in them stay their owner's. */
  const openFolders = () => {
    const inside = readdirSync(bench.home, { recursive: true, withFileTypes: true })
      .filter((one) => one.isDirectory())
      .map((one) => join(one.parentPath, one.name));
    for (const folder of [dirname(bench.home), bench.home, ...inside]) chmodSync(folder, 0o777);
  };

  it.each([
    { name: "its program is gone", spoil: () => rmSync(program.path), words: "was not found" },
    {
      name: "its program may not be executed",
      spoil: () => chmodSync(program.path, 0o644),
      words: "may not be executed",
    },
    {
      name: "it is not logged in",
      spoil: () => program.set("unset ANTHROPIC_API_KEY"),
      words: "not logged in",
    },
    {
      name: "the folder of all conversations is gone",
      spoil: () => renameSync(projects(), `${projects()}-away`),
      mend: () => renameSync(`${projects()}-away`, projects()),
      words: "folder of conversations cannot be read",
    },
    {
      name: "it ends with words about something else",
      spoil: () => program.set('echo "cannot find my brain" >&2; exit 1'),
      words: "cannot find my brain",
    },
    // Only root can take the agent's rights and keep its own.
    ...(process.getuid?.() === 0
      ? [
          {
            name: "it may not read the transcript",
            spoil() {
              openFolders();
              program.setUnprivileged();
            },
            words: "but its transcript is there",
          },
        ]
      : []),
  ])(
    "is kept, told once, and answered in the same session after the next one, where $name",
    async ({ spoil, mend = () => program.set(), words }) => {
      const chat = newChat();
      await chat.turnAndReap(service, "remember me");
      const old = chat.bound();
      spoil();

      chat.say("first attempt");
      try {
        await chat.hears("❌");
      } finally {
        mend();
      }
      expect(chat.said("❌")).toEqual([expect.stringContaining(words)]);
      expect(chat.bound()).toEqual(old);
      expect(chat.facts()).toMatchObject({ archived: [], fresh: null, messages: [{}] });

      chat.say("second attempt");
      await chat.hears("ok: second attempt");
      expect(chat.said("ok: ")).toEqual(
        ["remember me", "first attempt", "second attempt"].map((text) => `ok: ${text}`),
      );
      expect(lastAsked(bench)).toContain("remember me");
      expect(chat.bound()).toMatchObject({ agentSessionId: old.agentSessionId });
      expect(chat.said("❌")).toHaveLength(1);
      expect(chat.said("⚠️")).toEqual([]);
    },
  );
});
