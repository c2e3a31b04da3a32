import { contextIndicator, contextPercent } from "../machines/context-usage.ts";
import { elapsedSteps, type Progress } from "../machines/progress.ts";
import { endOf, excerpt } from "./excerpt.ts";
import { code } from "./words.ts";

/** How much of a turn is shown: `0` nothing, `1` what is being done, `2` with the text so far. */
export type Verbosity = "0" | "1" | "2";

const SUMMARY_MAX = 80;
/** The end of a growing text is what is new in it. */
const TEXT_MAX = 700;

/** The message that shows a running turn. Markdown. */
export function progressWords(progress: Progress, level: Verbosity, now: number): string {
  // Nobody waits for the clock while the agent waits for them.
  const steps = progress.waiting ? 0 : elapsedSteps(now - progress.startedAt);
  const indicator = contextIndicator(contextPercent(progress.context));
  const line = [doing(progress), ...(steps > 0 ? [duration(steps)] : [])].join(" · ");
  const head = indicator === null ? line : `${line} · ${indicator}`;
  const said = level === "2" ? endOf(progress.text, TEXT_MAX) : "";
  return said === "" ? head : `${head}\n\n${said}`;
}

/** What is left of it when the turn is over, done or not. */
export function progressOver(progress: Progress, isDone: boolean, now: number): string {
  const { tools, startedAt } = progress;
  const used = tools === 0 ? "" : ` · ${tools === 1 ? "1 tool" : `${tools} tools`}`;
  return `${isDone ? "✓" : "⏹"} ${duration(now - startedAt)}${used}`;
}

/** Of a turn whose service went away. */
export const PROGRESS_LEFT = "⏹ holdfast was restarted during this turn.";

function doing({ running, compacting, waiting, text }: Progress): string {
  if (waiting) return "⏸ Waiting for your decision";
  if (compacting) return "🗜 Compacting the conversation";
  const tool = running.at(-1);
  if (tool === undefined) return text === "" ? "💭 Thinking" : "✍️ Writing";
  const more = running.length > 1 ? ` +${running.length - 1}` : "";
  const what = tool.summary === "" ? "" : ` ${code(excerpt(tool.summary, SUMMARY_MAX))}`;
  return `⚙️ **${tool.name}**${what}${more}`;
}

/** `8 s`, `2 min 5 s`, `1 h 3 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60;
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
