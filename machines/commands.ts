import {
  firstParked,
  mayHaveProcess,
  messageInFlight,
  withRoomAgain,
  type Choice,
  type FreshReason,
  type OpenMessage,
  type SessionFact,
  type SessionFacts,
} from "./facts.ts";
import { planGoneApproval } from "./approvals.ts";
import { NOTHING, notice, plan, type Cancelled, type Plan } from "./plan.ts";
import type { AgentKind, ApprovalDecision } from "./vocabulary.ts";

/** The user's commands that change a session; accepted in every state, with or without an actor. */
export type SessionCommand =
  | { readonly type: "command.new"; readonly commandId: number }
  | {
      readonly type: "command.stop";
      readonly commandId: number;
      /** What waits is dropped, too. Default false. */
      readonly all?: boolean;
      /** The message that is meant. Default: the one that runs, or else the first that waits. */
      readonly messageId?: number;
    }
  | {
      readonly type: "command.retry";
      readonly commandId: number;
      /** Null: the first parked one. */
      readonly messageId: number | null;
      /** A wanted re-run needs a new one: the CLI drops a uuid it has seen. */
      readonly uuid: string;
    }
  | {
      readonly type: "command.skip";
      readonly commandId: number;
      readonly messageId: number | null;
    }
  | {
      readonly type: "command.bindWorkspace";
      readonly commandId: number;
      /** Normalized and inside the roots. */
      readonly path: string;
    }
  | {
      readonly type: "command.resume";
      readonly commandId: number;
      /** Of an agent session that is archived here. */
      readonly agentSessionId: string;
    }
  | {
      readonly type: "command.take";
      readonly commandId: number;
      /** `resume` only what no chat holds any more; `fork` copies. */
      readonly how: "resume" | "fork";
      readonly session: ForeignSession;
    }
  | {
      readonly type: "command.choose";
      readonly commandId: number;
      readonly choice: Choice;
      readonly value: string;
    }
  | {
      /** Names the present conversation. */
      readonly type: "command.name";
      readonly commandId: number;
      readonly name: string;
    }
  | ApprovalCommand;

/** What the user says about an approval; `command.pick` turns an option of a question on or off. */
export type ApprovalCommand =
  | {
      readonly type: "command.decide";
      readonly commandId: number;
      readonly requestId: string;
      readonly decision: ApprovalDecision;
    }
  | {
      readonly type: "command.pick";
      readonly commandId: number;
      readonly requestId: string;
      readonly question: number;
      readonly option: number;
    };

/** An agent session of another chat. */
export interface ForeignSession {
  readonly agentSessionId: string;
  readonly transcript: string;
  readonly agentKind: AgentKind;
  readonly model: string | null;
  readonly completedTurns: number;
  readonly workspace: string | null;
}

/** What a live session works on when a command comes. */
export interface CurrentWork {
  readonly messageId: number | null;
  /** A turn is in flight, the user's or one of the agent's own. */
  readonly busy: boolean;
}

export const NO_WORK: CurrentWork = { messageId: null, busy: false };

/** What a command writes. `current` is `NO_WORK` where the session has no actor. */
export function planCommand(
  facts: SessionFacts,
  command: SessionCommand,
  current: CurrentWork,
): Plan {
  switch (command.type) {
    case "command.new":
      return planNew(facts, command.commandId);
    case "command.stop":
      if (stopsAnother(command, current)) return planStopAnother(facts, command);
      return command.all === true
        ? planStopAll(facts, command.commandId, current)
        : planStop(facts, command.commandId, current);
    case "command.retry":
    case "command.skip":
      return planParked(facts, command);
    case "command.bindWorkspace":
      return planBind(facts, command);
    case "command.resume":
      return planResume(facts, command);
    case "command.take":
      return planTake(facts, command);
    case "command.choose": {
      const { commandId, choice, value } = command;
      const chosen = { type: "choice.made", choice, value } as const;
      return plan([chosen], [notice({ code: "chosen", choice, value })], [commandId]);
    }
    case "command.name":
      return planName(facts, command);
    case "command.decide":
    case "command.pick":
      // Only a running turn has an approval to settle: the session's own actions do that.
      return planGoneApproval(command.commandId);
  }
}

function planName(
  { bound }: SessionFacts,
  { commandId, name }: Extract<SessionCommand, { type: "command.name" }>,
): Plan {
  if (bound === null) return plan([], [notice({ code: "nothing-to-name" })], [commandId]);
  const { agentSessionId } = bound;
  return plan(
    [{ type: "agentSession.named", agentSessionId, name }],
    [notice({ code: "named", name })],
    [commandId],
  );
}

/** Whether a command ends the launch, so that the next one is decided anew. */
export function endsLaunch(facts: SessionFacts, command: SessionCommand): boolean {
  switch (command.type) {
    case "command.new":
      return true;
    case "command.bindWorkspace":
      return facts.workspace !== command.path;
    case "command.resume":
      return findArchived(facts, command.agentSessionId) !== null;
    case "command.take":
      return true;
    case "command.stop":
    case "command.retry":
    case "command.skip":
    case "command.choose":
    case "command.name":
    case "command.decide":
    case "command.pick":
      return false;
  }
}

function planNew(facts: SessionFacts, commandId: number): Plan {
  const roomy = withRoomAgain(facts);
  return plan(
    [
      ...cancel(messageInFlight(facts)),
      ...archiveBound(facts, "new"),
      intendFresh(facts, "new"),
      ...roomy,
    ],
    [
      notice({
        code: "new-context",
        cancelled: cancelledBy(facts),
        waiting: waitingIn(facts).length + roomy.length,
      }),
    ],
    [commandId],
  );
}

function waitingIn(facts: SessionFacts): readonly OpenMessage[] {
  return facts.messages.filter((one) => one.state === "received");
}

/** What a command that ends the launch takes away. */
function cancelledBy(facts: SessionFacts): Cancelled | null {
  if (messageInFlight(facts) === null) return null;
  return mayHaveProcess(facts) ? "running" : "cut-short";
}

/** Whether a `/stop` is about another message than the one that runs: that goes on. */
export function stopsAnother(command: SessionCommand, current: CurrentWork): boolean {
  return (
    command.type === "command.stop" &&
    command.messageId !== undefined &&
    command.messageId !== current.messageId
  );
}

/** A message that waits is taken out of the queue, and nothing else is touched. */
function planStopAnother(
  facts: SessionFacts,
  { commandId, messageId }: Extract<SessionCommand, { type: "command.stop" }>,
): Plan {
  const waiting = waitingIn(facts);
  const meant = waiting.find((one) => one.id === messageId);
  if (meant === undefined) return plan([], [notice({ code: "nothing-to-stop" })], [commandId]);
  const left = waiting.length - 1;
  return plan(cancel(meant), [notice({ code: "unqueued", waiting: left }, meant.id)], [commandId]);
}

function planStop(facts: SessionFacts, commandId: number, current: CurrentWork): Plan {
  const worked =
    facts.messages.find((one) => one.id === current.messageId) ?? messageInFlight(facts);
  const message = worked !== null && worked.id < commandId ? worked : null;
  // Ids count what came in, commands included: what was sent after the command is not meant by it.
  const waiting = waitingIn(facts).filter((one) => one.id < commandId);
  if (message !== null) {
    return plan(cancel(message), [notice({ code: "stopped" }, message.id)], [commandId]);
  }
  if (current.busy) return plan([], [notice({ code: "stopped" })], [commandId]);
  // Nothing runs (a failed session, one without a slot): the first that waits is dropped, or it could never be.
  const [first] = waiting;
  return first === undefined
    ? plan([], [notice({ code: "nothing-to-stop" })], [commandId])
    : plan(
        cancel(first),
        [notice({ code: "dropped", waiting: waiting.length - 1 }, first.id)],
        [commandId],
      );
}

/** Everything that was sent before it, save what waits for the user's decision. */
function planStopAll(facts: SessionFacts, commandId: number, current: CurrentWork): Plan {
  const running = messageInFlight(facts) !== null || current.busy;
  const dropped = facts.messages.filter((one) => one.state !== "parked" && one.id < commandId);
  if (!running && dropped.length === 0) {
    return plan([], [notice({ code: "nothing-to-stop" })], [commandId]);
  }
  const waiting = dropped.filter((one) => one.state === "received").length;
  return plan(
    dropped.flatMap((one) => cancel(one)),
    [notice({ code: "stopped-all", running, waiting })],
    [commandId],
  );
}

type ParkedCommand = Extract<SessionCommand, { type: "command.retry" | "command.skip" }>;

function planParked(facts: SessionFacts, command: ParkedCommand): Plan {
  const parked =
    command.messageId === null
      ? firstParked(facts)
      : (facts.messages.find((one) => one.id === command.messageId && one.state === "parked") ??
        null);
  if (parked === null) return plan([], [notice({ code: "nothing-parked" })], [command.commandId]);
  return command.type === "command.retry"
    ? plan(
        [{ type: "message.requeued", id: parked.id, uuid: command.uuid }],
        [notice({ code: "retrying" }, parked.id)],
        [command.commandId],
      )
    : plan(cancel(parked), [notice({ code: "skipped" }, parked.id)], [command.commandId]);
}

function planBind(
  facts: SessionFacts,
  command: Extract<SessionCommand, { type: "command.bindWorkspace" }>,
): Plan {
  const { path, commandId } = command;
  if (!endsLaunch(facts, command)) {
    const same = { code: "workspace-bound", path, cancelled: null, waiting: 0 } as const;
    return plan([], [notice(same)], [commandId]);
  }
  return plan(
    [
      ...cancel(messageInFlight(facts)),
      ...archiveBound(facts, "workspace-changed"),
      { type: "workspace.bound", path, agentKind: facts.agentKind },
      intendFresh(facts, "workspace-changed"),
    ],
    [
      notice({
        code: "workspace-bound",
        path,
        cancelled: cancelledBy(facts),
        waiting: waitingIn(facts).length,
      }),
    ],
    [commandId],
  );
}

function planResume(
  facts: SessionFacts,
  command: Extract<SessionCommand, { type: "command.resume" }>,
): Plan {
  const { commandId } = command;
  const found = findArchived(facts, command.agentSessionId);
  if (found === null) {
    const { agentSessionId } = command;
    return plan([], [notice({ code: "resume-unknown", agentSessionId })], [commandId]);
  }
  const { agentSessionId, transcript } = found;
  return plan(
    [
      ...cancel(messageInFlight(facts)),
      ...archiveBound(facts, "superseded"),
      { type: "fresh.withdrawn", agentSessionId },
      ...moveTo(facts, found.workspace, found.agentKind),
      {
        type: "agentSession.bound",
        agentSessionId,
        transcript,
        agentKind: found.agentKind,
        model: null,
      },
    ],
    [notice({ code: "resumed", agentSessionId, cancelled: cancelledBy(facts) })],
    [commandId],
  );
}

/** A conversation of another chat, to go on with here or to copy. */
function planTake(
  facts: SessionFacts,
  {
    commandId,
    how,
    session: { workspace, ...session },
  }: Extract<SessionCommand, { type: "command.take" }>,
): Plan {
  const { agentSessionId } = session;
  const code = how === "fork" ? "forked" : "resumed";
  return plan(
    [
      ...cancel(messageInFlight(facts)),
      ...archiveBound(facts, "superseded"),
      { type: "fresh.withdrawn", agentSessionId },
      ...moveTo(facts, workspace, session.agentKind),
      { type: "agentSession.taken", how, ...session },
    ],
    [notice({ code, agentSessionId, cancelled: cancelledBy(facts) })],
    [commandId],
  );
}

/** A conversation goes on in the directory that it is about. */
function moveTo(
  facts: SessionFacts,
  workspace: string | null,
  agentKind: AgentKind,
): readonly SessionFact[] {
  if (workspace === null || workspace === facts.workspace) return [];
  return [{ type: "workspace.bound", path: workspace, agentKind }];
}

/** The service runs another kind of agent than the session was bound with: theirs is another conversation. */
export function planAgentChange(facts: SessionFacts, agentKind: AgentKind): Plan {
  if (facts.agentKind === agentKind || facts.workspace === null) return NOTHING;
  return plan(
    [
      ...archiveBound(facts, "agent-changed"),
      { type: "workspace.bound", path: facts.workspace, agentKind },
      intendFresh(facts, "agent-changed"),
    ],
    [notice({ code: "agent-changed", agentKind })],
  );
}

/** Another kind of agent cannot read it. */
function findArchived(facts: SessionFacts, agentSessionId: string) {
  const found = facts.archived.find((one) => one.agentSessionId === agentSessionId);
  return found?.agentKind === facts.agentKind ? found : null;
}

function cancel(message: OpenMessage | null): readonly SessionFact[] {
  return message === null ? NOTHING.facts : [{ type: "message.cancelled", id: message.id }];
}

/** The bound session is given up, and stays listed for `/resume`. */
export function archiveBound(
  facts: SessionFacts,
  reason: FreshReason | "superseded",
): readonly SessionFact[] {
  if (facts.bound === null) return [];
  const { agentSessionId, transcript } = facts.bound;
  return [{ type: "agentSession.archived", agentSessionId, transcript, reason }];
}

export function intendFresh(facts: SessionFacts, reason: FreshReason): SessionFact {
  return { type: "fresh.intended", epoch: facts.epoch + 1, reason };
}
