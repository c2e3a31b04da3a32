/** "Incoming updates are stored on the server … but they will not be kept longer than 24 hours" (getUpdates). */
const KEPT_MS = 86_400_000;
/** An offset further ahead than this is answered with all there is, and confirms nothing. */
const AHEAD = 10;

/** What a bot gets that never named `allowed_updates`: everything but these. */
const OFF_BY_DEFAULT = new Set(["chat_member", "message_reaction", "message_reaction_count"]);

/** The updates that the bot has not confirmed. */
export interface UpdateStore {
  /** Keeps `{ [kind]: content }` unless the bot does not want its kind; 0 then. */
  push(kind: string, content: object): number;
  /** Keeps whatever it is, with its own `update_id` if it has one. */
  pushRaw(update: Readonly<Record<string, unknown>>): number;
  /** Gives it once more, before the next new one, also where an offset has confirmed it. */
  repeat(updateId: number): void;
  /** Which kinds are kept from now on; none named stands for the default. */
  allow(kinds: ReadonlySet<string>): void;
  /** Counts an offset that was asked with, and judges it. */
  note(offset: number): void;
  /** Forgets what the offset confirms and gives what comes after. */
  take(offset: number, limit: number): object[];
  dropAll(): void;
  confirmedOffset(): number;
  pending(): number;
}

interface Entry {
  readonly updateId: number;
  readonly update: object;
  readonly at: number;
}

/** `added` is called after each update that is kept. */
export function createUpdateStore(
  now: () => number,
  violate: (what: string) => void,
  added: () => void,
): UpdateStore {
  let entries: Entry[] = [];
  const pushed = new Map<number, object>();
  const repeated: object[] = [];
  let nextId = 100_000_001;
  let confirmed = 0;
  let allowed: ReadonlySet<string> = new Set();

  const isTooFar = (offset: number): boolean => offset > nextId + AHEAD;
  const isKept = (entry: Entry): boolean => entry.at > now() - KEPT_MS;

  function add(updateId: number, update: object): number {
    entries.push({ updateId, update, at: now() });
    pushed.set(updateId, update);
    entries.sort((a, b) => a.updateId - b.updateId);
    nextId = Math.max(nextId, updateId + 1);
    added();
    return updateId;
  }

  return {
    push(kind, content) {
      const wanted = allowed.size === 0 ? !OFF_BY_DEFAULT.has(kind) : allowed.has(kind);
      return wanted ? add(nextId, { update_id: nextId, [kind]: content }) : 0;
    },
    pushRaw(update) {
      const own = update["update_id"];
      const updateId = typeof own === "number" ? own : nextId;
      return add(updateId, { ...update, update_id: own ?? updateId });
    },
    repeat(updateId) {
      const update = pushed.get(updateId);
      if (update === undefined) throw new Error(`no update had the id ${updateId}`);
      repeated.push(update);
    },
    allow: (kinds) => void (allowed = kinds),
    note(offset) {
      const call = `getUpdates with offset ${offset}`;
      if (offset < 0) {
        violate(`${call}: it throws updates away`);
        entries = entries.slice(offset);
      } else if (isTooFar(offset)) {
        violate(`${call}: no update has reached ${nextId}`);
      } else if (offset > 0 && offset < confirmed) {
        violate(`${call} after ${confirmed}: the offset goes backwards`);
      }
      if (!isTooFar(offset)) confirmed = Math.max(confirmed, offset);
    },
    take(offset, limit) {
      entries = entries.filter(isKept);
      if (!isTooFar(offset)) entries = entries.filter((entry) => entry.updateId >= offset);
      const given = entries.slice(0, limit).map((entry) => entry.update);
      return given.length === 0 ? given : [...repeated.splice(0), ...given];
    },
    dropAll: () => void (entries = []),
    confirmedOffset: () => confirmed,
    pending: () => entries.filter(isKept).length,
  };
}
