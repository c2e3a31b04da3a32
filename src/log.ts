import { pino, stdSerializers, stdTimeFunctions } from "pino";
import type { DestinationStream } from "pino";
import { prettyFactory } from "pino-pretty";
import { createRedactor } from "./redact.ts";

/** From the most to the least: `silent` writes nothing. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What an adapter needs of a logger. The message is an event's name, its data go into the fields. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The loggers there are, one a subsystem; each record names its own in `subsystem`. */
export interface Logs {
  readonly session: Logger;
  readonly agent: Logger;
  readonly telegram: Logger;
  readonly store: Logger;
  readonly service: Logger;
  readonly config: Logger;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** Exact texts that must never be written, whatever they look like. */
  readonly secrets: readonly string[];
  /** One line for a person instead of a JSON record. */
  readonly pretty: boolean;
  /** Default: stderr, written at once, so that the terminal chat keeps stdout and a crash loses no line. */
  readonly destination?: { write(line: string): void };
}

export function createLogger(options: LogOptions): Logs {
  const redactor = createRedactor(options.secrets);
  const sink = options.destination ?? pino.destination({ dest: 2, sync: true });
  const root = pino(
    {
      level: options.level,
      // The host's name helps nobody where one service owns its state directory.
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (fields) => withErrors(fields),
      },
      // Errors are made plain above, wherever they are, causes included.
      serializers: { err: (value: unknown) => value },
      hooks: { streamWrite: (line) => redactor.line(line) },
    },
    options.pretty ? prettySink(sink, options.destination === undefined) : sink,
  );
  const logger = (subsystem: keyof Logs): Logger => root.child({ subsystem });
  return {
    session: logger("session"),
    agent: logger("agent"),
    telegram: logger("telegram"),
    store: logger("store"),
    service: logger("service"),
    config: logger("config"),
  };
}

function prettySink(sink: DestinationStream, colorize: boolean): DestinationStream {
  const format = prettyFactory({
    colorize,
    colorizeObjects: false,
    errorLikeObjectKeys: ["err", "error", "cause"],
    ignore: "pid,subsystem",
    messageFormat: "{subsystem}: {msg}",
    singleLine: true,
    translateTime: "SYS:HH:MM:ss.l",
  });
  return { write: (line: string) => sink.write(format(line)) };
}

/** Deeper values are as they are: a record is read by people. */
const DEPTH_MAX = 5;

function withErrors(fields: Record<string, unknown>): Record<string, unknown> {
  try {
    return mapValues(fields, 0);
  } catch (error) {
    // A getter that throws must not take its caller down.
    return { unloggable: error instanceof Error ? error.message : String(error) };
  }
}

function plain(value: unknown, depth: number): unknown {
  if (value instanceof Error) return stdSerializers.errWithCause(value);
  if (depth >= DEPTH_MAX || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => plain(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? mapValues(value, depth) : value;
}

function mapValues(value: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, plain(item, depth + 1)]),
  );
}
