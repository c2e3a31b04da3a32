import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeLine } from "../../../src/agents/claude/protocol.ts";
import { translate } from "../../../src/agents/claude/translate.ts";
import { initialState, promptGiven } from "../../../src/agents/claude/translate-state.ts";
import type { Effect, TranslateState } from "../../../src/agents/claude/translate-state.ts";
import type { AgentEvent } from "../../../machines/vocabulary.ts";

export const FIXTURES = join(import.meta.dirname, "fixtures");

export interface Replayed {
  readonly events: readonly AgentEvent[];
  readonly effects: readonly Effect[];
  readonly state: TranslateState;
  /** The prompts in the order they were given. */
  readonly uuids: readonly string[];
}

export interface ReplayOptions {
  /** Changes or drops (null) a recorded line, to play another version of the agent. */
  readonly edit?: (line: Readonly<Record<string, unknown>>) => object | null;
  readonly fresh?: boolean;
}

/** Translates recorded output of the real CLI; a prompt is given where the recording first names it. */
export function replay(name: string, options: ReplayOptions = {}): Replayed {
  const { edit = (line) => line } = options;
  const text = readFileSync(join(FIXTURES, `${name}.jsonl`), "utf8");
  let state = initialState({
    initializeId: "init",
    sessionId: text.match(/"session_id":"([^"]+)"/)?.[1] ?? null,
    model: null,
    fresh: options.fresh ?? true,
  });
  const events: AgentEvent[] = [];
  const effects: Effect[] = [];
  const uuids: string[] = [];
  for (const recorded of text.trim().split("\n")) {
    const value = JSON.parse(recorded) as Record<string, unknown>;
    const uuid = value["type"] === "command_lifecycle" ? String(value["command_uuid"]) : null;
    if (uuid !== null && !uuids.includes(uuid)) {
      uuids.push(uuid);
      state = promptGiven(state, uuid);
    }
    const line = edit(value);
    if (line === null) continue;
    const decoded = decodeLine(JSON.stringify(line));
    if (decoded.kind === "malformed") throw new Error(`${name}: ${decoded.detail}`);
    if (decoded.kind !== "line") continue;
    const step = translate(state, decoded.line, (id) => `/projects/${id}.jsonl`);
    state = step.state;
    events.push(...step.events);
    effects.push(...step.effects);
  }
  return { events, effects, state, uuids };
}

type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

export function eventsOf<T extends AgentEvent["type"]>(
  replayed: Replayed,
  type: T,
): readonly EventOf<T>[] {
  return replayed.events.filter((event): event is EventOf<T> => event.type === type);
}
