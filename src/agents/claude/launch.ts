import { COMMANDS_PROMPT } from "../system-prompt.ts";
import type { AgentMarker, LaunchPlan, LaunchRequest } from "../../ports.ts";

/** Variables that mark an agent and, being inherited, every tool it starts. */
const MARKER_STATE_DIR = "HOLDFAST_AGENT_STATE_DIR";
const MARKER_SESSION = "HOLDFAST_AGENT_SESSION";
const MARKER_EPOCH = "HOLDFAST_AGENT_EPOCH";

export interface LaunchSettings {
  /** Program and leading arguments. */
  readonly command: readonly [string, ...string[]];
  /** Complete environment of the child, secrets of the service already removed. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The agent's permission mode, e.g. `default`, `acceptEdits`, `plan`. */
  readonly permissionMode: string;
  /** Added to the agent's own system prompt; null adds nothing. */
  readonly appendSystemPrompt: string | null;
}

export interface LaunchSpec {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export function launchSpec(settings: LaunchSettings, request: LaunchRequest): LaunchSpec {
  const [file, ...leading] = settings.command;
  return {
    file,
    args: [
      ...leading,
      "-p",
      ...["--input-format", "stream-json"],
      ...["--output-format", "stream-json"],
      "--verbose",
      // Without it whatever would ask is denied, and some tools do not exist.
      ...["--permission-prompt-tool", "stdio"],
      ...["--permission-mode", request.permissionMode ?? settings.permissionMode],
      "--include-partial-messages",
      ...(request.effort === undefined ? [] : ["--effort", request.effort]),
      ...planArgs(request.plan),
      // A resume does not restore every property of the model, so it is always said.
      ...(request.model === null ? [] : ["--model", request.model]),
      ...systemPromptArgs(settings, request),
      ...(request.commandEnv === undefined ? [] : ["--allowedTools", ...COMMAND_TOOLS]),
    ],
    env: { ...definedOnly(settings.env), ...request.commandEnv, ...markerEnv(request.marker) },
    cwd: request.cwd,
  };
}

/** They reach nothing but the agent's own chat and workspace, so nobody is asked for them. */
const COMMAND_TOOLS = ["Bash(holdfast send:*)", "Bash(holdfast restart-context)"] as const;

function systemPromptArgs(settings: LaunchSettings, request: LaunchRequest): readonly string[] {
  const parts = [
    settings.appendSystemPrompt,
    request.commandEnv === undefined ? null : COMMANDS_PROMPT,
  ].filter((one) => one !== null);
  return parts.length === 0 ? [] : ["--append-system-prompt", parts.join("\n\n")];
}

function planArgs(plan: LaunchPlan): readonly string[] {
  switch (plan.mode) {
    case "fresh":
      return ["--session-id", plan.agentSessionId];
    case "resume":
      return ["--resume", plan.agentSessionId];
    case "continue":
      return ["--continue"];
    case "fork":
      return ["--resume", plan.from, "--fork-session", "--session-id", plan.agentSessionId];
  }
}

function markerEnv(marker: AgentMarker): Record<string, string> {
  return {
    [MARKER_STATE_DIR]: marker.stateDir,
    [MARKER_SESSION]: marker.sessionKey,
    [MARKER_EPOCH]: String(marker.epoch),
  };
}

export function definedOnly(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** The marker in a process's environment; null for a process that carries none. */
export function readMarker(env: ReadonlyMap<string, string>): AgentMarker | null {
  const stateDir = env.get(MARKER_STATE_DIR);
  const sessionKey = env.get(MARKER_SESSION);
  const epoch = Number(env.get(MARKER_EPOCH) ?? Number.NaN);
  if (stateDir === undefined || sessionKey === undefined || !Number.isInteger(epoch)) return null;
  return { stateDir, sessionKey, epoch };
}

export function sameMarker(one: AgentMarker, other: AgentMarker): boolean {
  return (
    one.stateDir === other.stateDir &&
    one.sessionKey === other.sessionKey &&
    one.epoch === other.epoch
  );
}
