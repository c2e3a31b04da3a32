import { spawn } from "node:child_process";

/** A process that a tool or a background task has started. */
export interface ToolChild {
  /** Resolves when it is gone, however it went. */
  readonly gone: Promise<void>;
  kill(): void;
}

/** The processes of tools. They are in sessions of their own, so that they outlive the agent's death. */
export interface Children {
  start(durationMs: number): ToolChild;
  killAll(): void;
}

export function createChildren(): Children {
  const living = new Set<ToolChild>();
  return {
    start(durationMs) {
      const child = spawn("sleep", [String(durationMs / 1_000)], {
        detached: true,
        stdio: "ignore",
      });
      const tool: ToolChild = {
        gone: new Promise((resolve) => {
          const end = (): void => {
            living.delete(tool);
            resolve();
          };
          child.once("exit", end).once("error", end);
        }),
        kill: () => void child.kill("SIGKILL"),
      };
      living.add(tool);
      return tool;
    },
    killAll() {
      for (const tool of living) tool.kill();
    },
  };
}
