import type { Output } from "./output.ts";
import { appendRow, copyTranscript } from "./transcript.ts";
import type { Memory } from "./transcript.ts";

/** Named in transcripts and where the real agent tells its version. */
export const VERSION = "1.0.0";
export const DEFAULT_MODEL = "scripted-demo";
const WINDOW = 200_000;
/** The context of an empty session, in tokens; about that of the real agent. */
const BASE_TOKENS = 12_000;

/** The session that the process has now; `/clear` puts another in its place. */
export interface Session {
  id: string;
  transcript: string;
  memory: Memory;
  window: number;
  /** Tokens in and out so far, for `/cost` and `modelUsage`. */
  inputTokens: number;
  outputTokens: number;
  /** Turns that this process has played. */
  turns: number;
  /** Transcript that is copied with the first row, as the real agent does; null once it is. */
  copyOf: string | null;
}

export function newSession(id: string, transcript: string, memory: Memory): Session {
  return {
    id,
    transcript,
    memory,
    window: WINDOW,
    inputTokens: 0,
    outputTokens: 0,
    turns: 0,
    copyOf: null,
  };
}

/** What everything that speaks for the agent needs. */
export interface World {
  readonly output: Output;
  readonly session: Session;
  model: string;
  permissionMode: string;
  readonly partials: boolean;
  readonly cwd: string;
  readonly pid: number;
  readonly loggedIn: boolean;
  /** The session was there before the process. */
  readonly resumed: boolean;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Says a line with what all of the agent's lines carry. */
export function say(world: World, line: object): void {
  world.output.line({ ...line, uuid: world.newId(), session_id: world.session.id });
}

/** Adds a row below the last one. The row's uuid is the caller's where it has one to keep. */
export function record(world: World, row: object, uuid: string = world.newId()): void {
  const { session } = world;
  if (session.copyOf !== null) copyTranscript(session.copyOf, session.transcript);
  session.copyOf = null;
  appendRow(session.transcript, {
    parentUuid: session.memory.leaf,
    isSidechain: false,
    ...row,
    uuid,
    timestamp: new Date(world.now()).toISOString(),
    userType: "external",
    entrypoint: "sdk-cli",
    cwd: world.cwd,
    sessionId: session.id,
    version: VERSION,
  });
  session.memory.leaf = uuid;
}

/** Tokens that all that was said would take. */
export function estimateTokens(session: Session): number {
  const characters = session.memory.said.reduce((sum, one) => sum + one.text.length, 0);
  return BASE_TOKENS + Math.ceil(characters / 4);
}

/** Most of a context comes from the cache: `input_tokens` alone says nothing of its size. */
export function usageOf(used: number, outputTokens: number): object {
  const cached = Math.floor(used * 0.9);
  return {
    input_tokens: used - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: outputTokens,
  };
}
