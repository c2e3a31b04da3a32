export interface BoundedMemory<Value> {
  /** The value that came first with this key; the one given, if it is the first. */
  first(key: string, value: Value): Value;
}

/** Remembers the last `max` keys: what strangers send must not grow the memory without end. */
export function boundedMemory<Value>(max: number): BoundedMemory<Value> {
  const known = new Map<string, Value>();
  return {
    first(key, value) {
      const found = known.get(key);
      if (found !== undefined) return found;
      known.set(key, value);
      for (const oldest of known.keys()) {
        if (known.size <= max) break;
        known.delete(oldest);
      }
      return value;
    },
  };
}
