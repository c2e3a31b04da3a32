import type { Logger } from "../../src/log.ts";

export interface LogRecord {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger whose records a test can look at. */
export function memoryLog() {
  const records: LogRecord[] = [];
  const at = (level: LogRecord["level"]) => (fields: object, message: string) => {
    records.push({ level, message, fields: { ...fields } });
  };
  const log: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
  };
  return { log, records };
}
