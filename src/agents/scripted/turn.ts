import { setTimeout as sleep } from "node:timers/promises";
import type { Approvals } from "./approvals.ts";
import type { Children } from "./children.ts";
import { companionAnswer } from "./companion.ts";
import {
  beginTool,
  endTool,
  fail,
  interrupted,
  sayBlock,
  unlessAborted,
  useTool,
} from "./performance.ts";
import { withoutScript } from "./script.ts";
import type { Step } from "./script.ts";
import { record, say } from "./session.ts";
import type { World } from "./session.ts";
import { initLine, lifecycleLine, resultLine } from "./wire.ts";
import type { ResultParts } from "./wire.ts";

export interface Prompt {
  readonly uuid: string;
  readonly text: string;
}

/** What begins a turn that nobody asked for. */
export interface Notification {
  /** What the agent tells itself about the task. */
  readonly row: string;
  readonly text: string;
}

export interface Turn {
  /** The prompts it answers: more than one where they came while another turn ran. */
  readonly prompts: readonly Prompt[];
  readonly notification: Notification | null;
  readonly step: Step;
  /** Aborts when the turn is interrupted. */
  readonly signal: AbortSignal;
}

export interface Stage {
  readonly world: World;
  readonly children: Children;
  readonly approvals: Approvals;
  /** Starts a task in the background that was asked for by this tool call. */
  startTask(task: NonNullable<Step["background"]>, toolUseId: string): string;
  /** Called with each answer before it is said. */
  answered(): void;
  /** Kills the process; does not return. */
  die(): Promise<never>;
}

/** Between the acceptance of a prompt and its row in the transcript; the real agent takes 180 ms. */
const RECORD_DELAY_MS = 50;

/** What has happened in a turn so far. */
export interface Progress {
  readonly startedAt: number;
  /** Calls of the model's API; each gives one message. */
  calls: number;
  messageId: string | null;
  used: number;
  /** The tool that has no result yet. */
  tool: string | null;
  /** The text before the first tool is said once. */
  said: boolean;
  readonly denials: object[];
}

export type Ending = Pick<ResultParts, "isError" | "terminalReason" | "text" | "apiErrorStatus">;

/** Plays one turn to its result; tells whether it ended with an error. */
export async function playTurn(stage: Stage, turn: Turn): Promise<boolean> {
  const { world } = stage;
  if (turn.step.crash === "before-accept") await stage.die();
  const uuids = turn.prompts.map((prompt) => prompt.uuid);
  for (const uuid of uuids) say(world, lifecycleLine(uuid, "started"));
  say(world, initLine(world, uuids));
  await sleep(RECORD_DELAY_MS);
  recordBeginning(world, turn);
  if (turn.step.crash === "after-accept") await stage.die();
  const progress: Progress = {
    startedAt: world.now(),
    calls: 0,
    messageId: null,
    used: 0,
    tool: null,
    said: false,
    denials: [],
  };
  const ending = await perform(stage, turn, progress).catch((error: unknown) => {
    if (!turn.signal.aborted) throw error;
    return interrupted(world, progress);
  });
  finish(world, turn, progress, ending);
  return ending.isError;
}

function recordBeginning(world: World, turn: Turn): void {
  const { memory } = world.session;
  for (const { uuid, text } of turn.prompts) {
    // A prompt that was cut short before any answer is given again: its row is there already.
    if (memory.prompts.has(uuid)) {
      memory.leaf = uuid;
      continue;
    }
    const row = { type: "user", message: { role: "user", content: text }, promptSource: "sdk" };
    record(world, row, uuid);
    memory.prompts.add(uuid);
    memory.said.push({ role: "user", text: withoutScript(text) });
  }
  if (turn.notification !== null) {
    record(world, {
      type: "user",
      message: { role: "user", content: turn.notification.row },
      origin: { kind: "task-notification" },
    });
  }
}

async function perform(stage: Stage, turn: Turn, progress: Progress): Promise<Ending> {
  const { world } = stage;
  const { step, signal } = turn;
  signal.throwIfAborted();
  if (!world.loggedIn) return fail(world, "Not logged in · Please run /login", "api_error", 401);
  if (step.garbage !== undefined) {
    await world.output.garbage(step.garbage === true ? 40 : step.garbage.bytes);
  }
  if (step.silence || step.deaf) await forever(signal);
  if (step.delayMs > 0) await sleep(step.delayMs, undefined, { signal });
  let denial: string | null = null;
  if (step.approval) denial = await useTool(stage, turn, progress, step.approval, true);
  for (const tool of step.tools) await useTool(stage, turn, progress, tool, false);
  if (step.background) {
    const { description } = step.background;
    const input = { command: description, description, run_in_background: true };
    const id = beginTool(stage, turn, progress, { name: "Bash", input });
    const task = stage.startTask(step.background, id);
    endTool(world, progress, id, `Command running in background with ID: ${task}.`, false);
  }
  if (step.error !== undefined) return fail(world, step.error, "api_error", 400);
  if (step.tooLarge) return fail(world, "Prompt is too long", "prompt_too_long", 400);
  const text = answerOf(world, turn, denial);
  sayBlock(world, turn, progress, { type: "text", text }, "end_turn");
  world.session.memory.said.push({ role: "assistant", text });
  stage.answered();
  if (step.crash === "after-answer-before-result") await stage.die();
  return { isError: false, terminalReason: "completed", text, apiErrorStatus: null };
}

function answerOf(world: World, turn: Turn, denial: string | null): string {
  const { step, notification } = turn;
  if (step.textBytes !== undefined) return "a".repeat(step.textBytes);
  if (step.text !== undefined) return step.text;
  if (notification !== null) return notification.text;
  if (denial !== null) return `I may not do that: ${denial}`;
  return companionAnswer(world.session.memory.said, world.resumed && world.session.turns === 0);
}

function finish(world: World, turn: Turn, progress: Progress, ending: Ending): void {
  const { session } = world;
  if (progress.calls > 0) session.memory.used = progress.used;
  const outputTokens = Math.ceil((ending.text?.length ?? 0) / 4);
  session.inputTokens += progress.used * progress.calls;
  session.outputTokens += outputTokens;
  session.turns += 1;
  const uuids = turn.prompts.map((prompt) => prompt.uuid);
  say(
    world,
    resultLine(world, {
      ...ending,
      uuids,
      numTurns: Math.max(1, progress.calls),
      used: progress.used * progress.calls,
      outputTokens,
      denials: progress.denials,
      durationMs: world.now() - progress.startedAt,
      origin: turn.notification === null ? null : { kind: "task-notification" },
      localCommand: null,
    }),
  );
  for (const uuid of uuids)
    say(world, lifecycleLine(uuid, ending.isError ? "cancelled" : "completed"));
}

function forever(signal: AbortSignal): Promise<never> {
  return unlessAborted(signal, new Promise<never>(() => undefined));
}
