import { movesOf } from "./moves.ts";
import { initialWorld, keyOf, type Budget, type SessionMachine, type World } from "./world.ts";

/** What an exploration found. */
export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly milliseconds: number;
  /** Values of the machine's states that were reached, e.g. `running.working`. */
  readonly values: ReadonlySet<string>;
  /** Null when every rule holds everywhere. */
  readonly violation: Violation | null;
  /** The bound on states was hit: nothing is proved. */
  readonly truncated: boolean;
}

export interface Violation {
  readonly rules: readonly string[];
  /** Names of the moves from the beginning, the shortest such way. */
  readonly trace: readonly string[];
}

interface Visit {
  readonly world: World;
  readonly parent: number;
  readonly move: string;
  readonly depth: number;
}

export interface ExploreOptions {
  readonly budget: Budget;
  readonly maxStates: number;
  now(): number;
}

/** Breadth first over everything reachable; stops at the first broken rule. */
export function explore(machine: SessionMachine, options: ExploreOptions): Exploration {
  const began = options.now();
  const start = initialWorld(options.budget);
  const visits: (Visit | Omit<Visit, "world">)[] = [
    { world: start, parent: -1, move: "", depth: 0 },
  ];
  const index = new Map<string, number>([[keyOf(start), 0]]);
  const edges: number[][] = [];
  const settled: boolean[] = [];
  const values = new Set<string>();
  let transitions = 0;
  let depth = 0;
  const report = (violation: Violation | null, truncated = false): Exploration => ({
    states: index.size,
    transitions,
    depth,
    milliseconds: options.now() - began,
    values,
    violation,
    truncated,
  });

  for (let at = 0; at < visits.length; at += 1) {
    const visit = visits[at] as Visit;
    depth = visit.depth;
    const { world } = visit;
    addValue(values, world);
    settled[at] = isSettled(world);
    const out: number[] = [];
    for (const { name, worlds } of movesOf(machine, world)) {
      for (const [nth, next] of worlds.entries()) {
        transitions += 1;
        const move = nth === 0 ? name : `${name}; the service crashes`;
        const key = keyOf(next);
        let to = index.get(key);
        if (to === undefined) {
          to = visits.length;
          index.set(key, to);
          visits.push({ world: next, parent: at, move, depth: visit.depth + 1 });
        }
        out.push(to);
        if (next.violations.length > 0) {
          return report({ rules: next.violations, trace: [...traceTo(visits, at), move] });
        }
      }
    }
    edges[at] = out;
    // The frontier holds worlds; what is behind it keeps only its way back.
    visits[at] = { parent: visit.parent, move: visit.move, depth: visit.depth };
    if (index.size > options.maxStates) return report(null, true);
  }
  const stuck = findStuck(edges, settled);
  if (stuck !== null) {
    const rules = ["6: a message can never end from here (deadlock)"];
    return report({ rules, trace: traceTo(visits, stuck) });
  }
  return report(null);
}

/** Nothing is owed to the user: no message waits, or it waits for the user in plain sight. */
function isSettled(world: World): boolean {
  const waiting = world.stored.messages.some((one) => one.state !== "parked");
  return !waiting || world.stored.failure !== null;
}

/** A state from which no settled one can be reached. */
function findStuck(edges: readonly number[][], settled: readonly boolean[]): number | null {
  const back: number[][] = edges.map(() => []);
  for (const [from, out] of edges.entries()) for (const to of out) back[to]?.push(from);
  const good = [...settled];
  const work = settled.flatMap((is, at) => (is ? [at] : []));
  for (let at = work.pop(); at !== undefined; at = work.pop()) {
    for (const from of back[at] ?? []) {
      if (good[from] === true) continue;
      good[from] = true;
      work.push(from);
    }
  }
  const at = good.indexOf(false);
  return at === -1 ? null : at;
}

function traceTo(visits: readonly Omit<Visit, "world">[], at: number): readonly string[] {
  const moves: string[] = [];
  for (let one = visits[at]; one !== undefined && one.parent >= 0; one = visits[one.parent]) {
    moves.unshift(one.move);
  }
  return moves;
}

function addValue(values: Set<string>, world: World): void {
  if (world.snapshot === null) return;
  for (const node of world.snapshot._nodes) {
    if (node.path.length > 0 && Object.keys(node.states).length === 0)
      values.add(node.path.join("."));
  }
}
