import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readProcess } from "../process.ts";

/** `sessions/<pid>.json`: tells other programs which session a live process has. */
export interface SessionFile {
  /** The id is told from the first prompt on. */
  write(sessionId: string | null): void;
  remove(): void;
}

export function createSessionFile(options: {
  readonly configDir: string;
  readonly pid: number;
  readonly cwd: string;
  readonly version: string;
  readonly startedAt: number;
}): SessionFile {
  const { configDir, pid, cwd, version, startedAt } = options;
  const folder = join(configDir, "sessions");
  const path = join(folder, `${pid}.json`);
  const procStart = readProcess(pid)?.startedAt;
  return {
    write(sessionId) {
      const id = sessionId === null ? {} : { sessionId };
      const file = { pid, ...id, cwd, startedAt, procStart, version, entrypoint: "sdk-cli" };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
      } catch {
        // It informs others only: a directory that cannot be written stops no turn.
        return;
      }
    },
    remove: () => rmSync(path, { force: true }),
  };
}
