import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { askDoor } from "../../src/agent-commands/client.ts";
import { openDoor, type Caller, type SendCommand } from "../../src/agent-commands/door.ts";
import { recordingLog } from "../channels/telegram/recording.ts";
import { tempDir } from "../store/store-files.ts";

const COMMAND: SendCommand = { path: "/w/a.txt", caption: "look" };
const SEND = { command: "send", file: COMMAND } as const;

function open(stateDir = tempDir()) {
  const asked: [string, SendCommand][] = [];
  const restarts: Caller[] = [];
  const door = openDoor({
    stateDir,
    log: recordingLog().log,
    send(key, command) {
      if (command.path === "/throws") throw new Error("disk full");
      asked.push([key, command]);
      return { ok: true, words: "done" };
    },
    restartContext(caller) {
      restarts.push(caller);
      return { ok: true, words: "later" };
    },
  });
  onTestFinished(() => door[Symbol.asyncDispose]());
  return { door, asked, restarts, stateDir };
}

describe("a command of an agent", () => {
  it("is carried out for the session whose token it has", async () => {
    const { door, asked } = open();
    const [one, other] = [door.envOf("one", 1), door.envOf("other", 1)];
    expect(await askDoor(other, SEND)).toEqual({ ok: true, words: "done" });
    expect(await askDoor(one, SEND)).toEqual({ ok: true, words: "done" });
    expect(asked).toEqual([
      ["other", COMMAND],
      ["one", COMMAND],
    ]);
  });

  it("is refused with another token, and with that of the launch before", async () => {
    const { door, asked } = open();
    const before = door.envOf("one", 1);
    const now = door.envOf("one", 2);
    const forged = { ...now, HOLDFAST_AGENT_TOKEN: "x".repeat(43) };
    for (const env of [before, forged]) {
      expect(await askDoor(env, SEND)).toMatchObject({ ok: false });
    }
    expect(asked).toEqual([]);
  });

  it("tells for which launch a cleared context is asked", async () => {
    const { door, restarts } = open();
    const env = door.envOf("one", 7);
    expect(await askDoor(env, { command: "restartContext" })).toEqual({ ok: true, words: "later" });
    expect(restarts).toEqual([{ key: "one", epoch: 7 }]);
  });

  it("that is none, or fails, is answered in words", async () => {
    const { door } = open();
    const env = door.envOf("one", 1);
    expect(
      (await askDoor(env, { command: "send", file: { ...COMMAND, caption: "x".repeat(2_000) } }))
        .words,
    ).toContain("1024");
    expect(
      (await askDoor(env, { command: "send", file: { ...COMMAND, path: "x".repeat(20_000) } })).ok,
    ).toBe(false);
    expect(
      (await askDoor(env, { command: "send", file: { ...COMMAND, path: "/throws" } })).words,
    ).toContain("could not");
    expect((await askDoor({}, SEND)).words).toContain("not one's");
  });

  it("says that holdfast is gone when it is", async () => {
    const { door } = open();
    const env = door.envOf("one", 1);
    await door[Symbol.asyncDispose]();
    expect((await askDoor(env, SEND)).words).toContain("is it running?");
  });

  it("comes through a socket that nobody else may open, also where the path is too long for one", async () => {
    const short = open();
    const path = short.door.envOf("one", 1)["HOLDFAST_AGENT_SOCKET"] ?? "";
    expect(path).toBe(join(short.stateDir, "agent.sock"));
    await askDoor(short.door.envOf("one", 1), SEND);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const long = open(join(tempDir(), "x".repeat(120)));
    expect(await askDoor(long.door.envOf("one", 1), SEND)).toMatchObject({ ok: true });
  });
});
