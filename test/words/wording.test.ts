import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../../", import.meta.url));

const CASES = [
  ["a notice", 'noticeDraft("Hello", null)'],
  ["a notice with something in it", "noticeDraft(`Hello ${english.terminal.agent}`, null)"],
  ["the answer to a command", 'answerCommand(options, command, "Hello")'],
  ["a button", 'button("Press me", { do: "new" })'],
  ["what is shown to who pressed a button", 'channel.answerPress?.("1", "Hello")'],
  ["what is told about a message", 'actor.tell(message, "Hello")'],
  ["a line of the terminal", 'openTerminalChat({ ...terminal, prompt: "you> " })'],
  ["a line under an answer", 'ledger.write("key", { footer: "Hello", ...answer })'],
] as const;

const ALLOWED = [
  ["a notice", "noticeDraft(english.presses.stale, null)"],
  ["a button", 'button(english.buttons.skip, { do: "new" })'],
  ["what somebody else wrote", 'noticeDraft(asWritten("Hello"), null)'],
] as const;

const HEAD = `
import { button } from "REPOSITORY/src/buttons.ts";
import { openTerminalChat, type TerminalOptions } from "REPOSITORY/src/channels/local/terminal.ts";
import type { Channel, OutgoingDraft, StoredCommand, StoredMessage } from "REPOSITORY/src/ports.ts";
import type { AgentActorOptions } from "REPOSITORY/src/sessions/agent-process.ts";
import { answerCommand, type CommandOptions } from "REPOSITORY/src/sessions/command-options.ts";
import { noticeDraft } from "REPOSITORY/src/sessions/ledger.ts";
import { english } from "REPOSITORY/src/words/english.ts";
import { asWritten } from "REPOSITORY/src/words/wording.ts";
declare const options: CommandOptions;
declare const command: StoredCommand;
declare const channel: Channel;
declare const actor: AgentActorOptions;
declare const message: StoredMessage;
declare const terminal: TerminalOptions;
declare const answer: Omit<Extract<OutgoingDraft, { kind: "answer" }>, "footer">;
declare const ledger: { write(key: string, draft: OutgoingDraft): void };
export const uses = [button, openTerminalChat, answerCommand, noticeDraft, english, asWritten];
export const given = [options, command, channel, actor, message, terminal, answer, ledger];
`;

let folder: string;
let report: string;

/** What the compiler says of the line; null where it takes it. */
function said(line: string): string | null {
  const at = HEAD.split("\n").length + LINES.indexOf(line);
  return report.split("\n").find((one) => one.startsWith(`case.ts(${at},`)) ?? null;
}

const LINES = [...CASES, ...ALLOWED].map(([, code]) => `${code};`);

describe("the compiler", () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-words-"));
    const code = HEAD.replaceAll("REPOSITORY/", repository) + LINES.join("\n");
    writeFileSync(join(folder, "case.ts"), `${code}\n`);
    const typeRoots = [join(repository, "node_modules", "@types")];
    const tsconfig = {
      extends: join(repository, "tsconfig.json"),
      compilerOptions: { typeRoots, allowImportingTsExtensions: true },
      include: ["case.ts"],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    const tsc = join(repository, "node_modules", ".bin", "tsc");
    const run = await execa(tsc, ["--pretty", "false"], { cwd: folder, reject: false });
    report = run.stdout;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(CASES)("refuses %s that is written outside src/words: %s", (_, code) => {
    expect(said(`${code};`)).toMatch(/'string' is not assignable to|Wording/);
  });

  it.each(ALLOWED)("takes %s: %s", (_, code) => expect(said(`${code};`)).toBeNull());
});
