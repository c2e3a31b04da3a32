import type { AgentKind, ContextSize, UnavailableReason } from "./vocabulary.ts";

/** Why the next launch must be fresh. `fallback` reasons are ours, the others are the user's word. */
export type FreshReason =
  | "new"
  | "context-restart"
  | "clear"
  | "workspace-changed"
  | "agent-changed"
  | "resume-refused"
  | "too-large"
  | "transcript-missing";

export type LaunchMode = "fresh" | "resume" | "continue" | "fork";

export type FailureReason = UnavailableReason | "crash-limit" | "actor-fault";

/**
 * Why a message is put to the user.
 * - cut-short: its agent or the service died
 * - quiet: the agent fell silent and heeded the interrupt
 * - wedged: it did not heed it and was ended
 * - swallowed: the agent says it is done with it, and there is no answer
 * - too-large: the context has no room for it
 * - tool-ran: the context had no room for it, and a tool had run for it
 */
export type ParkReason = "cut-short" | "quiet" | "wedged" | "swallowed" | "too-large" | "tool-ran";

/**
 * Everything durable about a session, in the order it happened. A fact is
 * written before the effect it allows; the state of a session is their fold.
 * `v` is the shape's version; src/store upcasts older ones.
 */
export type SessionFact =
  | { readonly type: "workspace.bound"; readonly path: string; readonly agentKind: AgentKind }
  | { readonly type: "fresh.intended"; readonly epoch: number; readonly reason: FreshReason }
  | { readonly type: "fresh.settled"; readonly epoch: number }
  | { readonly type: "fresh.withdrawn"; readonly agentSessionId: string }
  | {
      readonly type: "launch.intended";
      readonly epoch: number;
      readonly mode: LaunchMode;
      /** Null only for `continue`: the CLI chooses. */
      readonly agentSessionId: string | null;
      readonly transcript: string | null;
    }
  | {
      readonly type: "launch.started";
      readonly epoch: number;
      readonly pid: number;
      /** The kernel's start time of the pid, so that a reused pid is not mistaken for it. */
      readonly startedAt: string;
    }
  /** A typed `/clear`: the same process goes on with a fresh agent session. */
  | {
      readonly type: "launch.reset";
      readonly epoch: number;
      readonly agentSessionId: string;
      readonly transcript: string;
    }
  | { readonly type: "launch.exited"; readonly epoch: number; readonly crashedAt: number | null }
  | {
      readonly type: "agentSession.bound";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly agentKind: AgentKind;
      readonly model: string | null;
    }
  /** Taken over from another chat, by the user's word: to go on with, or only to copy. */
  | {
      readonly type: "agentSession.taken";
      readonly how: "resume" | "fork";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly agentKind: AgentKind;
      readonly model: string | null;
      readonly completedTurns: number;
    }
  | {
      readonly type: "agentSession.archived";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly reason: FreshReason | "superseded";
    }
  | { readonly type: "message.received"; readonly id: number; readonly uuid: string }
  | {
      readonly type: "message.given";
      readonly id: number;
      readonly epoch: number;
      /** Where its trace will be found after a crash. */
      readonly transcript: string | null;
    }
  | { readonly type: "message.accepted"; readonly id: number }
  | { readonly type: "message.answered"; readonly id: number }
  | { readonly type: "message.failed"; readonly id: number; readonly reason: string }
  | { readonly type: "message.cancelled"; readonly id: number }
  | { readonly type: "message.parked"; readonly id: number; readonly reason: ParkReason }
  /** Back to waiting: with a new uuid on the user's `/retry`, with the old one where the agent never had it. */
  | { readonly type: "message.requeued"; readonly id: number; readonly uuid: string }
  /** A tool began for this message: running it again would repeat what the tool did. */
  | { readonly type: "turn.toolRan"; readonly messageId: number }
  | { readonly type: "turn.completed"; readonly epoch: number }
  /** What one turn used and how full the context was after it; kept to compare the two tracks, folds to nothing. */
  | {
      readonly type: "turn.measured";
      readonly epoch: number;
      readonly model: string | null;
      /** By the agent's usage; whole percent, null while unknown. */
      readonly sdkPercent: number | null;
      /** By the agent's own estimate; null when it gave none. */
      readonly selfReportedPercent: number | null;
      readonly inputTokens: number | null;
      readonly outputTokens: number | null;
    }
  | { readonly type: "context.measured"; readonly context: ContextSize }
  /** Ends with the next input of the user: a message, `/new`, `/retry`, `/resume` or another workspace. */
  | { readonly type: "session.failed"; readonly reason: FailureReason; readonly detail: string };

export interface OpenMessage {
  readonly id: number;
  readonly uuid: string;
  readonly state: "received" | "given" | "accepted" | "parked";
  /** Where it was given; null while the agent never had it. */
  readonly transcript: string | null;
  /** The launch it was given in; 0 while the agent never had it. */
  readonly epoch: number;
  readonly toolsRan: boolean;
  /** Null unless it is parked. */
  readonly parkedFor: ParkReason | null;
}

export interface BoundSession {
  readonly agentSessionId: string;
  readonly transcript: string;
  readonly model: string | null;
  /** Turns that were ever completed on it; 0 means that there is nothing to lose. */
  readonly completedTurns: number;
  /** It belongs to another chat: the next launch makes a copy of its own, and nothing is written to it. */
  readonly borrowed: boolean;
}

export interface ArchivedSession {
  readonly agentSessionId: string;
  readonly transcript: string;
  readonly model: string | null;
  readonly completedTurns: number;
  readonly reason: FreshReason | "superseded";
  /** Where it was held, and by which kind of agent: it can only be resumed there and by that kind. */
  readonly workspace: string | null;
  readonly agentKind: AgentKind;
}

export interface Launch {
  readonly epoch: number;
  readonly mode: LaunchMode;
  readonly agentSessionId: string | null;
  readonly transcript: string | null;
  readonly pid: number | null;
  readonly startedAt: string | null;
  /** False while a process of this launch may still live. */
  readonly exited: boolean;
}

/** What the facts of one session say, folded. */
export interface SessionFacts {
  readonly workspace: string | null;
  readonly agentKind: AgentKind;
  /** Number of launches so far; the next one is `epoch + 1`. */
  readonly epoch: number;
  /** Pending fresh intent: no launch resumes while it is there. `epoch` is the first launch it governs. */
  readonly fresh: { readonly epoch: number; readonly reason: FreshReason } | null;
  readonly bound: BoundSession | null;
  readonly everBound: boolean;
  /** The last launch. */
  readonly launch: Launch | null;
  readonly archived: readonly ArchivedSession[];
  /** Messages that have not ended, in order of arrival. */
  readonly messages: readonly OpenMessage[];
  /** Times of process deaths, milliseconds since 1970; trimmed by the reader. */
  readonly deaths: readonly number[];
  /** The session has failed and waits for a later input of the user. */
  readonly failure: { readonly reason: FailureReason; readonly detail: string } | null;
  readonly context: ContextSize | null;
}

/** Kept for `/resume`; older ones stay in the store. */
const ARCHIVE_KEPT = 50;
const DEATHS_KEPT = 20;

export function initialFacts(agentKind: AgentKind): SessionFacts {
  return {
    workspace: null,
    agentKind,
    epoch: 0,
    fresh: null,
    bound: null,
    everBound: false,
    launch: null,
    archived: [],
    messages: [],
    deaths: [],
    failure: null,
    context: null,
  };
}

export function foldFacts(facts: SessionFacts, more: readonly SessionFact[]): SessionFacts {
  return more.reduce(foldFact, facts);
}

export function foldFact(facts: SessionFacts, fact: SessionFact): SessionFacts {
  switch (fact.type) {
    case "workspace.bound":
      return { ...facts, workspace: fact.path, agentKind: fact.agentKind };
    case "fresh.intended":
      return revive({ ...facts, fresh: { epoch: fact.epoch, reason: fact.reason } });
    case "fresh.settled":
      return { ...facts, fresh: null };
    case "fresh.withdrawn":
      return revive({ ...facts, fresh: null });
    case "launch.intended":
    case "launch.started":
    case "launch.reset":
    case "launch.exited":
      return foldLaunch(facts, fact);
    case "agentSession.bound":
    case "agentSession.archived":
    case "agentSession.taken":
      return foldAgentSession(facts, fact);
    case "message.received":
    case "message.requeued":
      return revive({ ...facts, messages: foldMessages(facts.messages, fact) });
    case "message.given":
    case "message.accepted":
    case "message.answered":
    case "message.failed":
    case "message.cancelled":
    case "message.parked":
      return { ...facts, messages: foldMessages(facts.messages, fact) };
    case "turn.toolRan":
      return { ...facts, messages: update(facts.messages, fact.messageId, { toolsRan: true }) };
    case "turn.completed":
      return facts.bound === null
        ? facts
        : {
            ...facts,
            bound: { ...facts.bound, completedTurns: facts.bound.completedTurns + 1 },
          };
    case "context.measured":
      return { ...facts, context: fact.context };
    case "turn.measured":
      return facts;
    case "session.failed":
      return { ...facts, failure: { reason: fact.reason, detail: fact.detail } };
  }
}

/** A new input gives a failed session another try, with a clean count of deaths. */
function revive(facts: SessionFacts): SessionFacts {
  return facts.failure === null ? facts : { ...facts, failure: null, deaths: [] };
}

type LaunchFact = Extract<SessionFact, { type: `launch.${string}` }>;

function foldLaunch(facts: SessionFacts, fact: LaunchFact): SessionFacts {
  switch (fact.type) {
    case "launch.intended":
      return {
        ...facts,
        epoch: fact.epoch,
        launch: {
          epoch: fact.epoch,
          mode: fact.mode,
          agentSessionId: fact.agentSessionId,
          transcript: fact.transcript,
          pid: null,
          startedAt: null,
          exited: false,
        },
      };
    case "launch.started":
      return facts.launch?.epoch === fact.epoch
        ? { ...facts, launch: { ...facts.launch, pid: fact.pid, startedAt: fact.startedAt } }
        : facts;
    case "launch.reset":
      return facts.launch?.epoch === fact.epoch
        ? {
            ...facts,
            launch: {
              ...facts.launch,
              mode: "fresh",
              agentSessionId: fact.agentSessionId,
              transcript: fact.transcript,
            },
          }
        : facts;
    case "launch.exited":
      return {
        ...facts,
        launch:
          facts.launch?.epoch === fact.epoch ? { ...facts.launch, exited: true } : facts.launch,
        deaths:
          fact.crashedAt === null
            ? facts.deaths
            : [...facts.deaths, fact.crashedAt].slice(-DEATHS_KEPT),
      };
  }
}

type AgentSessionFact = Extract<SessionFact, { type: `agentSession.${string}` }>;

function foldAgentSession(facts: SessionFacts, fact: AgentSessionFact): SessionFacts {
  switch (fact.type) {
    case "agentSession.bound": {
      const known = [facts.bound, ...facts.archived].find(
        (one) => one?.agentSessionId === fact.agentSessionId,
      );
      return {
        ...facts,
        everBound: true,
        agentKind: fact.agentKind,
        bound: {
          agentSessionId: fact.agentSessionId,
          transcript: fact.transcript,
          model: fact.model ?? known?.model ?? null,
          // A copy has the turns of what it was copied from.
          completedTurns:
            (known ?? (facts.bound?.borrowed ? facts.bound : null))?.completedTurns ?? 0,
          borrowed: false,
        },
        archived: facts.archived.filter((one) => one.agentSessionId !== fact.agentSessionId),
      };
    }
    case "agentSession.taken": {
      const { agentSessionId, transcript, agentKind, model, completedTurns, how } = fact;
      const borrowed = how === "fork";
      return revive({
        ...facts,
        everBound: true,
        agentKind,
        bound: { agentSessionId, transcript, model, completedTurns, borrowed },
        context: null,
        archived: facts.archived.filter((one) => one.agentSessionId !== agentSessionId),
      });
    }
    case "agentSession.archived": {
      const { agentSessionId, transcript, reason } = fact;
      const others = facts.archived.filter((one) => one.agentSessionId !== agentSessionId);
      const bound = facts.bound?.agentSessionId === agentSessionId ? facts.bound : null;
      const archived = {
        agentSessionId,
        transcript,
        model: bound?.model ?? null,
        completedTurns: bound?.completedTurns ?? 0,
        reason,
        workspace: facts.workspace,
        agentKind: facts.agentKind,
      };
      // What belongs to another chat is listed there.
      if (bound?.borrowed === true) return { ...facts, bound: null, context: null };
      return {
        ...facts,
        bound: bound === null ? facts.bound : null,
        context: bound === null ? facts.context : null,
        archived: [...others, archived].slice(-ARCHIVE_KEPT),
      };
    }
  }
}

type MessageFact = Extract<SessionFact, { type: `message.${string}` }>;

function foldMessages(messages: readonly OpenMessage[], fact: MessageFact): readonly OpenMessage[] {
  switch (fact.type) {
    case "message.received":
      return messages.some((one) => one.id === fact.id)
        ? messages
        : [...messages, newMessage(fact.id, fact.uuid)];
    case "message.given":
      return update(messages, fact.id, {
        state: "given",
        transcript: fact.transcript,
        epoch: fact.epoch,
      });
    case "message.accepted":
      return update(messages, fact.id, { state: "accepted" });
    case "message.parked":
      return update(messages, fact.id, { state: "parked", parkedFor: fact.reason });
    case "message.requeued":
      return update(messages, fact.id, newMessage(fact.id, fact.uuid));
    case "message.answered":
    case "message.failed":
    case "message.cancelled":
      return messages.filter((one) => one.id !== fact.id);
  }
}

/**
 * The uuid for running a message again after its first one was given: the agent
 * drops a uuid it has seen. Derived, so that the same decision gives the same one.
 */
function followingUuid(uuid: string): string {
  const tail = uuid.slice(-12);
  if (!/^[0-9a-f]{12}$/i.test(tail)) return `${uuid}+`;
  const next = (Number.parseInt(tail, 16) + 1) % 0x1_0000_0000_0000;
  return uuid.slice(0, -12) + next.toString(16).padStart(12, "0");
}

/** Messages that had no room in the context, to be given again where there is room now. */
export function withRoomAgain(facts: SessionFacts): readonly SessionFact[] {
  return facts.messages
    .filter((one) => one.parkedFor === "too-large")
    .map(({ id, uuid }) => ({ type: "message.requeued", id, uuid: followingUuid(uuid) }));
}

function newMessage(id: number, uuid: string): OpenMessage {
  return {
    id,
    uuid,
    state: "received",
    transcript: null,
    epoch: 0,
    toolsRan: false,
    parkedFor: null,
  };
}

function update(
  messages: readonly OpenMessage[],
  id: number,
  change: Partial<OpenMessage>,
): readonly OpenMessage[] {
  return messages.map((one) => (one.id === id ? { ...one, ...change } : one));
}

/** The message an agent has or had: its end is not known. There is never more than one. */
export function messageInFlight(facts: SessionFacts): OpenMessage | null {
  return facts.messages.find((one) => one.state === "given" || one.state === "accepted") ?? null;
}

/** The message whose turn it is: the one in flight, else the first that waits. */
export function nextMessage(facts: SessionFacts): OpenMessage | null {
  const waiting = facts.messages.find((one) => one.state === "received") ?? null;
  return messageInFlight(facts) ?? waiting;
}

export function firstParked(facts: SessionFacts): OpenMessage | null {
  return facts.messages.find((one) => one.state === "parked") ?? null;
}

/** Whether a process of the last launch may still live. */
export function mayHaveProcess(facts: SessionFacts): boolean {
  return facts.launch !== null && !facts.launch.exited;
}

/**
 * Whether the supervisor must have an actor for this session: at boot, on an
 * input, at every end of one. A failure outranks everything, or what fails at
 * once would be started again without end.
 */
export function wantsActor(facts: SessionFacts): boolean {
  return facts.failure === null && (mayHaveProcess(facts) || nextMessage(facts) !== null);
}
