import { parseArgs } from "node:util";

/** What the program is asked to do. Options of the real agent that change nothing here are taken and ignored. */
export interface CommandLine {
  readonly version: boolean;
  readonly sessionId: string | null;
  readonly resume: string | null;
  readonly continue: boolean;
  /** The resumed session is copied under `sessionId` and left as it is. */
  readonly fork: boolean;
  readonly model: string | null;
  /** Texts are told while they grow, too. */
  readonly partials: boolean;
  readonly permissionMode: string;
  /** File with the script to play. */
  readonly script: string | null;
  /** File that gets a line for each answer: the session's id and all that was said in it until then. */
  readonly journal: string | null;
}

/** Throws node's own TypeError for an option it does not know. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      version: { type: "boolean", short: "v" },
      "session-id": { type: "string" },
      resume: { type: "string", short: "r" },
      continue: { type: "boolean", short: "c" },
      "fork-session": { type: "boolean" },
      model: { type: "string" },
      "permission-mode": { type: "string" },
      allowedTools: { type: "string" },
      script: { type: "string" },
      journal: { type: "string" },
      print: { type: "boolean", short: "p" },
      verbose: { type: "boolean" },
      "input-format": { type: "string" },
      "output-format": { type: "string" },
      "permission-prompt-tool": { type: "string" },
      "append-system-prompt": { type: "string" },
      "include-partial-messages": { type: "boolean" },
      effort: { type: "string" },
      "dangerously-skip-permissions": { type: "boolean" },
    },
  });
  return {
    version: values.version ?? false,
    sessionId: values["session-id"] ?? null,
    resume: values.resume ?? null,
    continue: values.continue ?? false,
    fork: values["fork-session"] ?? false,
    model: values.model ?? null,
    partials: values["include-partial-messages"] ?? false,
    permissionMode: values["permission-mode"] ?? "default",
    script: values.script ?? null,
    journal: values.journal ?? null,
  };
}
