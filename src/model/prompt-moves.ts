import { both, countRun, ended, spend, trace, type Move } from "./move.ts";
import { send, withProcess, type Process, type SessionMachine, type World } from "./world.ts";

/** What the agent can do with the prompt that it was given. */

export function promptMoves(
  machine: SessionMachine,
  world: World,
  process: Process,
): readonly Move[] {
  const { prompt } = process;
  if (prompt === null) return [];
  const { epoch, mode } = process;
  const idle = withProcess(world, { ...process, prompt: null });
  if (prompt.swallowed) return [ended(machine, idle, process, "swallowed")];
  if (prompt.stage === "given") return [accept(machine, world, process)];
  if (prompt.stage === "finished") return [ended(machine, idle, process, "completed")];
  const moves: Move[] = [];
  if (!prompt.written) {
    const flushed = { ...process, prompt: { ...prompt, written: true } };
    const written = trace(withProcess(world, flushed), flushed, "unfinished");
    const event = {
      type: "agent.bound",
      epoch,
      agentSessionId: process.agentSessionId,
      transcript: process.agentSessionId,
      model: null,
    } as const;
    return [
      { name: "the transcript is written", worlds: both(send(machine, written, event)) },
      ...(prompt.tools ? [] : [runTool(machine, world, process)]),
    ];
  }
  // It waits for a person, or for what a tool does that was decided on.
  if (process.asks.some((one) => !one.background)) return [];
  if (!process.interrupted) {
    const finished = trace(world, process, "finished");
    moves.push({
      name: "the agent writes its answer",
      worlds: [withProcess(finished, { ...process, prompt: { ...prompt, stage: "finished" } })],
    });
  } else {
    moves.push(ended(machine, idle, process, "interrupted"));
  }
  if (world.budget.failures > 0) {
    moves.push(ended(machine, spend(idle, "failures"), process, "failed"));
  }
  if (world.budget.overflows > 0) {
    const over = spend(idle, "overflows");
    const overflowed = [...over.ghost.overflowed, process.agentSessionId];
    const noted = { ...over, ghost: { ...over.ghost, overflowed } };
    const proved = over.ghost.finished.some((one) => one.epoch === epoch);
    moves.push(ended(machine, mode === "fresh" || proved ? over : noted, process, "too-large"));
  }
  if (world.budget.compactions > 0 && !prompt.tools && !process.interrupted) {
    moves.push(
      ...[true, false].map((ok) => compact(machine, spend(idle, "compactions"), process, ok)),
    );
  }
  if (!prompt.tools) moves.push(runTool(machine, world, process));
  return moves;
}

/** The prompt was a `/compact`: it is told how that went, and then ends without an answer. */
function compact(machine: SessionMachine, world: World, process: Process, ok: boolean): Move {
  const { epoch } = process;
  const event = { type: "turn.compacted", epoch, ok, manual: ok, detail: "" } as const;
  const told = send(machine, world, event).after;
  const { worlds } = ended(machine, told, process, "local");
  return { name: `the agent ${ok ? "compacts" : "cannot compact"} the conversation`, worlds };
}

function runTool(machine: SessionMachine, world: World, process: Process): Move {
  const { prompt, epoch } = process;
  if (prompt === null) return { name: "", worlds: [] };
  const busy = { ...process, prompt: { ...prompt, tools: true } };
  const began = withProcess(countRun(world, prompt.messageId), busy);
  const ran = prompt.written ? trace(began, busy, "unfinished") : began;
  const event = {
    type: "turn.toolStarted",
    epoch,
    toolUseId: "t",
    name: "Bash",
    summary: "",
  } as const;
  return { name: "the agent runs a tool", worlds: both(send(machine, ran, event)) };
}

function accept(machine: SessionMachine, world: World, process: Process): Move {
  const { prompt, epoch } = process;
  if (prompt === null) return { name: "", worlds: [] };
  const accepted = { ...process, prompt: { ...prompt, stage: "accepted" as const } };
  const event = { type: "turn.accepted", epoch, uuid: prompt.uuid } as const;
  const taken = withProcess(world, accepted);
  return { name: "the agent takes the prompt", worlds: both(send(machine, taken, event)) };
}
