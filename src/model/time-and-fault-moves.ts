import { mayHaveProcess } from "../../machines/facts.ts";
import { both, ended, exited, spend, type Move } from "./move.ts";
import { send, withProcess, type Process, type SessionMachine, type World } from "./world.ts";

/** The delays that can pass, and what goes wrong. A crash of the service is a world that every move leads to. */

export function timeMoves(machine: SessionMachine, world: World): readonly Move[] {
  const { snapshot } = world;
  if (snapshot === null) return [];
  const due = new Set(snapshot._nodes.flatMap((node) => node.after.map((one) => one.eventType)));
  return [...due].flatMap((type) => {
    const quiet = type.includes("quietLimit");
    if (quiet && world.budget.quiet === 0) return [];
    if (type.includes("startLimit") && world.process?.phase !== "starting") return [];
    const before = quiet ? spend(world, "quiet") : world;
    return [{ name: `time passes: ${type}`, worlds: both(send(machine, before, { type })) }];
  });
}

/** Deaths, late events, a shutdown and lost files. */
export function faultMoves(machine: SessionMachine, world: World): readonly Move[] {
  const { budget, process, snapshot } = world;
  const moves: Move[] = [];
  const live = process !== null && !process.orphan && snapshot !== null;
  if (live && budget.deaths > 0 && process.phase === "ready") {
    const dead = withProcess(spend(world, "deaths"), null);
    moves.push({
      name: "the agent dies",
      worlds: both(send(machine, dead, exited(process.epoch))),
    });
  }
  if (live && budget.stale > 0 && process.epoch > 1) moves.push(...stale(machine, world, process));
  if (snapshot !== null && budget.shutdowns > 0) {
    const event = { type: "shutdown" } as const;
    moves.push({
      name: "the service shuts down",
      worlds: both(send(machine, spend(world, "shutdowns"), event)),
    });
  }
  if (process === null && !mayHaveProcess(world.stored)) moves.push(...losses(world));
  return moves;
}

/** What happens to a transcript that nobody writes to. */
function losses(world: World): readonly Move[] {
  const { budget, ghost, stored, transcripts } = world;
  const id = stored.bound?.agentSessionId;
  if (id === undefined) return [];
  const moves: Move[] = [];
  if (budget.losses > 0) {
    const { [id]: _lost, ...others } = transcripts;
    const known = { ...ghost, transcripts: Object.keys(others), lost: [...ghost.lost, id] };
    const lost: World = { ...spend(world, "losses"), transcripts: others, ghost: known };
    moves.push({ name: "the transcript is lost", worlds: [lost] });
  }
  const { last } = stored.bound?.prompts ?? {};
  const rows = transcripts[id] ?? {};
  if (budget.cuts > 0 && last !== undefined && rows[last] !== undefined) {
    const { [last]: _gone, ...left } = rows;
    const known = { ...ghost, cut: [...ghost.cut, id] };
    const cut = {
      ...spend(world, "cuts"),
      transcripts: { ...transcripts, [id]: left },
      ghost: known,
    };
    moves.push({ name: "the transcript loses its last turn", worlds: [cut] });
  }
  return moves;
}

/** Late events of the launch before this one. */
function stale(machine: SessionMachine, world: World, process: Process): readonly Move[] {
  const epoch = process.epoch - 1;
  const spent = spend(world, "stale");
  const result = ended(machine, spent, { ...process, epoch }, "completed");
  const death = { name: "an old process dies", worlds: both(send(machine, spent, exited(epoch))) };
  return [{ ...result, name: "a stale result arrives" }, death];
}
