import type { Clock } from "../../ports.ts";
import { transcriptBytes } from "./transcript.ts";

export interface Activity {
  /** A sign of life. */
  sign(): void;
  /** Looks at the transcript from now on while something is in flight. */
  watch(): void;
  stop(): void;
}

const TELL_MS = 1_000;
/** A subagent may work for minutes without a line: only its transcript grows. */
const LOOK_MS = 5_000;

/** Tells at most once a second that the agent shows signs of life. */
export function createActivity(options: {
  readonly clock: Clock;
  /** The transcript to look at; null while nothing is in flight. */
  readonly transcript: () => string | null;
  readonly onActive: () => void;
}): Activity {
  const { clock } = options;
  let toldAt = Number.NEGATIVE_INFINITY;
  let timer: unknown = null;
  let watching = false;
  let stopped = false;
  let bytes = 0;

  function sign(): void {
    if (stopped || clock.now() - toldAt < TELL_MS) return;
    toldAt = clock.now();
    options.onActive();
  }

  async function look(): Promise<void> {
    const path = options.transcript();
    if (stopped || path === null) {
      watching = false;
      return;
    }
    const now = await transcriptBytes(path);
    if (bytes > 0 && now > bytes) sign();
    bytes = now;
    if (!stopped) timer = clock.setTimeout(() => void look(), LOOK_MS);
  }

  return {
    sign,
    watch() {
      if (watching || stopped) return;
      watching = true;
      void look();
    },
    stop() {
      stopped = true;
      clock.clearTimeout(timer);
    },
  };
}
