import { processMoves } from "./agent-moves.ts";
import { both, type Move } from "./move.ts";
import { probeMoves } from "./probe-moves.ts";
import { faultMoves, timeMoves } from "./time-and-fault-moves.ts";
import { userMoves } from "./user-moves.ts";
import { wake, type SessionMachine, type World } from "./world.ts";

/** Everything that can happen next in a world, each with its name and the worlds it leads to. */
export function movesOf(machine: SessionMachine, world: World): readonly Move[] {
  if (world.down) return [boot(machine, world)];
  return [
    ...userMoves(machine, world),
    ...probeMoves(machine, world),
    ...timeMoves(machine, world),
    ...processMoves(machine, world),
    ...faultMoves(machine, world),
  ];
}

function boot(machine: SessionMachine, world: World): Move {
  return { name: "the service boots", worlds: both(wake(machine, { ...world, down: false })) };
}
