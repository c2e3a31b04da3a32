import { existsSync } from "node:fs";
import type { AgentEvent } from "../../../machines/vocabulary.ts";
import type { Clock } from "../../ports.ts";

export interface NamedSession {
  readonly agentSessionId: string;
  readonly transcript: string;
  readonly model: string | null;
}

export interface Binding {
  /** Tells now if the transcript exists. */
  checkNow(): void;
  /** Tells as soon as it exists, looking again for a while. */
  check(): void;
  stop(): void;
}

/** The transcript is written 180–210 ms after the first prompt (measured on 2.1.332). */
const POLL_MS = 50;
const TRIES = 200;

/** Tells each session, and each change of its model, once its transcript is there. */
export function createBinding(options: {
  readonly clock: Clock;
  /** Null until the agent has named its session. */
  readonly session: () => NamedSession | null;
  readonly emit: (event: AgentEvent) => void;
}): Binding {
  const { clock } = options;
  let told = "";
  let timer: unknown = null;
  let stopped = false;

  function look(triesLeft: number): void {
    clock.clearTimeout(timer);
    const session = options.session();
    if (stopped || session === null) return;
    const name = `${session.transcript}\n${session.model}`;
    if (name === told) return;
    if (existsSync(session.transcript)) {
      told = name;
      options.emit({ type: "agent.bound", ...session });
    } else if (triesLeft > 0) {
      timer = clock.setTimeout(() => look(triesLeft - 1), POLL_MS);
    }
  }

  return {
    checkNow: () => look(0),
    check: () => look(TRIES),
    stop() {
      stopped = true;
      clock.clearTimeout(timer);
    },
  };
}
