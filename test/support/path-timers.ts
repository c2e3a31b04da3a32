import { SimulatedClock } from "xstate";

/** Simulated time that knows what is due next, so that a test sees when a delay fires. */
export interface PathTimers {
  /** For `createActor(…, { clock })`. */
  readonly clock: Pick<SimulatedClock, "setTimeout" | "clearTimeout">;
  /** Milliseconds until the next timer fires; null when none runs. */
  next(): number | null;
  pass(ms: number): void;
}

export function createPathTimers(): PathTimers {
  const simulated = new SimulatedClock();
  const due = new Map<number, number>();
  return {
    clock: {
      setTimeout(fn, timeout) {
        const id: number = simulated.setTimeout(() => {
          due.delete(id);
          fn();
        }, timeout);
        due.set(id, simulated.now() + timeout);
        return id;
      },
      clearTimeout(id) {
        due.delete(id);
        simulated.clearTimeout(id);
      },
    },
    next: () => (due.size === 0 ? null : Math.min(...due.values()) - simulated.now()),
    pass: (ms) => simulated.increment(ms),
  };
}
