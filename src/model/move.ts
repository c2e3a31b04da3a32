import type { SessionEvent } from "../../machines/session-types.ts";
import type { TurnOutcome } from "../../machines/vocabulary.ts";
import {
  send,
  type Budget,
  type Process,
  type SessionMachine,
  type Trace,
  type World,
} from "./world.ts";

/** What the moves are made of. */

export interface Move {
  readonly name: string;
  readonly worlds: readonly World[];
}

type Result = ReturnType<typeof send>;

export const both = ({ after, crashes }: Result): readonly World[] => [after, ...crashes];

export function spend(world: World, what: keyof Budget): World {
  return { ...world, budget: { ...world.budget, [what]: world.budget[what] - 1 } };
}

export const exited = (epoch: number) =>
  ({ type: "agent.exited", epoch, at: 0, code: 1, signal: null, stderr: "" }) as const;

export function ended(
  machine: SessionMachine,
  world: World,
  process: Process,
  outcome: TurnOutcome,
): Move {
  const event: SessionEvent = {
    type: "turn.ended",
    epoch: process.epoch,
    uuids: [process.prompt?.uuid ?? ""],
    outcome,
    text: "answer",
    context: null,
    usage: null,
    selfReportedPercent: null,
  };
  return { name: `the turn ends: ${outcome}`, worlds: both(send(machine, world, event)) };
}

/** The prompt's row in the transcript. */
export function trace(world: World, process: Process, stage: Trace["stage"]): World {
  const { prompt, agentSessionId, epoch } = process;
  if (prompt === null) return world;
  const { uuid, messageId, tools } = prompt;
  const rows = world.transcripts[agentSessionId] ?? {};
  const transcripts = {
    ...world.transcripts,
    [agentSessionId]: { ...rows, [uuid]: { stage, tools } },
  };
  // Without a tool, only an answer is work that was done.
  const counted =
    stage === "finished" && !tools && rows[uuid]?.stage !== "finished"
      ? countRun(world, messageId)
      : world;
  const { ghost } = counted;
  return {
    ...counted,
    transcripts,
    ghost: {
      ...ghost,
      transcripts: Object.keys(transcripts),
      finished: stage === "finished" ? [...ghost.finished, { messageId, epoch }] : ghost.finished,
    },
  };
}

/** Something was done for a message that doing it again would repeat. */
export function countRun(world: World, messageId: number): World {
  const runs = { ...world.ghost.runs, [messageId]: (world.ghost.runs[messageId] ?? 0) + 1 };
  return { ...world, ghost: { ...world.ghost, runs } };
}
