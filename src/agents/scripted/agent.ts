import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createClaudeAgent } from "../claude/agent.ts";
import type { Agent } from "../../ports.ts";
import type { ClaudeAgentOptions } from "../claude/agent.ts";

export interface ScriptedAgentOptions extends Omit<ClaudeAgentOptions, "kind" | "command" | "env"> {
  /** Environment of the program; CLAUDE_CONFIG_DIR is set to `configDir`. HOLDFAST_SCRIPT names a script to play. */
  readonly env: ClaudeAgentOptions["env"];
  /** More arguments of the program, e.g. `--script FILE`. Default none. */
  readonly programArgs?: readonly string[];
  /** The compiled program; default the one beside this. */
  readonly program?: string;
  /** The node that runs it; default the one that runs this. */
  readonly node?: string;
}

/** The scripted agent: the same adapter as the real one's, over a program of holdfast's own. */
export function createScriptedAgent(options: ScriptedAgentOptions): Agent {
  const { programArgs = [], node = process.execPath, program, ...rest } = options;
  return createClaudeAgent({
    ...rest,
    kind: "scripted",
    command: [node, ...(program === undefined ? programCommand() : [program]), ...programArgs],
    env: { ...options.env, CLAUDE_CONFIG_DIR: options.configDir },
  });
}

/** Arguments for node: the compiled program, or the source with tsx where this runs from the sources. */
function programCommand(): readonly string[] {
  const compiled = !import.meta.url.endsWith(".ts");
  const program = fileURLToPath(new URL(`./program.${compiled ? "js" : "ts"}`, import.meta.url));
  if (compiled) return [program];
  // The agent runs in the user's workspace, where a bare "tsx" would not be found.
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return ["--import", tsx, program];
}
