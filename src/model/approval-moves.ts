import { both, spend, type Move } from "./move.ts";
import { send, withProcess, type Process, type SessionMachine, type World } from "./world.ts";

/**
 * The agent asks for permissions, several at a time, in its turn or from work in
 * the background, and goes on when it has its answers.
 */
export function approvalMoves(
  machine: SessionMachine,
  world: World,
  process: Process,
): readonly Move[] {
  const { asks, interrupted } = process;
  const moves: Move[] = [];
  if (world.budget.asks > 0 && !interrupted && mayAsk(world, process)) {
    moves.push(ask(machine, world, process));
  }
  const decided = asks.find((one) => one.decided);
  if (decided !== undefined) moves.push(goOn(machine, world, process, decided.requestId));
  const waiting = asks.find((one) => !one.decided && !one.background);
  if (interrupted && waiting !== undefined) {
    const event = {
      type: "approval.withdrawn",
      epoch: process.epoch,
      requestId: waiting.requestId,
    } as const;
    const without = settle(world, process, waiting.requestId);
    moves.push({
      name: "the agent withdraws its request",
      worlds: both(send(machine, without, event)),
    });
  }
  return moves;
}

function mayAsk({ snapshot }: World, { prompt }: Process): boolean {
  const inTurn = prompt?.written === true && prompt.stage === "accepted";
  return inTurn || (prompt === null && (snapshot?.context.background ?? 0) > 0);
}

function ask(machine: SessionMachine, world: World, process: Process): Move {
  const requestId = `r${process.epoch}-${world.budget.asks}`;
  const asking = withProcess(spend(world, "asks"), {
    ...process,
    asks: [...process.asks, { requestId, decided: false, background: process.prompt === null }],
  });
  const event = {
    type: "approval.requested",
    epoch: process.epoch,
    request: {
      requestId,
      toolUseId: `t-${requestId}`,
      kind: "tool",
      tool: "Bash",
      summary: "",
      detail: "",
      always: null,
      questions: [],
    },
  } as const;
  return { name: "the agent asks for a permission", worlds: both(send(machine, asking, event)) };
}

/** The tool ran, or its denial was told to the model. */
function goOn(machine: SessionMachine, world: World, process: Process, requestId: string): Move {
  const event = {
    type: "turn.toolEnded",
    epoch: process.epoch,
    toolUseId: `t-${requestId}`,
  } as const;
  const on = settle(world, process, requestId);
  return { name: "the agent goes on by the decision", worlds: both(send(machine, on, event)) };
}

function settle(world: World, process: Process, requestId: string): World {
  const asks = process.asks.filter((one) => one.requestId !== requestId);
  return withProcess(world, { ...process, asks });
}
