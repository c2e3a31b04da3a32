import type { Clock } from "../../ports.ts";

/** Tells a growing text at most twice a second, the latest of it. */
export interface Partials {
  grown(text: string): void;
  /** The text is whole or given up: what was not told will not be. */
  over(): void;
}

const TELL_MS = 500;

export function createPartials(options: {
  readonly clock: Clock;
  readonly emit: (text: string) => void;
}): Partials {
  const { clock, emit } = options;
  let toldAt = Number.NEGATIVE_INFINITY;
  let latest: string | null = null;
  let timer: unknown = null;

  const tell = (): void => {
    timer = null;
    if (latest === null) return;
    toldAt = clock.now();
    emit(latest);
    latest = null;
  };

  return {
    grown(text) {
      latest = text;
      if (timer !== null) return;
      const wait = toldAt + TELL_MS - clock.now();
      if (wait <= 0) tell();
      else timer = clock.setTimeout(tell, wait);
    },
    over() {
      latest = null;
      if (timer !== null) clock.clearTimeout(timer);
      timer = null;
    },
  };
}
