import { contextIndicator, contextPercent } from "../../machines/context-usage.ts";
import { elapsedSteps, type Progress } from "../../machines/progress.ts";
import { endOf, excerpt } from "../excerpt.ts";
import { code } from "./code.ts";
import { wording, type Wording } from "./wording.ts";
import type { Words } from "./words.ts";

/** How much of a turn is shown: `0` nothing, `1` what is being done, `2` with the text so far. */
export type Verbosity = "0" | "1" | "2";

const SUMMARY_MAX = 80;
/** The end of a growing text is what is new in it. */
const TEXT_MAX = 700;

type ProgressAndUnits = Pick<Words, "progress" | "units">;

/** The message that shows a running turn. Markdown. */
export function progressView(
  words: ProgressAndUnits,
  progress: Progress,
  level: Verbosity,
  now: number,
): Wording {
  // Nobody waits for the clock while the agent waits for them.
  const steps = progress.waiting ? 0 : elapsedSteps(now - progress.startedAt);
  const indicator = contextIndicator(contextPercent(progress.context));
  const elapsed = steps > 0 ? [words.units.duration(steps)] : [];
  const line = [doing(words, progress), ...elapsed].join(" · ");
  const head = indicator === null ? line : `${line} · ${indicator}`;
  const said = level === "2" ? endOf(progress.text, TEXT_MAX) : "";
  return wording(said === "" ? head : `${head}\n\n${said}`);
}

/** What is left of it when the turn is over, done or not. */
export function progressOver(
  words: ProgressAndUnits,
  progress: Progress,
  isDone: boolean,
  now: number,
): Wording {
  const { tools, startedAt } = progress;
  return words.progress.over(isDone, words.units.duration(now - startedAt), tools);
}

function doing(words: ProgressAndUnits, { running, compacting, waiting, text }: Progress): string {
  if (waiting) return words.progress.waiting;
  if (compacting) return words.progress.compacting;
  const tool = running.at(-1);
  if (tool === undefined) return text === "" ? words.progress.thinking : words.progress.writing;
  const more = running.length > 1 ? ` +${running.length - 1}` : "";
  const what = tool.summary === "" ? "" : ` ${code(excerpt(tool.summary, SUMMARY_MAX))}`;
  return `⚙️ **${tool.name}**${what}${more}`;
}
