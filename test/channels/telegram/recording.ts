import type { Logger } from "../../../src/log.ts";
import type { Clock } from "../../../src/ports.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout),
};

export interface LogEntry {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

/** A logger that keeps its records. */
export function recordingLog(): { readonly log: Logger; readonly entries: readonly LogEntry[] } {
  const entries: LogEntry[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    entries.push({ level, message, fields });
  };
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { log, entries };
}
