import type { AgentKind, ContextSize } from "../../../machines/vocabulary.ts";
import type { Agent } from "../../ports.ts";
import { checkAvailability } from "./availability.ts";
import { startLive } from "./live.ts";
import type { LiveOptions } from "./live.ts";
import { endRunning, findForeign, findRunning } from "./running.ts";
import { lacksPrompt, tracePrompt } from "./trace.ts";
import { inspectTranscript, transcriptPath } from "./transcript.ts";
import { contextSize } from "./turn.ts";

export interface ClaudeAgentOptions extends LiveOptions {
  /** Part of a session's binding: `scripted` speaks the same protocol. */
  readonly kind: AgentKind;
  /** Where the agent keeps its transcripts: CLAUDE_CONFIG_DIR, or `.claude` in its HOME. */
  readonly configDir: string;
}

/** An agent that is driven over the stream-json protocol of Claude Code. */
export function createClaudeAgent(options: ClaudeAgentOptions): Agent {
  const { configDir, clock, limits, log } = options;
  /** Context windows by model, as results have told them; a transcript does not hold them. */
  const windows = new Map<string, number>();

  const contextOf = (model: string, used: number): ContextSize | null =>
    contextSize(used, model, windows);

  const trace: Agent["tracePrompt"] = (transcript, uuid) =>
    tracePrompt({
      transcript,
      uuid,
      contextOf,
      onUnreadable: (detail) => log.warn({ transcript, uuid, detail }, "transcript.unreadable"),
    });

  const launch: Agent["launch"] = (request, emit) =>
    startLive({
      options,
      request,
      emit,
      transcriptOf: (id) => transcriptPath(configDir, id, request.cwd),
      trace,
      onWindows: (told) => {
        for (const [model, window] of told) windows.set(model, window);
      },
    });

  return {
    kind: options.kind,
    check: (signal) => checkAvailability(options, launch, signal),
    launch,
    transcriptPath: (agentSessionId, cwd) => transcriptPath(configDir, agentSessionId, cwd),
    inspectTranscript,
    tracePrompt: trace,
    lacksPrompt,
    findRunning: async (stateDir, sessionKey) => findRunning(stateDir, sessionKey),
    endRunning: (running) =>
      endRunning(running, {
        clock,
        limits,
        onStuck: () => log.error({ pid: running.pid }, "agent.processStuck"),
      }),
    findForeign: (agentSessionId, stateDir) => findForeign(configDir, agentSessionId, stateDir),
  };
}
