/** Those who wait for an item, past or coming. */
export interface Waiters<Item> {
  /** The first of `past` or of what is offered later; rejects at the time-out and on `close`. */
  wait(past: readonly Item[], predicate: (item: Item) => boolean, timeoutMs: number): Promise<Item>;
  offer(item: Item): void;
  close(): void;
}

interface Waiter<Item> {
  readonly predicate: (item: Item) => boolean;
  settle(outcome: { readonly item: Item } | { readonly error: Error }): void;
}

/** `describe` puts what did come into the time-out's message. */
export function createWaiters<Item>(what: string, describe: (item: Item) => string): Waiters<Item> {
  const waiting = new Set<Waiter<Item>>();

  function timeoutError(seen: readonly Item[], timeoutMs: number): Error {
    const last = seen.slice(-10).map((item) => `\n  ${describe(item).slice(0, 200)}`);
    const list = last.length === 0 ? " none came" : last.join("");
    return new Error(`no such ${what} within ${timeoutMs} ms; the last of ${seen.length}:${list}`);
  }

  return {
    wait(past, predicate, timeoutMs) {
      const found = past.find(predicate);
      if (found !== undefined) return Promise.resolve(found);
      const { promise, resolve, reject } = withResolvers<Item>();
      const timer = setTimeout(
        () => waiter.settle({ error: timeoutError(past, timeoutMs) }),
        timeoutMs,
      );
      const waiter: Waiter<Item> = {
        predicate,
        settle(outcome) {
          clearTimeout(timer);
          waiting.delete(waiter);
          if ("item" in outcome) resolve(outcome.item);
          else reject(outcome.error);
        },
      };
      waiting.add(waiter);
      return promise;
    },
    offer(item) {
      for (const waiter of waiting) {
        try {
          if (waiter.predicate(item)) waiter.settle({ item });
        } catch (error) {
          waiter.settle({ error: error instanceof Error ? error : new Error(String(error)) });
        }
      }
    },
    close() {
      for (const waiter of waiting) {
        waiter.settle({ error: new Error(`the fake was closed while a ${what} was waited for`) });
      }
    },
  };
}

/** `Promise.withResolvers` comes with Node 22. */
function withResolvers<Item>() {
  let resolve: (item: Item) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<Item>((onItem, onError) => {
    resolve = onItem;
    reject = onError;
  });
  // A test that has failed elsewhere no longer looks at it.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
