import { checkApprovals } from "./approval-invariants.ts";
import type { LaunchMode, SessionFact, SessionFacts } from "./facts.ts";
import type { Plan } from "./plan.ts";

/**
 * The rules as predicates. They compare what a session writes and does with
 * what really happened, which a checker or a test knows and the session does
 * not. Each returns the violations it sees, in words.
 */

/** What really happened, as the environment knows it. */
export interface Ghost {
  /** A process of the session lives. */
  readonly processAlive: boolean;
  /** Agent session ids whose transcript exists. */
  readonly transcripts: readonly string[];
  /** Agent session ids that an agent refused, or that turned out too large, or whose transcript was lost. */
  readonly refused: readonly string[];
  readonly overflowed: readonly string[];
  readonly lost: readonly string[];
  /** Agent session ids whose transcript lost answered turns that nobody was told of. */
  readonly cut: readonly string[];
  /** Prompts that an agent finished: message and launch. */
  readonly finished: readonly { readonly messageId: number; readonly epoch: number }[];
  readonly freshEpochs: readonly number[];
  /** How often an agent began to work on a message. */
  readonly runs: Readonly<Record<number, number>>;
  /** How often it may: once, and once more for each `/retry` and each replay of an overflow that ran no tool. */
  readonly allowedRuns: Readonly<Record<number, number>>;
  /** Messages ever received. */
  readonly received: readonly number[];
  /** How each message ended, in order. */
  readonly ends: Readonly<Record<number, readonly string[]>>;
  /** Requests whose decision was passed on to the agent. */
  readonly passedOn: readonly string[];
  /** The last launch that failed before it was ready, until the user does something. */
  readonly failedStart: LaunchMode | null;
}

const ENDS = new Set(["message.answered", "message.failed", "message.cancelled"]);
const GIVEN_UP_BY_FAULT = new Set(["resume-refused", "too-large", "transcript-missing"]);

/** Invariants 2, 3, 4, 6, 7, 8 and 9 on what is written. */
export function checkPlan(ghost: Ghost, before: SessionFacts, written: Plan): readonly string[] {
  const broken: string[] = [...checkTold(written), ...checkApprovals(before, written)];
  let fresh = before.fresh;
  for (const fact of written.facts) {
    switch (fact.type) {
      case "fresh.intended":
        fresh = { epoch: fact.epoch, reason: fact.reason };
        break;
      case "launch.intended":
        if (fresh !== null && fact.mode !== "fresh") {
          broken.push(
            `2: launch ${fact.epoch} is a ${fact.mode} while the fresh intent is pending`,
          );
        }
        broken.push(...checkCut(ghost, fact, written));
        if (fact.mode === "continue" && before.everBound) {
          broken.push(`4: launch ${fact.epoch} continues although a session was bound`);
        }
        if (
          fact.mode === "fork" &&
          (before.bound?.borrowed !== true ||
            !ghost.transcripts.includes(before.bound.agentSessionId))
        ) {
          broken.push(`4: launch ${fact.epoch} copies a session that is not another chat's`);
        }
        if (fact.mode === "resume" && before.bound?.borrowed === true) {
          broken.push(`5: launch ${fact.epoch} writes to a session that another chat holds`);
        }
        if (fact.mode === "resume" && !ghost.transcripts.includes(fact.agentSessionId ?? "")) {
          broken.push(`4: launch ${fact.epoch} resumes a session without a transcript`);
        }
        break;
      case "message.given":
        if (fresh !== null && fresh.epoch > fact.epoch) {
          broken.push(`2: message ${fact.id} is given to a context that is to be cleared`);
        }
        break;
      case "fresh.settled":
        if (!isSettledByTruth(ghost, fresh?.epoch ?? 0)) {
          broken.push("3: the fresh intent is settled without a completed turn of a fresh launch");
        }
        fresh = null;
        break;
      case "message.answered":
        if (!ghost.finished.some((one) => one.messageId === fact.id) && !isLocal(written)) {
          broken.push(`6: message ${fact.id} is answered although no agent finished it`);
        }
        break;
      case "message.parked":
        if (
          fact.reason === "too-large" &&
          ghost.overflowed.includes(before.bound?.agentSessionId ?? "")
        ) {
          broken.push("8: a session that is too large to resume is kept");
        }
        break;
      case "agentSession.archived":
        broken.push(...checkArchived(ghost, before, fact.agentSessionId, fact.reason, written));
        break;
      default:
        break;
    }
  }
  return broken;
}

/** Invariant 7 where a conversation is gone on with that is not whole any more. */
function checkCut(
  ghost: Ghost,
  launch: Extract<SessionFact, { type: "launch.intended" }>,
  written: Plan,
): readonly string[] {
  const isCut = launch.mode === "resume" && ghost.cut.includes(launch.agentSessionId ?? "");
  const told = written.say.filter(
    (one) => one.kind === "notice" && one.notice.code === "partly-kept",
  ).length;
  return told === (isCut ? 1 : 0)
    ? []
    : [`7: ${told} notices at launch ${launch.epoch} for turns that its transcript has lost`];
}

const MUST_BE_TOLD = new Set(["message.parked", "message.failed", "session.failed"]);

/** Invariant 7: what goes wrong together is told together, and a command has one answer. */
function checkTold(written: Plan): readonly string[] {
  const wrong = written.facts.filter((fact) => MUST_BE_TOLD.has(fact.type));
  if (wrong.length + written.commandsDone.length === 0) return [];
  // A question that changes to what was said about it is an answer, too.
  const answers = wrong.length === 0 ? ["notice", "approval"] : ["notice"];
  const told = written.say.filter((say) => answers.includes(say.kind)).length;
  if (told === 1) return [];
  const what = [...wrong.map((fact) => fact.type), ...written.commandsDone.map(() => "a command")];
  return [`7: ${told} notices for ${what.join(" and ")}`];
}

function isLocal(written: Plan): boolean {
  return !written.facts.some((fact) => fact.type === "turn.completed");
}

function isSettledByTruth(ghost: Ghost, intent: number): boolean {
  return ghost.finished.some((one) => one.epoch >= intent && ghost.freshEpochs.includes(one.epoch));
}

function checkArchived(
  ghost: Ghost,
  before: SessionFacts,
  id: string,
  reason: string,
  written: Plan,
): readonly string[] {
  const broken: string[] = [];
  const known =
    (reason === "resume-refused" && ghost.refused.includes(id)) ||
    (reason === "too-large" && ghost.overflowed.includes(id)) ||
    (reason === "transcript-missing" && ghost.lost.includes(id)) ||
    (reason === "superseded" && (before.fresh !== null || written.commandsDone.length > 0)) ||
    (reason === "superseded" && before.bound?.completedTurns === 0) ||
    (!GIVEN_UP_BY_FAULT.has(reason) && written.commandsDone.length > 0) ||
    (reason === "context-restart" && before.fresh?.reason === reason) ||
    reason === "clear";
  if (!known) broken.push(`8: session ${id} is given up for "${reason}", which did not happen`);
  const code = reason === "context-restart" ? "context-cleared-by-agent" : "context-lost";
  const told = written.say.filter(
    (one) => one.kind === "notice" && one.notice.code === code,
  ).length;
  if ((GIVEN_UP_BY_FAULT.has(reason) || reason === "context-restart") && told !== 1) {
    broken.push(`7: ${told} notices for the loss of session ${id}`);
  }
  return broken;
}

/** Invariants 1 and 5 at the moment a process is started. */
export function checkLaunch(ghost: Ghost, facts: SessionFacts): readonly string[] {
  const broken: string[] = [];
  if (ghost.processAlive) broken.push("5: a second process is started while one lives");
  if (facts.launch === null || facts.launch.exited) {
    broken.push("5: a process is started that no fact speaks of");
  }
  if (ghost.failedStart === "fresh") {
    broken.push("1: a failed fresh launch is tried again although the user did nothing");
  }
  return broken;
}

/** Invariant 6 in a state. */
export function checkMessages(ghost: Ghost, facts: SessionFacts): readonly string[] {
  const broken: string[] = [];
  for (const id of ghost.received) {
    const ends = ghost.ends[id] ?? [];
    const open = facts.messages.some((one) => one.id === id);
    if (ends.length > 1) broken.push(`6: message ${id} ended ${ends.length} times: ${ends.join()}`);
    if (ends.length === 0 && !open) broken.push(`6: message ${id} is lost`);
    if (ends.length > 0 && open) broken.push(`6: message ${id} ended and is still open`);
    if ((ghost.runs[id] ?? 0) > (ghost.allowedRuns[id] ?? 1)) {
      broken.push(`6: message ${id} was run ${ghost.runs[id]} times unasked`);
    }
  }
  const inFlight = facts.messages.filter(
    (one) => one.state === "given" || one.state === "accepted",
  );
  if (inFlight.length > 1) broken.push("6: two messages are in flight");
  return broken;
}

/** How the messages named in a plan end. */
export function endsIn(written: Plan): readonly { readonly id: number; readonly how: string }[] {
  return written.facts.flatMap((fact) =>
    ENDS.has(fact.type) && "id" in fact ? [{ id: fact.id, how: fact.type }] : [],
  );
}

/** Invariant 10: asked at every step into `reaping`. */
export function checkReap(facts: SessionFacts, background: number): readonly string[] {
  const waiting = facts.messages.some((one) => one.state !== "parked");
  return waiting || background > 0 ? ["10: reaped with something queued or in the background"] : [];
}
