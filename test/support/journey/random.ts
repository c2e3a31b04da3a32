/** Chance that a seed repeats. */
export interface Random {
  /** 0 to `limit` - 1. */
  below(limit: number): number;
  /** In [0, 1). */
  next(): number;
  shuffled<Item>(items: readonly Item[]): Item[];
}

/** mulberry32: small, and good enough to choose faults. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    next,
    shuffled(items) {
      const list = [...items];
      for (let at = list.length - 1; at > 0; at -= 1) {
        const other = below(at + 1);
        [list[at], list[other]] = [
          list[other] as (typeof list)[number],
          list[at] as (typeof list)[number],
        ];
      }
      return list;
    },
  };
}
