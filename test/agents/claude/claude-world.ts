import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClaudeAgent } from "../../../src/agents/claude/agent.ts";
import type { ClaudeAgentOptions } from "../../../src/agents/claude/agent.ts";
import { DEFAULT_LIMITS } from "../../../machines/limits.ts";
import type { Agent } from "../../../src/ports.ts";
import { realClock } from "../../contract/agent-driver.ts";
import { startMessagesApi } from "../../support/messages-api.ts";
import type { MessagesApi } from "../../support/messages-api.ts";

const CLAUDE = join(import.meta.dirname, "../../../node_modules/.bin/claude");

export interface LogRecord {
  readonly message: string;
  readonly fields: object;
}

/** The real CLI against a scripted Messages API, with a home of its own. */
export interface ClaudeWorld extends AsyncDisposable {
  readonly api: MessagesApi;
  readonly folder: string;
  readonly workspace: string;
  readonly configDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly logged: readonly LogRecord[];
  agent(change?: Partial<ClaudeAgentOptions>): Agent;
}

export async function createClaudeWorld(): Promise<ClaudeWorld> {
  const api = await startMessagesApi();
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-claude-")));
  const workspace = join(folder, "workspace");
  const configDir = join(folder, "home", ".claude");
  await mkdir(workspace);
  await mkdir(configDir, { recursive: true });
  const settings = { permissions: { allow: ["Bash"] } };
  await writeFile(join(configDir, "settings.json"), JSON.stringify(settings));
  const logged: LogRecord[] = [];
  const record = (fields: object, message: string): void => void logged.push({ fields, message });
  const env = {
    PATH: process.env["PATH"],
    HOME: join(folder, "home"),
    ANTHROPIC_API_KEY: "dummy",
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    // An overflow is reported at once instead of being compacted away.
    DISABLE_AUTO_COMPACT: "1",
  };
  return {
    api,
    folder,
    workspace,
    configDir,
    env,
    logged,
    agent: (change) =>
      createClaudeAgent({
        kind: "claude",
        command: [CLAUDE],
        env,
        configDir,
        permissionMode: "default",
        appendSystemPrompt: null,
        limits: DEFAULT_LIMITS,
        clock: realClock,
        newId: randomUUID,
        log: { debug: record, info: record, warn: record, error: record },
        ...change,
      }),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      // The CLI may still be writing when its last event is out; its tools are gone.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A tool call that runs for a minute; the CLI itself blocks a plain `sleep`. */
export const LONG_COMMAND = `node -e "setTimeout(() => {}, 60000)"`;
