import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { askDoor } from "../../src/agent-commands/client.ts";
import { openDoor, type SendCommand } from "../../src/agent-commands/door.ts";
import { recordingLog } from "../channels/telegram/recording.ts";
import { tempDir } from "../store/store-files.ts";

const COMMAND: SendCommand = { path: "/w/a.txt", caption: "look" };

function open(stateDir = tempDir()) {
  const asked: [string, SendCommand][] = [];
  const door = openDoor({
    stateDir,
    log: recordingLog().log,
    send(key, command) {
      if (command.path === "/throws") throw new Error("disk full");
      asked.push([key, command]);
      return { ok: true, words: "done" };
    },
  });
  onTestFinished(() => door[Symbol.asyncDispose]());
  return { door, asked, stateDir };
}

describe("a command of an agent", () => {
  it("is carried out for the session whose token it has", async () => {
    const { door, asked } = open();
    const [one, other] = [door.envOf("one"), door.envOf("other")];
    expect(await askDoor(other, COMMAND)).toEqual({ ok: true, words: "done" });
    expect(await askDoor(one, COMMAND)).toEqual({ ok: true, words: "done" });
    expect(asked).toEqual([
      ["other", COMMAND],
      ["one", COMMAND],
    ]);
  });

  it("is refused with another token, and with that of the launch before", async () => {
    const { door, asked } = open();
    const before = door.envOf("one");
    const now = door.envOf("one");
    const forged = { ...now, HOLDFAST_AGENT_TOKEN: "x".repeat(43) };
    for (const env of [before, forged]) {
      expect(await askDoor(env, COMMAND)).toMatchObject({ ok: false });
    }
    expect(asked).toEqual([]);
  });

  it("that is none, or fails, is answered in words", async () => {
    const { door } = open();
    const env = door.envOf("one");
    expect((await askDoor(env, { ...COMMAND, caption: "x".repeat(2_000) })).words).toContain(
      "1024",
    );
    expect((await askDoor(env, { ...COMMAND, path: "x".repeat(20_000) })).ok).toBe(false);
    expect((await askDoor(env, { ...COMMAND, path: "/throws" })).words).toContain("could not");
    expect((await askDoor({}, COMMAND)).words).toContain("not one's");
  });

  it("says that holdfast is gone when it is", async () => {
    const { door } = open();
    const env = door.envOf("one");
    await door[Symbol.asyncDispose]();
    expect((await askDoor(env, COMMAND)).words).toContain("is it running?");
  });

  it("comes through a socket that nobody else may open, also where the path is too long for one", async () => {
    const short = open();
    const path = short.door.envOf("one")["HOLDFAST_AGENT_SOCKET"] ?? "";
    expect(path).toBe(join(short.stateDir, "agent.sock"));
    await askDoor(short.door.envOf("one"), COMMAND);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const long = open(join(tempDir(), "x".repeat(120)));
    expect(await askDoor(long.door.envOf("one"), COMMAND)).toMatchObject({ ok: true });
  });
});
