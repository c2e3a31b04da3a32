import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionFacts } from "../../machines/facts.ts";
import type { Bench } from "./holdfast.ts";
import type { Holdfast } from "./holdfast-process.ts";
import { until } from "./processes.ts";

/** One chat of a bench whose agent session is resumed, or cannot be. */
export interface Chat {
  readonly key: string;
  readonly facts: () => SessionFacts;
  readonly bound: () => { readonly agentSessionId: string; readonly transcript: string };
  say(text: string): void;
  /** First lines of what the chat was told until now. */
  heard(): readonly string[];
  /** Those that hold this. */
  said(part: string): readonly string[];
  /** Until there is one, and its first line. */
  hears(part: string): Promise<string>;
  /** A turn, and the end of its process. */
  turnAndReap(service: Holdfast, text: string): Promise<void>;
}

export function chatOf(bench: Bench, chatId: number): Chat {
  const key = `telegram/${chatId}/-`;
  if (chatId < 0) bench.telegram.addChat({ id: chatId, type: "group" });
  const facts = () => bench.facts(key);
  const heard = () =>
    bench.telegram.messages
      .filter((one) => one.chatId === chatId)
      .map((one) => one.text.split("\n")[0] ?? "");
  const said = (part: string) => heard().filter((line) => line.includes(part));
  const hears = async (part: string) => {
    await until(`the chat hears "${part}"`, () => said(part).length > 0);
    return said(part)[0] ?? "";
  };
  return {
    key,
    facts,
    bound() {
      const { bound } = facts();
      if (bound === null) throw new Error(`${key} is bound to no agent session`);
      return bound;
    },
    say: (text) => bench.say(text, chatId),
    heard,
    said,
    hears,
    async turnAndReap(service, text) {
      bench.say(text, chatId);
      await hears(`ok: ${text}`);
      const epoch = facts().launch?.epoch;
      await service.waitForLog(
        (one) =>
          one.msg === "launch.exited" && one["session_key"] === key && one["epoch"] === epoch,
      );
    },
  };
}

/** What the model was given with the last request of the agent's own loop. */
export function lastAsked(bench: Bench): string {
  return JSON.stringify(bench.api.requests().findLast((one) => one.main)?.messages);
}

/** A program for CLAUDE_BIN that a test can change while the service runs. */
export interface Program {
  readonly path: string;
  /** Makes it a script with these lines, at whose end the real CLI takes its process over. */
  set(...before: readonly string[]): void;
  /** The same under the rights of nobody; for tests that run as root. */
  setUnprivileged(): void;
}

export function createProgram(bench: Bench): Program {
  const path = join(bench.root, "agent");
  const write = (...lines: readonly string[]) => {
    // A new file each time: a running shell still reads the last one.
    rmSync(path, { force: true });
    writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
  };
  const claude = `"${bench.env["CLAUDE_BIN"]}" "$@"`;
  const program: Program = {
    path,
    set: (...before) => write(...before, `exec ${claude}`),
    setUnprivileged: () =>
      write(`exec setpriv --reuid=65534 --regid=65534 --clear-groups ${claude}`),
  };
  program.set();
  return program;
}
