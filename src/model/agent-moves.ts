import { approvalMoves } from "./approval-moves.ts";
import { both, exited, spend, trace, type Move } from "./move.ts";
import { promptMoves } from "./prompt-moves.ts";
import { send, withProcess, type Process, type SessionMachine, type World } from "./world.ts";

/** What the agent process can do. */

export function processMoves(machine: SessionMachine, world: World): readonly Move[] {
  const { process } = world;
  if (process === null || process.orphan || world.snapshot === null) return [];
  if (process.ending) return endingMoves(machine, world, process);
  return process.phase === "starting"
    ? startMoves(machine, world, process)
    : [
        ...promptMoves(machine, world, process),
        ...approvalMoves(machine, world, process),
        ...clearingMoves(machine, world, process),
        ...idleMoves(machine, world, process),
      ];
}

function clearingMoves(machine: SessionMachine, world: World, { epoch }: Process): readonly Move[] {
  if (world.budget.clearings === 0) return [];
  const asked = send(machine, spend(world, "clearings"), { type: "context.asked", epoch });
  return [{ name: "the agent asks for a cleared context", worlds: both(asked) }];
}

function endingMoves(machine: SessionMachine, world: World, process: Process): readonly Move[] {
  const gone = withProcess(world, null);
  const moves = [
    { name: "the agent ends", worlds: both(send(machine, gone, exited(process.epoch))) },
  ];
  if (
    process.prompt?.written === true &&
    !process.prompt.swallowed &&
    process.prompt.stage === "accepted"
  ) {
    const finished = trace(gone, process, "finished");
    moves.push({
      name: "the agent finishes and ends",
      worlds: both(send(machine, finished, exited(process.epoch))),
    });
  }
  return moves;
}

function startMoves(machine: SessionMachine, world: World, process: Process): readonly Move[] {
  const { epoch } = process;
  const ready = withProcess(world, { ...process, phase: "ready" });
  const moves: Move[] = [
    {
      name: "the agent is ready",
      worlds: both(send(machine, ready, { type: "agent.ready", epoch, model: null })),
    },
  ];
  if (process.mode !== "fresh" && world.budget.refusals > 0) {
    const { ghost } = spend(world, "refusals");
    const refused = withProcess(
      {
        ...spend(world, "refusals"),
        ghost: { ...ghost, refused: [...ghost.refused, resumedBy(process, world)] },
      },
      null,
    );
    const event = { type: "agent.refused", epoch, detail: "", stderr: "" } as const;
    moves.push({ name: "the agent refuses", worlds: both(send(machine, refused, event)) });
  }
  if (world.budget.unavailable > 0) {
    const failed = withProcess(spend(world, "unavailable"), null);
    const event = {
      type: "agent.unavailable",
      epoch,
      reason: "start-failed",
      detail: "",
      stderr: "",
    } as const;
    moves.push({ name: "the agent cannot start", worlds: both(send(machine, failed, event)) });
  }
  return moves;
}

/** The session that a start was to go on with. */
function resumedBy(process: Process, { stored }: World): string {
  return process.mode === "fork" ? (stored.bound?.agentSessionId ?? "") : process.agentSessionId;
}

function idleMoves(machine: SessionMachine, world: World, process: Process): readonly Move[] {
  if (process.prompt !== null) return [];
  const { epoch } = process;
  if (process.agentTurn) {
    const over = withProcess(world, { ...process, agentTurn: false });
    const event = {
      type: "turn.ended",
      epoch,
      uuids: [],
      outcome: "completed",
      text: "done",
      context: null,
      usage: null,
      selfReportedPercent: null,
    } as const;
    return [{ name: "the agent's own turn ends", worlds: both(send(machine, over, event)) }];
  }
  return [...backgroundMoves(machine, world, process), ...ownTurnMoves(machine, world, process)];
}

function backgroundMoves(machine: SessionMachine, world: World, process: Process) {
  if (world.budget.background === 0) return [];
  const count = world.snapshot?.context.background === 0 ? 1 : 0;
  const event = { type: "agent.background", epoch: process.epoch, count } as const;
  // A task takes its questions with it.
  const asks = count === 0 ? process.asks.filter((one) => !one.background) : process.asks;
  const spent = withProcess(spend(world, "background"), { ...process, asks });
  return [
    { name: `the agent has ${count} background tasks`, worlds: both(send(machine, spent, event)) },
  ];
}

function ownTurnMoves(machine: SessionMachine, world: World, process: Process): readonly Move[] {
  const { epoch } = process;
  if (world.budget.agentTurns === 0) return [];
  const begun = withProcess(spend(world, "agentTurns"), { ...process, agentTurn: true });
  const event = { type: "turn.began", epoch, cause: "task" } as const;
  return [{ name: "the agent starts a turn", worlds: both(send(machine, begun, event)) }];
}
