import { createApprovals } from "./approvals.ts";
import type { Children } from "./children.ts";
import { readInput } from "./input.ts";
import type { Request } from "./input.ts";
import { isLocalCommand, runLocalCommand } from "./local-commands.ts";
import { inlineSteps, PLAIN_STEP, ScriptError } from "./script.ts";
import type { Step } from "./script.ts";
import { say } from "./session.ts";
import type { World } from "./session.ts";
import { createTasks } from "./tasks.ts";
import { playTurn } from "./turn.ts";
import type { Notification, Prompt, Stage, Turn } from "./turn.ts";
import { contextUsageResponse, initializeResponse, lifecycleLine } from "./wire.ts";

export interface HostOptions {
  readonly world: World;
  readonly steps: readonly Step[];
  readonly children: Children;
  readonly configDir: string;
  /** Told when the session is first, or newly, spoken to. */
  readonly onSession: (sessionId: string) => void;
  readonly onAnswer: () => void;
  readonly warn: (text: string) => void;
  /** Ends the process after what was said is out. */
  readonly exit: (code: number) => void;
  readonly die: () => Promise<never>;
}

/** Hears what comes in and plays one turn after the other. */
export interface Host {
  line(text: string): void;
  /** The running turn, queued prompts and background tasks are finished first. */
  endOfInput(): void;
}

/** A turn that never ends must not leave the process behind for ever. */
const AFTER_INPUT_MS = 60_000;

export function createHost(options: HostOptions): Host {
  const { world } = options;
  const steps = [...options.steps];
  const queue: Prompt[] = [];
  const notifications: Notification[] = [];
  const seen = new Set<string>();
  const approvals = createApprovals(world);
  let current: { readonly abort: AbortController; readonly deaf: boolean } | null = null;
  let failed = false;
  let inputEnded = false;
  let ending = false;

  const tasks = createTasks(world, options.children, (notification) => {
    notifications.push(notification);
    void pump();
  });
  const stage: Stage = {
    world,
    children: options.children,
    approvals,
    startTask: (task, toolUseId) => tasks.start(task, toolUseId),
    answered: options.onAnswer,
    die: options.die,
  };

  async function pump(): Promise<void> {
    if (current !== null) return;
    for (let turn = nextTurn(); turn !== null && !ending; turn = nextTurn()) {
      const abort = new AbortController();
      current = { abort, deaf: turn.step.deaf === true };
      failed = await playTurn(stage, { ...turn, signal: abort.signal });
      current = null;
    }
    if (ending) options.exit(1);
    else if (inputEnded && tasks.running() === 0) options.exit(failed ? 1 : 0);
  }

  /** Prompts that came during a turn are one next turn; commands stand alone. */
  function nextTurn(): Omit<Turn, "signal"> | null {
    for (let [first] = queue; first && isLocalCommand(first.text); [first] = queue) {
      queue.shift();
      runLocalCommand(world, first, options.configDir);
      options.onSession(world.session.id);
      failed = false;
    }
    const end = queue.findIndex((prompt) => isLocalCommand(prompt.text));
    const prompts = queue.splice(0, end < 0 ? queue.length : end);
    const newest = prompts.at(-1);
    if (newest !== undefined) {
      options.onSession(world.session.id);
      return { prompts, notification: null, step: stepFor(newest.text) };
    }
    const notification = notifications.shift();
    return notification === undefined ? null : { prompts, notification, step: PLAIN_STEP };
  }

  function stepFor(text: string): Step {
    try {
      steps.unshift(...(inlineSteps(text) ?? []));
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error;
      return { ...PLAIN_STEP, error: `The script in the message is wrong: ${error.message}` };
    }
    return steps.shift() ?? PLAIN_STEP;
  }

  function prompt(uuid: string, text: string): void {
    // The real agent drops a second prompt with the same uuid without a word.
    if (seen.has(uuid)) return;
    seen.add(uuid);
    if (world.session.memory.answered.has(uuid)) {
      return say(world, lifecycleLine(uuid, "completed"));
    }
    say(world, lifecycleLine(uuid, "queued"));
    queue.push({ uuid, text });
    void pump();
  }

  function request(id: string, asked: Request): void {
    if (current?.deaf) return;
    const answer = (response: object): void => respond({ subtype: "success", response }, id);
    switch (asked.subtype) {
      case "initialize":
        return answer(initializeResponse(world));
      case "get_context_usage":
        return answer(contextUsageResponse(world));
      case "set_model":
        world.model = asked.model ?? world.model;
        return answer({ model: world.model });
      case "apply_flag_settings":
        return answer({});
      case "set_permission_mode": {
        world.permissionMode = asked.mode ?? world.permissionMode;
        const status = { subtype: "status", permissionMode: world.permissionMode };
        say(world, { type: "system", ...status });
        return answer({ mode: world.permissionMode });
      }
      case "interrupt":
        current?.abort.abort();
        if (asked.cancel_queued) cancelQueued();
        return answer({ still_queued: queue.map((one) => one.uuid) });
      case "end_session":
        respond({ subtype: "success" }, id);
        ending = current !== null;
        if (current === null) return options.exit(failed ? 1 : 0);
        return current.abort.abort();
      default: {
        const error = `Unsupported control request subtype: ${asked.subtype}`;
        respond({ subtype: "error", error, error_code: "unsupported_request" }, id);
      }
    }
  }

  function respond(response: object, id: string): void {
    world.output.line({ type: "control_response", response: { ...response, request_id: id } });
  }

  function cancelQueued(): void {
    for (const { uuid } of queue.splice(0)) say(world, lifecycleLine(uuid, "cancelled"));
  }

  return {
    line(text) {
      const input = readInput(text);
      switch (input.kind) {
        case "prompt":
          return prompt(input.uuid ?? world.newId(), input.text);
        case "request":
          return request(input.id, input.request);
        case "decision":
          return approvals.decide(input.id, input);
        case "ignored":
          return;
        case "fatal":
          options.warn(`Error parsing streaming input line: ${input.error}`);
          return options.exit(1);
      }
    },
    endOfInput() {
      inputEnded = true;
      approvals.denyAll("The input has ended.");
      // It also keeps the process alive: a silent turn holds nothing open.
      setTimeout(() => {
        options.exit(1);
      }, AFTER_INPUT_MS);
      void pump();
    },
  };
}
