import type { OpenApproval, OpenMessage, PromptRange, SessionFact, SessionFacts } from "./facts.ts";
import type { AgentKind } from "./vocabulary.ts";

/** How the facts of a session become what they say: pure, total, in their order. */

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
    approvals: [],
    choices: {},
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
    case "agentSession.named":
    case "agentSession.incomplete":
      return foldAgentSession(facts, fact);
    case "approval.opened":
    case "approval.picked":
    case "approval.decided":
    case "approval.closed":
      return { ...facts, approvals: foldApprovals(facts.approvals, fact) };
    case "choice.made":
      return { ...facts, choices: { ...facts.choices, [fact.choice]: fact.value } };
    case "message.received":
    case "message.requeued":
      return revive({ ...facts, messages: foldMessages(facts.messages, fact) });
    case "message.hurried":
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
            bound: {
              ...facts.bound,
              completedTurns: facts.bound.completedTurns + 1,
              prompts: extend(facts.bound.prompts, fact.prompt),
            },
          };
    case "context.measured":
      return { ...facts, context: fact.context };
    case "turn.measured":
      return facts;
    case "session.failed":
      return { ...facts, failure: { reason: fact.reason, detail: fact.detail } };
  }
}

function extend(prompts: PromptRange | null, prompt: string | undefined): PromptRange | null {
  return prompt === undefined ? prompts : { first: prompts?.first ?? prompt, last: prompt };
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
        approvals: facts.approvals.filter((one) => one.epoch !== fact.epoch),
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
          prompts: known?.prompts ?? null,
          borrowed: false,
          name: known?.name ?? null,
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
        bound: {
          agentSessionId,
          transcript,
          model,
          completedTurns,
          prompts: null,
          borrowed,
          name: null,
        },
        context: null,
        // What is copied stays where it is listed.
        archived: borrowed
          ? facts.archived
          : facts.archived.filter((one) => one.agentSessionId !== agentSessionId),
      });
    }
    case "agentSession.named": {
      const named = <One extends { readonly agentSessionId: string }>(one: One): One =>
        one.agentSessionId === fact.agentSessionId ? { ...one, name: fact.name } : one;
      const { bound, archived } = facts;
      return { ...facts, bound: bound && named(bound), archived: archived.map(named) };
    }
    case "agentSession.incomplete":
      return facts.bound?.agentSessionId === fact.agentSessionId
        ? { ...facts, bound: { ...facts.bound, prompts: null } }
        : facts;
    case "agentSession.archived": {
      const { agentSessionId, transcript, reason } = fact;
      const others = facts.archived.filter((one) => one.agentSessionId !== agentSessionId);
      const bound = facts.bound?.agentSessionId === agentSessionId ? facts.bound : null;
      const archived = {
        agentSessionId,
        transcript,
        model: bound?.model ?? null,
        completedTurns: bound?.completedTurns ?? 0,
        prompts: bound?.prompts ?? null,
        reason,
        workspace: facts.workspace,
        agentKind: facts.agentKind,
        name: bound?.name ?? null,
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

type ApprovalFact = Extract<SessionFact, { type: `approval.${string}` }>;

function foldApprovals(
  approvals: readonly OpenApproval[],
  fact: ApprovalFact,
): readonly OpenApproval[] {
  switch (fact.type) {
    case "approval.opened": {
      const { epoch, messageId, request } = fact;
      return [...approvals, { request, epoch, messageId, picks: [], decision: null }];
    }
    case "approval.picked":
      return changeApproval(approvals, fact.requestId, { picks: fact.picks });
    case "approval.decided":
      return changeApproval(approvals, fact.requestId, { decision: fact.decision });
    case "approval.closed":
      return approvals.filter((one) => one.request.requestId !== fact.requestId);
  }
}

function changeApproval(
  approvals: readonly OpenApproval[],
  requestId: string,
  change: Partial<OpenApproval>,
): readonly OpenApproval[] {
  return approvals.map((one) =>
    one.request.requestId === requestId ? { ...one, ...change } : one,
  );
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
    case "message.hurried":
      return update(messages, fact.id, { urgent: true });
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

function newMessage(id: number, uuid: string): OpenMessage {
  return {
    id,
    uuid,
    state: "received",
    transcript: null,
    epoch: 0,
    toolsRan: false,
    parkedFor: null,
    urgent: false,
  };
}

function update(
  messages: readonly OpenMessage[],
  id: number,
  change: Partial<OpenMessage>,
): readonly OpenMessage[] {
  return messages.map((one) => (one.id === id ? { ...one, ...change } : one));
}
