import { max } from "./arithmetic.ts";
import type { AgentEvent, ContextSize } from "./vocabulary.ts";

/**
 * What is known of a running turn for the one message that shows it, and when
 * that message may change. Nothing here is durable: progress that is lost is
 * only not seen.
 */
export interface Progress {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Tool calls that began in it. */
  readonly tools: number;
  /** Those that run now, the newest last. */
  readonly running: readonly {
    readonly toolUseId: string;
    readonly name: string;
    readonly summary: string;
  }[];
  /** What the agent has last said, or is saying. */
  readonly text: string;
  readonly compacting: boolean;
  /** A person is asked. */
  readonly waiting: boolean;
  readonly context: ContextSize | null;
}

export function newProgress(startedAt: number, context: ContextSize | null): Progress {
  return {
    startedAt,
    tools: 0,
    running: [],
    text: "",
    compacting: false,
    waiting: false,
    context,
  };
}

/** Total: what says nothing about a turn changes nothing. */
export function followProgress(progress: Progress, event: AgentEvent): Progress {
  switch (event.type) {
    case "turn.toolStarted": {
      const { toolUseId, name, summary } = event;
      const running = [...progress.running, { toolUseId, name, summary }];
      return { ...progress, tools: progress.tools + 1, running };
    }
    case "turn.toolEnded": {
      const running = progress.running.filter((one) => one.toolUseId !== event.toolUseId);
      return { ...progress, running };
    }
    case "turn.text":
    case "turn.partial":
      return { ...progress, text: event.text };
    case "turn.compacting":
      return { ...progress, compacting: event.active };
    case "agent.context":
      return { ...progress, context: event.context };
    default:
      return progress;
  }
}

export interface Pacing {
  readonly now: number;
  readonly startedAt: number;
  /** A turn that is over sooner is not shown. */
  readonly firstAfterMs: number;
  /** Between two changes of the message. */
  readonly everyMs: number;
  /** When the message was last changed; null where there is none yet. */
  readonly shownAt: number | null;
  /** The chat takes nothing before this time; null where it takes everything. */
  readonly closedUntil: number | null;
}

/** How long the next change of the message must wait, in milliseconds; 0: it may go now. */
export function waitFor(pacing: Pacing): number {
  const { now, startedAt, firstAfterMs, everyMs, shownAt, closedUntil } = pacing;
  const due = shownAt === null ? startedAt + firstAfterMs : shownAt + everyMs;
  return max(0, due - now, (closedUntil ?? 0) - now);
}

export interface Changed {
  readonly message: boolean;
  readonly draft: boolean;
}

/** What is changed next where the text that grows has a draft of its own: in turn where both are to be. */
export function nextShown(changed: Changed, last: keyof Changed | null): keyof Changed | null {
  if (changed.message && changed.draft) return last === "draft" ? "message" : "draft";
  if (changed.draft) return "draft";
  return changed.message ? "message" : null;
}

export interface ShownDraft {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Telegram lets a draft lapse after 30 s: it is shown again in time, unchanged. */
const DRAFT_FRESH_MS = 20_000;

export function draftIsDue(shown: ShownDraft | null, text: string, now: number): boolean {
  if (text.trim() === "") return false;
  return shown === null || shown.text !== text || now - shown.at >= DRAFT_FRESH_MS;
}

/** In steps that grow with the time, so that the clock alone does not keep the message changing. */
export function elapsedSteps(ms: number): number {
  const seconds = ms / 1_000;
  const step = seconds < 60 ? 5 : seconds < 600 ? 15 : 60;
  return (seconds - (seconds % step)) * 1_000;
}
