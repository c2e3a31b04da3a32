import { until } from "../processes.ts";
import { happen } from "./happenings.ts";
import { matches } from "./pattern.ts";
import { edit, press, write } from "./people-act.ts";
import type { Conversation, Expects, Step } from "./script.ts";
import { createStage, type Stage } from "./stage.ts";
import { promptsIn } from "./transcripts.ts";
import { createWatch, type Watch } from "./watch.ts";

export interface Played {
  /** Of the service, which is asked to end at the end. */
  readonly exitCode: number | string | undefined;
  /** What a correct bot never does. */
  readonly violations: readonly string[];
}

/** Plays a conversation to its end; throws at the first thing that is not as it says. */
export async function play(conversation: Conversation): Promise<Played> {
  await using stage = await createStage(conversation);
  const watch = createWatch(stage, conversation.patienceMs);
  await stage.startService();
  for (const [at, step] of conversation.steps.entries()) {
    try {
      if ("bot" in step) watch.expect(step);
      else await act(stage, watch, step, conversation.patienceMs);
    } catch (error) {
      throw new Error(`step ${at + 1}, ${JSON.stringify(step)}:\n${said(error)}`, { cause: error });
    }
  }
  await watch.settle();
  // What it still has to say comes now.
  const exitCode = await stage.service?.stop();
  watch.look();
  return { exitCode, violations: stage.bench.telegram.violations };
}

async function act(
  stage: Stage,
  watch: Watch,
  step: Exclude<Step, Expects>,
  patienceMs: number,
): Promise<void> {
  await watch.settle();
  if ("user" in step) return write(stage, step);
  if ("edit" in step) return edit(stage, step.edit, step.to);
  if ("happens" in step) return happen(stage, step.happens);
  if ("agentHears" in step) return hears(stage, step.agentHears, patienceMs);
  const shows = step.shows === undefined ? {} : { text: step.shows };
  watch.expect({ bot: "answerCallbackQuery", in: "private", buttons: [], ...shows });
  return press(stage, step.press, step.on, step.from);
}

async function hears({ bench, texts }: Stage, text: string, patienceMs: number) {
  const last = () => promptsIn(bench.stateDir).at(-1) ?? "";
  await until("the agent hears it", () => matches(text, last(), texts), patienceMs).catch(() => {
    throw new Error(`the agent heard ${JSON.stringify(last())}`);
  });
}

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
