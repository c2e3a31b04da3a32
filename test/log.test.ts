import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { createLogger } from "../src/log.ts";
import type { LogLevel, Logs } from "../src/log.ts";

const repository = fileURLToPath(new URL("../", import.meta.url));
const TOKEN = "123456789:AAE-abcdefghijklmnopqrstuvwxyz_0123456";

interface Recorder {
  readonly logs: Logs;
  readonly lines: string[];
  /** The only record there is. */
  record(): Record<string, unknown>;
}

function recorder(secrets: readonly string[] = [], level: LogLevel = "debug"): Recorder {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return {
    logs: createLogger({ level, secrets, pretty: false, destination }),
    lines,
    record() {
      expect(lines).toHaveLength(1);
      return JSON.parse(lines[0] ?? "") as Record<string, unknown>;
    },
  };
}

describe("records", () => {
  it("are one line of JSON with time, level, subsystem, fields and the event's name", () => {
    const { logs, lines, record } = recorder();
    logs.session.info({ key: "telegram/1/-", epoch: 3 }, "agent.spawned");
    expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
    expect(record()).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      pid: process.pid,
      subsystem: "session",
      key: "telegram/1/-",
      epoch: 3,
      msg: "agent.spawned",
    });
  });

  it("have a logger for each subsystem", () => {
    const { logs, lines } = recorder();
    for (const logger of Object.values(logs)) logger.info({}, "x");
    const named = lines.map((line) => (JSON.parse(line) as { subsystem: string }).subsystem);
    expect(named).toEqual(["session", "agent", "telegram", "store", "service", "config"]);
  });

  it.each([
    ["debug", ["debug", "info", "warn", "error"]],
    ["warn", ["warn", "error"]],
    ["fatal", []],
    ["silent", []],
  ] as const)("below the level %s are not written", (level, written) => {
    const { logs, lines } = recorder([], level);
    logs.store.debug({}, "debug");
    logs.store.info({}, "info");
    logs.store.warn({}, "warn");
    logs.store.error({}, "error");
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(written);
  });

  it("hold errors with their stacks and causes, wherever they are", () => {
    const { logs, record } = recorder();
    const error = new TypeError("outer", { cause: new RangeError("inner") });
    logs.agent.error({ error, tried: [{ error }] }, "fault");
    const shape = {
      type: "TypeError",
      message: "outer",
      stack: expect.stringContaining("log.test.ts") as string,
      cause: expect.objectContaining({ type: "RangeError", message: "inner" }) as object,
    };
    expect(record()).toMatchObject({ error: shape, tried: [{ error: shape }] });
  });

  it("survive fields that cannot be written", () => {
    const { logs, lines } = recorder();
    const circle: Record<string, unknown> = { big: 12n };
    circle["self"] = circle;
    logs.agent.info({ circle }, "circle");
    logs.agent.info(
      {
        get bad(): string {
          throw new Error("getter");
        },
      },
      "getter",
    );
    const names = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(names).toEqual(["circle", "getter"]);
  });
});

describe("what must not be seen", () => {
  const secretError = () =>
    new Error(`call to /bot${TOKEN}/getMe`, { cause: new Error("key sk-ant-api03-abc_DEF") });

  it.each([
    ["a bot token", `https://api.telegram.org/bot${TOKEN}/getMe`, "AAE-"],
    ["an encoded bot token", `/bot${encodeURIComponent(TOKEN)}/getMe`, "AAE-"],
    ["an Anthropic key", "key sk-ant-api03-abc_DEF.", "abc_DEF"],
    ["an Authorization header", "Authorization: Bearer tok-en.x==", "tok-en"],
    ["a header without a scheme", "authorization: tok-en", "tok-en"],
    ["a header in JSON", '{"Authorization": "Basic dG9rLWVu"}', "dG9rLWVu"],
    ["a header in JSON in a string", '"{\\"authorization\\":\\"Bearer tok-en\\"}"', "tok-en"],
    ["an exact secret", 'say open "sesame"\n!', "sesame"],
  ])("%s is removed from messages, fields, errors and stacks", (_what, text, hidden) => {
    const { logs, lines, record } = recorder(['open "sesame"\n']);
    const cause = new Error(text);
    logs.telegram.error(
      { text, deep: { list: [text] }, [text]: 1, err: new Error(text, { cause }) },
      text,
    );
    expect(lines[0]).not.toContain(hidden);
    expect(JSON.stringify(record()).match(/\[redacted\]/g)?.length).toBeGreaterThanOrEqual(8);
  });

  it("is removed from an error that is logged by itself", () => {
    const { logs, lines } = recorder();
    logs.telegram.error(secretError(), "fault");
    expect(lines[0]).not.toMatch(/AAE-|abc_DEF/);
    expect(lines[0]).toContain("call to /bot[redacted]/getMe");
  });

  it("is removed where it is a header's field", () => {
    const { logs, record } = recorder();
    logs.agent.info({ headers: { authorization: "tok", "X-Api-Key": "k", accept: "a" } }, "x");
    expect(record()["headers"]).toEqual({
      authorization: "[redacted]",
      "X-Api-Key": "[redacted]",
      accept: "a",
    });
  });

  it("leaves the record valid JSON when a secret is part of a number or a short word of it", () => {
    const { logs, record } = recorder(["1234567", "info"]);
    logs.agent.info({ id: 91_234_567, tiny: "info" }, "x");
    expect(record()).toMatchObject({ id: "[redacted]", tiny: "info", msg: "x" });
  });

  it("leaves ordinary text as it is", () => {
    const { logs, record } = recorder(["", "a"]);
    const text = "12:30 at 127.0.0.1:8081, task-ant, authorized: yes, a sk-ant";
    logs.agent.info({ text, n: 12_345.5, on: true, none: null }, text);
    expect(record()).toMatchObject({ text, n: 12_345.5, on: true, none: null, msg: text });
  });
});

describe("pretty records", () => {
  it("are lines for a person, redacted as well", () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logs = createLogger({ level: "info", secrets: [], pretty: true, destination });
    logs.telegram.warn({ url: `/bot${TOKEN}`, attempt: 2 }, "poll.failed");
    logs.telegram.error({ err: new Error(TOKEN) }, "fault");
    expect(lines[0]).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: telegram: poll\.failed \{"url":"\/bot\[redacted\]","attempt":2\}\n$/,
    );
    expect(lines[1]).toMatch(/ERROR: telegram: fault \n[^]*Error: \[redacted\]\n[^]*at /);
  });
});

describe("without a destination", () => {
  it.each([true, false])(
    "all goes to stderr before the process ends (pretty: %s)",
    async (pretty) => {
      const log = new URL("../src/log.ts", import.meta.url).href;
      const program = `
      import { createLogger } from ${JSON.stringify(log)};
      const logs = createLogger({ level: "info", secrets: [], pretty: ${pretty} });
      for (let n = 1; n <= 2000; n += 1) logs.service.info({ n }, "service.started");
      process.exit(3);`;
      const args = ["--import", "tsx", "--input-type=module", "--eval", program];
      const ended = await execa(process.execPath, args, { cwd: repository, reject: false });
      expect([ended.exitCode, ended.stdout]).toEqual([3, ""]);
      const lines = ended.stderr.split("\n");
      expect(lines).toHaveLength(2000);
      expect(lines.at(-1)).toMatch(/"n":2000/);
    },
  );
});
