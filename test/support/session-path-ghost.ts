import { foldFacts } from "../../machines/fold.ts";
import { type Launch, type SessionFacts } from "../../machines/facts.ts";
import {
  checkLaunch,
  checkMessages,
  checkPlan,
  endsIn,
  type Ghost,
} from "../../machines/invariants.ts";
import type { Plan } from "../../machines/plan.ts";
import {
  isOfAgent,
  PROBED,
  type SessionPathEvent,
  type SessionSnapshot,
} from "./session-path-cases.ts";

/** What the store of one session holds, what really happened to it, and which rules were broken. */
export interface SessionStore {
  facts(): SessionFacts;
  /** One transaction; the rules on what is written are checked. */
  commit(written: Plan): void;
  /** An agent's process is started; the rules on launches are checked. */
  launched(launch: Launch | null): void;
  /** The world's part of an event, before the session hears of it. */
  happens(event: SessionPathEvent, before: SessionSnapshot): void;
  processAlive(): boolean;
  note(violations: readonly string[]): void;
  /** Violations of the invariants so far, and those that the messages show now. */
  violations(): readonly string[];
}

export function createSessionStore(start: SessionFacts): SessionStore {
  let facts = start;
  let ghost = initialGhost(start);
  const violations: string[] = [];
  return {
    facts: () => facts,
    processAlive: () => ghost.processAlive,
    note: (more) => violations.push(...more),
    violations: () => [...violations, ...checkMessages(ghost, facts)],
    commit(written) {
      violations.push(...checkPlan(ghost, facts, written));
      facts = foldFacts(facts, written.facts);
      ghost = afterCommit(ghost, facts, written);
    },
    launched(launch) {
      violations.push(...checkLaunch(ghost, facts));
      const { freshEpochs } = ghost;
      ghost = {
        ...ghost,
        processAlive: true,
        failedStart: null,
        freshEpochs: launch?.mode === "fresh" ? [...freshEpochs, launch.epoch] : freshEpochs,
      };
    },
    happens(event, before) {
      if (event.type === "message.received") {
        const { id, uuid, urgent = false } = event;
        const hurried = urgent ? [{ type: "message.hurried", id } as const] : [];
        facts = foldFacts(facts, [{ type: "message.received", id, uuid }, ...hurried]);
      }
      ghost = afterEvent(ghost, event, before);
    },
  };
}

function initialGhost(facts: SessionFacts): Ghost {
  const { launch, messages } = facts;
  return {
    processAlive: launch !== null && !launch.exited,
    transcripts: [],
    refused: [],
    overflowed: [],
    lost: [],
    cut: [],
    finished: [],
    freshEpochs: launch?.mode === "fresh" ? [launch.epoch] : [],
    runs: {},
    allowedRuns: {},
    received: messages.map((one) => one.id),
    ends: {},
    failedStart: null,
    passedOn: [],
  };
}

function afterCommit(ghost: Ghost, facts: SessionFacts, written: Plan): Ghost {
  const ends = { ...ghost.ends };
  for (const { id, how } of endsIn(written)) ends[id] = [...(ends[id] ?? []), how];
  const allowedRuns = { ...ghost.allowedRuns };
  const overflow = written.say.some(
    (one) =>
      one.kind === "notice" &&
      one.notice.code === "context-lost" &&
      one.notice.reason === "too-large",
  );
  const compacted = written.say.some(
    (one) => one.kind === "notice" && one.notice.code === "compacted",
  );
  for (const fact of written.facts) {
    if (fact.type !== "message.requeued") continue;
    if (overflow || compacted || written.commandsDone.length > 0) {
      allowedRuns[fact.id] = (allowedRuns[fact.id] ?? 1) + 1;
    }
  }
  const failed = written.facts.some((fact) => fact.type === "session.failed");
  const failedStart = failed ? (facts.launch?.mode ?? null) : ghost.failedStart;
  const told = written.facts.some((fact) => fact.type === "agentSession.incomplete");
  const cut = told ? [] : ghost.cut;
  return { ...ghost, ends, allowedRuns, failedStart, cut };
}

function afterEvent(ghost: Ghost, event: SessionPathEvent, before: SessionSnapshot): Ghost {
  const { facts } = before.context;
  if (event.type === "message.received") {
    return { ...ghost, received: [...ghost.received, event.id], failedStart: null };
  }
  if (event.type.startsWith("command.")) return { ...ghost, failedStart: null };
  if (event.type === PROBED && "output" in event) return afterProbe(ghost, event.output, facts);
  if (!isOfAgent(event) || event.epoch !== before.context.process) return ghost;
  const { turn } = before.context;
  switch (event.type) {
    case "agent.refused":
      return {
        ...ghost,
        processAlive: false,
        // A fork is refused for what it was to copy.
        refused: including(
          ghost.refused,
          facts.launch?.mode === "fork"
            ? facts.bound?.agentSessionId
            : facts.launch?.agentSessionId,
        ),
      };
    case "agent.exited":
    case "agent.unavailable":
      return { ...ghost, processAlive: false };
    case "agent.bound":
      return { ...ghost, transcripts: including(ghost.transcripts, event.agentSessionId) };
    case "agent.reset":
      return { ...ghost, freshEpochs: [...ghost.freshEpochs, event.epoch] };
    case "turn.accepted": {
      const id = turn?.messageId;
      if (id == null || turn?.uuid !== event.uuid) return ghost;
      return { ...ghost, runs: { ...ghost.runs, [id]: (ghost.runs[id] ?? 0) + 1 } };
    }
    case "turn.ended": {
      const messageId = turn?.messageId;
      if (messageId == null || !event.uuids.includes(turn?.uuid ?? "")) return ghost;
      if (event.outcome === "too-large") {
        // After a completed turn of the same launch the resume is not to blame.
        if (before.context.provedByTurn) return ghost;
        return { ...ghost, overflowed: including(ghost.overflowed, facts.bound?.agentSessionId) };
      }
      return event.outcome === "completed" ? finish(ghost, messageId, event.epoch) : ghost;
    }
    default:
      return ghost;
  }
}

type Output = Extract<SessionPathEvent, { type: typeof PROBED }>["output"];

/** The probe looks when nothing of earlier launches is left. */
function afterProbe(ghost: Ghost, probe: Output, facts: SessionFacts): Ghost {
  const { bound, launch, messages } = facts;
  const isLast = bound?.agentSessionId === launch?.agentSessionId;
  const state = isLast ? probe.last : probe.bound;
  const gone = { ...ghost, processAlive: false };
  const seen: Ghost = {
    ...gone,
    transcripts: including(
      including(gone.transcripts, state === "present" ? bound?.agentSessionId : null),
      probe.last === "present" ? launch?.agentSessionId : null,
    ).filter((id) => state !== "missing" || id !== bound?.agentSessionId),
    lost: including(gone.lost, state === "missing" ? bound?.agentSessionId : null),
    cut: including(gone.cut, probe.boundIncomplete ? bound?.agentSessionId : null),
  };
  const inFlight = messages.find((one) => one.state === "given" || one.state === "accepted");
  return probe.trace?.found === "finished" && inFlight !== undefined
    ? finish(seen, inFlight.id, inFlight.epoch)
    : seen;
}

function finish(ghost: Ghost, messageId: number, epoch: number): Ghost {
  return { ...ghost, finished: [...ghost.finished, { messageId, epoch }] };
}

function including(ids: readonly string[], id: string | null | undefined): readonly string[] {
  return id == null ? ids : [...ids, id];
}
