import { planCommand, type SessionCommand, NO_WORK } from "../../machines/commands.ts";
import { foldFact, messageInFlight, mayHaveProcess } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import type { SessionEvent } from "../../machines/session-types.ts";
import type { PromptTrace, TurnOutcome } from "../../machines/vocabulary.ts";
import {
  send,
  wake,
  withProcess,
  write,
  type Budget,
  type Process,
  type SessionMachine,
  type Trace,
  type World,
} from "./world.ts";

/** Everything that can happen next in a world, each with its name and the worlds it leads to. */

export interface Move {
  readonly name: string;
  readonly worlds: readonly World[];
}

type Result = ReturnType<typeof send>;

const both = ({ after, crashes }: Result): readonly World[] => [after, ...crashes];

function spend(world: World, what: keyof Budget): World {
  return { ...world, budget: { ...world.budget, [what]: world.budget[what] - 1 } };
}

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

// ── The user ─────────────────────────────────────────────────────────────────

function userMoves(machine: SessionMachine, world: World): readonly Move[] {
  const moves: Move[] = [];
  const { budget } = world;
  if (budget.messages > 0) moves.push(receive(machine, world));
  const parked = world.stored.messages.some((one) => one.state === "parked");
  const commandId = 100 + world.stored.epoch;
  if (budget.news > 0) {
    moves.push(userCommand(machine, world, "news", { type: "command.new", commandId }));
  }
  if (budget.stops > 0) {
    moves.push(userCommand(machine, world, "stops", { type: "command.stop", commandId }));
  }
  if (budget.resumes > 0 && world.stored.archived.length > 0) {
    const agentSessionId = "";
    moves.push(
      userCommand(machine, world, "resumes", { type: "command.resume", commandId, agentSessionId }),
    );
  }
  if (budget.answers > 0 && parked) {
    const uuid = `retry-${budget.answers}`;
    const messageId = null;
    moves.push(
      userCommand(machine, world, "answers", { type: "command.retry", commandId, messageId, uuid }),
      userCommand(machine, world, "answers", { type: "command.skip", commandId, messageId }),
    );
  }
  return moves;
}

function receive(machine: SessionMachine, world: World): Move {
  const id = world.ghost.received.length + 1;
  const fact = { type: "message.received", id, uuid: `uuid-${id}` } as const;
  const stored: World = {
    ...spend(world, "messages"),
    stored: foldFact(world.stored, fact),
    ghost: { ...world.ghost, received: [...world.ghost.received, id], failedStart: null },
  };
  const result = stored.snapshot === null ? wake(machine, stored) : send(machine, stored, fact);
  return { name: `the user sends message ${id}`, worlds: both(result) };
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

// ── The probe before a launch ────────────────────────────────────────────────

function probeMoves(machine: SessionMachine, world: World): readonly Move[] {
  const { snapshot } = world;
  if (snapshot === null || !snapshot.matches({ normalizing: "probing" })) return [];
  return leftovers(world).map(({ name, settled }) => ({
    name: `the probe answers${name}`,
    worlds: both(
      send(machine, settled, {
        type: "xstate.done.actor.prepareLaunch",
        output: probe(settled),
      }),
    ),
  }));
}

/** What an agent that outlived the service has done by the time it is certainly gone. */
function leftovers(world: World): readonly { name: string; settled: World }[] {
  const { process } = world;
  if (process === null) return [{ name: "", settled: world }];
  const gone = withProcess(world, null);
  const { prompt } = process;
  if (prompt === null || prompt.swallowed || prompt.stage === "finished") {
    return [{ name: ", the old agent is gone", settled: gone }];
  }
  const cut = {
    name: ", the old agent was cut short",
    settled: trace(gone, process, "unfinished"),
  };
  const done = { name: ", the old agent had finished", settled: trace(gone, process, "finished") };
  // An agent that outlives the service writes its row within some 200 ms; only one that is
  // killed with the service leaves none, and before the API's first answer no tool has run.
  return prompt.written || prompt.tools
    ? [cut, done]
    : [{ name: ", the old agent left no trace", settled: gone }, cut, done];
}

function probe(world: World): Probe {
  const { stored } = world;
  const epoch = stored.epoch + 1;
  const present = (id: string | null | undefined) =>
    id != null && world.transcripts[id] !== undefined ? "present" : "missing";
  return {
    workspace: { ok: true, path: "/w" },
    fresh: { agentSessionId: `s${epoch}`, transcript: `s${epoch}` },
    bound: stored.bound === null ? null : present(stored.bound.agentSessionId),
    last: stored.launch === null ? null : present(stored.launch.agentSessionId),
    trace: traceOf(world),
    foreignPid: null,
  };
}

function traceOf(world: World): PromptTrace | null {
  const message = messageInFlight(world.stored);
  if (message === null || message.transcript === null) return null;
  const found = world.transcripts[message.transcript]?.[message.uuid];
  if (found === undefined) return { found: "absent" };
  return found.stage === "finished"
    ? { found: "finished", text: "answer", context: null }
    : { found: "unfinished", toolsRan: found.tools };
}

// ── Time ─────────────────────────────────────────────────────────────────────

function timeMoves(machine: SessionMachine, world: World): readonly Move[] {
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

// ── The agent process ────────────────────────────────────────────────────────

function processMoves(machine: SessionMachine, world: World): readonly Move[] {
  const { process } = world;
  if (process === null || process.orphan || world.snapshot === null) return [];
  if (process.ending) return endingMoves(machine, world, process);
  return process.phase === "starting"
    ? startMoves(machine, world, process)
    : [...promptMoves(machine, world, process), ...idleMoves(machine, world, process)];
}

const exited = (epoch: number) =>
  ({ type: "agent.exited", epoch, at: 0, code: 1, signal: null, stderr: "" }) as const;

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
        ghost: { ...ghost, refused: [...ghost.refused, process.agentSessionId] },
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

function promptMoves(machine: SessionMachine, world: World, process: Process): readonly Move[] {
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
  if (!prompt.tools) moves.push(runTool(machine, world, process));
  return moves;
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

function ended(
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
  const spent = spend(world, "background");
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

/** The prompt's row in the transcript. */
function trace(world: World, process: Process, stage: Trace["stage"]): World {
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
function countRun(world: World, messageId: number): World {
  const runs = { ...world.ghost.runs, [messageId]: (world.ghost.runs[messageId] ?? 0) + 1 };
  return { ...world, ghost: { ...world.ghost, runs } };
}

// ── Faults ───────────────────────────────────────────────────────────────────

function faultMoves(machine: SessionMachine, world: World): readonly Move[] {
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
  const bound = world.stored.bound?.agentSessionId;
  if (budget.losses > 0 && bound !== undefined && process === null) {
    const { [bound]: _lost, ...others } = world.transcripts;
    const { ghost } = world;
    const lost: World = {
      ...spend(world, "losses"),
      transcripts: others,
      ghost: { ...ghost, transcripts: Object.keys(others), lost: [...ghost.lost, bound] },
    };
    if (!mayHaveProcess(world.stored))
      moves.push({ name: "the transcript is lost", worlds: [lost] });
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
