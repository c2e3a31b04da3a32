import { NO_WORK, planCommand, type SessionCommand } from "../../machines/commands.ts";
import { foldFacts } from "../../machines/fold.ts";
import { both, spend, type Move } from "./move.ts";
import {
  FOREIGN_SESSION,
  send,
  wake,
  write,
  type Budget,
  type SessionMachine,
  type World,
} from "./world.ts";

/** What the user can do. */

const FOREIGN = {
  agentSessionId: FOREIGN_SESSION,
  transcript: FOREIGN_SESSION,
  model: null,
  completedTurns: 1,
  workspace: "/w",
};

export function userMoves(machine: SessionMachine, world: World): readonly Move[] {
  const moves: Move[] = [];
  const { budget } = world;
  if (budget.messages > 0) moves.push(receive(machine, spend(world, "messages"), false));
  if (budget.urgents > 0) moves.push(receive(machine, spend(world, "urgents"), true));
  const parked = world.stored.messages.some((one) => one.state === "parked");
  const commandId = 100 + world.stored.epoch;
  if (budget.news > 0) {
    moves.push(userCommand(machine, world, "news", { type: "command.new", commandId }));
  }
  if (budget.stops > 0) {
    moves.push(userCommand(machine, world, "stops", { type: "command.stop", commandId }));
  }
  const queued = world.stored.messages.find((one) => one.state === "received");
  if (budget.stops > 0 && queued !== undefined) {
    const about = { type: "command.stop", commandId, messageId: queued.id } as const;
    const move = userCommand(machine, world, "stops", about);
    moves.push({ ...move, name: `${move.name} about what waits` });
  }
  const archived = world.stored.archived.at(-1);
  if (budget.resumes > 0 && archived !== undefined) {
    const { agentSessionId } = archived;
    moves.push(
      userCommand(machine, world, "resumes", { type: "command.resume", commandId, agentSessionId }),
    );
  }
  if (budget.takes > 0) {
    const session = { ...FOREIGN, agentKind: world.stored.agentKind };
    for (const how of ["resume", "fork"] as const) {
      const command = { type: "command.take", commandId, how, session } as const;
      const move = userCommand(machine, world, "takes", command);
      moves.push({ ...move, name: `${move.name} to ${how}` });
    }
  }
  if (budget.answers > 0 && parked) {
    const uuid = `retry-${budget.answers}`;
    const messageId = null;
    moves.push(
      userCommand(machine, world, "answers", { type: "command.retry", commandId, messageId, uuid }),
      userCommand(machine, world, "answers", { type: "command.skip", commandId, messageId }),
    );
  }
  if (budget.decisions > 0) moves.push(...decide(machine, world, commandId));
  return moves;
}

/** Also about what is settled already, and about what was never asked. */
function decide(machine: SessionMachine, world: World, commandId: number): readonly Move[] {
  const asked = world.stored.approvals.map((one) => one.request.requestId);
  return [...asked, "gone"].map((requestId, at) => {
    const decision =
      at % 2 === 0
        ? ({ allow: true, always: false, answers: {} } as const)
        : ({ allow: false, reason: "" } as const);
    const command = { type: "command.decide", commandId, requestId, decision } as const;
    const move = userCommand(machine, world, "decisions", command);
    return { ...move, name: `${move.name} about ${requestId}` };
  });
}

function receive(machine: SessionMachine, world: World, urgent: boolean): Move {
  const id = world.ghost.received.length + 1;
  const fact = { type: "message.received", id, uuid: `uuid-${id}` } as const;
  const hurried = urgent ? [{ type: "message.hurried", id } as const] : [];
  const stored: World = {
    ...world,
    stored: foldFacts(world.stored, [fact, ...hurried]),
    ghost: { ...world.ghost, received: [...world.ghost.received, id], failedStart: null },
  };
  const result =
    stored.snapshot === null ? wake(machine, stored) : send(machine, stored, { ...fact, urgent });
  return { name: `the user sends message ${id}${urgent ? ", urgent" : ""}`, worlds: both(result) };
}

function userCommand(
  machine: SessionMachine,
  world: World,
  what: keyof Budget,
  command: SessionCommand,
): Move {
  const spent = spend(world, what);
  const asked: World = { ...spent, ghost: { ...spent.ghost, failedStart: null } };
  const name = `the user sends ${command.type}`;
  if (asked.snapshot !== null) return { name, worlds: both(send(machine, asked, command)) };
  const written = write(asked, planCommand(asked.stored, command, NO_WORK));
  return { name, worlds: both(wake(machine, written)) };
}
