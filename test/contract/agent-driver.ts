import { randomUUID } from "node:crypto";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import { listProcesses, readEnvironment } from "../../src/agents/process.ts";
import type { Agent, AgentProcess, Clock, LaunchPlan } from "../../src/ports.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (fn, ms) => setTimeout(fn, ms),
  clearTimeout: (id) => clearTimeout(id as NodeJS.Timeout),
};

type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** One of these is the last event. */
export const GONE: readonly string[] = ["agent.exited", "agent.refused", "agent.unavailable"];
const PATIENCE_MS = 40_000;

/** One launch whose events are kept and can be waited for. */
export interface Driven extends AsyncDisposable {
  readonly process: AgentProcess;
  readonly events: readonly AgentEvent[];
  /** The next event of a type, counted from the last one waited for; fails when the process is gone. */
  next<T extends AgentEvent["type"]>(type: T): Promise<EventOf<T>>;
  /** Gives a prompt under a new uuid and waits for the end of its turn. */
  ask(text: string): Promise<EventOf<"turn.ended">>;
  /** Ends it and gives the last event, after which nothing may follow. */
  end(how?: "graceful" | "now"): Promise<AgentEvent>;
}

export interface DriveOptions {
  readonly agent: Agent;
  readonly stateDir: string;
  readonly cwd: string;
  readonly plan?: LaunchPlan;
  readonly sessionKey?: string;
}

export function drive(options: DriveOptions): Driven {
  const events: AgentEvent[] = [];
  let cursor = 0;
  let wake = (): void => undefined;
  const process = options.agent.launch(
    {
      plan: options.plan ?? { mode: "fresh", agentSessionId: randomUUID() },
      cwd: options.cwd,
      model: null,
      marker: {
        stateDir: options.stateDir,
        sessionKey: options.sessionKey ?? "local/1/-",
        epoch: 1,
      },
    },
    (event) => {
      events.push(event);
      wake();
    },
  );

  async function next<T extends AgentEvent["type"]>(type: T): Promise<EventOf<T>> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const at = events.findIndex((event, index) => index >= cursor && event.type === type);
      const event = events[at];
      if (event !== undefined) {
        cursor = at + 1;
        return event as EventOf<T>;
      }
      if (GONE.includes(events.at(-1)?.type ?? "") || Date.now() > deadline) {
        throw new Error(`no ${type}; events: ${JSON.stringify(events, null, 1)}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 1_000);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  return {
    process,
    events,
    next,
    async ask(text) {
      const uuid = randomUUID();
      process.prompt({ uuid, text });
      const ended = await next("turn.ended");
      if (!ended.uuids.includes(uuid))
        throw new Error(`not the prompt's turn: ${ended.uuids.join()}`);
      return ended;
    },
    async end(how = "graceful") {
      await process.end(how);
      const last = events.at(-1);
      if (last === undefined || !GONE.includes(last.type)) {
        throw new Error(`ended without a last event: ${JSON.stringify(events)}`);
      }
      return last;
    },
    async [Symbol.asyncDispose]() {
      await process.end("now");
    },
  };
}

export function typesOf(driven: Driven): readonly string[] {
  return driven.events.map((event) => event.type);
}

/** Living processes that a launch with this state directory has started, tools included. */
export function markedPids(stateDir: string): readonly number[] {
  return listProcesses()
    .map((info) => info.pid)
    .filter((pid) => readEnvironment(pid)?.get("HOLDFAST_AGENT_STATE_DIR") === stateDir);
}

/** Polls until `condition` holds. */
export async function eventually(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`it never came to: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
