import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import { transcriptPath } from "../../../src/agents/claude/transcript.ts";
import { DIST } from "../../support/build.ts";

const PROGRAM = join(DIST, "src/agents/scripted/program.js");
const PATIENCE_MS = 30_000;

const lineSchema = z.looseObject({
  type: z.string(),
  subtype: z.string().optional(),
  state: z.string().optional(),
  session_id: z.string().optional(),
});
export type Line = z.infer<typeof lineSchema>;

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The program as a child process, its lines kept and waited for. */
export interface Program {
  readonly pid: number;
  readonly lines: readonly Line[];
  /** Lines of stdout that are no JSON. */
  readonly garbage: readonly string[];
  stderr(): string;
  raw(text: string): void;
  request(request: object, id?: string): void;
  /** Gives a prompt and its uuid back. */
  prompt(text: string, uuid?: string): string;
  /** The next line that matches, counted from the last one waited for. */
  next(match: object): Promise<Line>;
  answer(requestId: unknown, response: object): void;
  closeInput(): void;
  kill(signal: NodeJS.Signals): void;
  readonly exit: Promise<Exit>;
}

/** A folder with a workspace and a config directory, and the programs started in it. */
export interface Scene extends AsyncDisposable {
  readonly workspace: string;
  readonly configDir: string;
  start(options?: {
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }): Program;
  /** Starts it on a new session and waits until it has answered `initialize`. */
  ready(sessionId?: string, mode?: "--session-id" | "--resume"): Promise<Program>;
  /** Writes a script and gives its path. */
  script(value: unknown): Promise<string>;
  transcript(sessionId: string): string;
  rows(sessionId: string): Promise<readonly Record<string, unknown>[]>;
}

export async function createScene(): Promise<Scene> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-scripted-")));
  const workspace = join(folder, "work");
  const configDir = join(folder, "config");
  await mkdir(workspace);
  const programs: Program[] = [];
  const transcript = (sessionId: string): string => transcriptPath(configDir, sessionId, workspace);
  const scene: Scene = {
    workspace,
    configDir,
    transcript,
    start({ args = [], env = {} } = {}) {
      const program = startProgram(args, workspace, { CLAUDE_CONFIG_DIR: configDir, ...env });
      programs.push(program);
      return program;
    },
    async ready(sessionId = randomUUID(), mode = "--session-id") {
      const program = scene.start({ args: [mode, sessionId] });
      program.request({ subtype: "initialize" });
      await program.next({ type: "control_response" });
      return program;
    },
    async script(value) {
      const path = join(folder, `${randomUUID()}.json`);
      await writeFile(path, typeof value === "string" ? value : JSON.stringify(value));
      return path;
    },
    async rows(sessionId) {
      const text = await readFile(transcript(sessionId), "utf8");
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));
    },
    async [Symbol.asyncDispose]() {
      for (const program of programs) program.kill("SIGKILL");
      await Promise.all(programs.map((program) => program.exit));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return scene;
}

function startProgram(
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Program {
  const child = spawn(process.execPath, [PROGRAM, "-p", ...args], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error("the program did not start");
  const lines: Line[] = [];
  const garbage: string[] = [];
  let stderr = "";
  let cursor = 0;
  let gone = false;
  let wake = (): void => undefined;
  child.stdin.on("error", () => undefined);
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  createInterface({ input: child.stdout }).on("line", (text) => {
    if (text.startsWith("{")) lines.push(lineSchema.parse(JSON.parse(text)));
    else garbage.push(text);
    wake();
  });
  const exit = once(child, "close").then(([code, signal]): Exit => {
    gone = true;
    wake();
    return { code: code as number | null, signal: signal as string | null };
  });
  const program: Program = {
    pid,
    lines,
    garbage,
    exit,
    stderr: () => stderr,
    raw: (text) => void child.stdin.write(text),
    request: (request, id = randomUUID()) => {
      program.raw(`${JSON.stringify({ type: "control_request", request_id: id, request })}\n`);
    },
    prompt(text, uuid = randomUUID()) {
      const message = { role: "user", content: text };
      program.raw(`${JSON.stringify({ type: "user", message, uuid })}\n`);
      return uuid;
    },
    async next(match) {
      const deadline = Date.now() + PATIENCE_MS;
      for (;;) {
        const at = lines.findIndex((line, index) => index >= cursor && matches(line, match));
        const line = lines[at];
        if (line !== undefined) {
          cursor = at + 1;
          return line;
        }
        if (gone || Date.now() > deadline) {
          throw new Error(`no ${JSON.stringify(match)} in ${JSON.stringify(lines)} ${stderr}`);
        }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, 500);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    answer: (requestId, response) => {
      const inner = { subtype: "success", request_id: requestId, response };
      program.raw(`${JSON.stringify({ type: "control_response", response: inner })}\n`);
    },
    closeInput: () => void child.stdin.end(),
    kill: (signal) => void child.kill(signal),
  };
  return program;
}

function matches(line: Line, match: object): boolean {
  return Object.entries(match).every(([key, value]) => line[key] === value);
}

/** The text of a prompt with stage directions. */
export function scripted(steps: unknown, text = "Please."): string {
  return `${text} [[script: ${JSON.stringify(steps)}]]`;
}
