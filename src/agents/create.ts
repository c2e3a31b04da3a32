import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { AgentKind } from "../../machines/vocabulary.ts";
import type { Config, Environment } from "../config.ts";
import { homeOf } from "../config/paths.ts";
import type { Logger } from "../log.ts";
import type { Agent, Clock } from "../ports.ts";
import { createClaudeAgent } from "./claude/agent.ts";
import { createScriptedAgent } from "./scripted/agent.ts";
import { SELF_REPORT_PROMPT } from "./system-prompt.ts";

export interface CreateAgentOptions {
  readonly config: Config;
  /** What agents inherit: without the service's own secrets. */
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The adapter of a kind, with what the configuration says about it. */
export function createAgent(kind: AgentKind, options: CreateAgentOptions): Agent {
  const { config, env, clock, log } = options;
  const common = {
    env,
    limits: config.limits,
    clock,
    log,
    newId: randomUUID,
    permissionMode: config.agent.permissionMode,
    appendSystemPrompt: config.agent.selfReport ? SELF_REPORT_PROMPT : null,
  };
  switch (kind) {
    case "claude": {
      const configDir = env["CLAUDE_CONFIG_DIR"] ?? join(homeOf(env), ".claude");
      return createClaudeAgent({ ...common, kind, command: [config.agent.bin], configDir });
    }
    case "scripted":
      // Its conversations are not the real agent's: they stay out of its folders.
      return createScriptedAgent({ ...common, configDir: join(config.stateDir, "scripted-agent") });
  }
}
