import type { EventFrom, ExecutableActionObject, SnapshotFrom } from "xstate";
import { messageInFlight, type SessionFacts } from "../../machines/facts.ts";
import type { Probe } from "../../machines/launch.ts";
import type { Plan } from "../../machines/plan.ts";
import type { sessionMachine } from "../../machines/session.ts";
import type { EpochEvent } from "../../machines/session-types.ts";
import type { AgentEvent, PromptTrace, TranscriptState } from "../../machines/vocabulary.ts";
import type { EventCases } from "./path-model.ts";
import { ALLOWED, asks } from "./session-harness.ts";

/** The events of a session's paths: for each kind, what may come in a given state. */

export type SessionSnapshot = SnapshotFrom<typeof sessionMachine>;

export const PROBED = "xstate.done.actor.prepareLaunch";
export const PROBE_FAILED = "xstate.error.actor.prepareLaunch";

export type SessionPathEvent =
  | EventFrom<typeof sessionMachine>
  | { readonly type: typeof PROBED; readonly actorId: string; readonly output: Probe }
  | { readonly type: typeof PROBE_FAILED; readonly actorId: string; readonly error: Error }
  | { readonly type: `xstate.after.${string}` };

export type SessionCases = EventCases<SessionSnapshot, SessionPathEvent>;

export const WORKSPACE = "/workspace";
const MESSAGES_MAX = 2;

/** Events of a launch that was over when they were made: by themselves they do not show it. */
const stale = new WeakSet<SessionPathEvent>();

/** The same event from the launch that lives, and from one that is over. */
function both(
  snapshot: SessionSnapshot,
  ...events: readonly (AgentEvent | { readonly type: "context.asked" })[]
) {
  const { process, facts } = snapshot.context;
  const over = process === null ? facts.epoch : process - 1;
  const current = process === null ? [] : events.map((one) => ({ ...one, epoch: process }));
  const late = events.slice(0, 1).map((one) => ({ ...one, epoch: over }));
  for (const one of late) stale.add(one);
  return [...current, ...late];
}

const GONE = { detail: "no", stderr: "no" };

/** New ids for every event: no message, command or retry is ever numbered twice. */
export function sessionCases(): SessionCases {
  let last = 100;
  const commandId = () => (last += 1);
  return {
    "message.received": ({ context }) => {
      if (context.facts.messages.length >= MESSAGES_MAX) return [];
      last += 2;
      return [
        { type: "message.received", id: last - 1, uuid: `uuid-${last - 1}` },
        { type: "message.received", id: last, uuid: `uuid-${last}`, urgent: true },
      ];
    },
    "command.new": () => [{ type: "command.new", commandId: commandId() }],
    "command.stop": () => [
      { type: "command.stop", commandId: commandId() },
      { type: "command.stop", commandId: commandId(), messageId: 99 },
    ],
    "command.retry": () => [
      { type: "command.retry", commandId: commandId(), messageId: null, uuid: `retry-${last}` },
    ],
    "command.skip": () => [{ type: "command.skip", commandId: commandId(), messageId: null }],
    "command.bindWorkspace": ({ context: { facts } }) =>
      [facts.workspace ?? WORKSPACE, "/elsewhere"].map((path) => ({
        type: "command.bindWorkspace",
        commandId: commandId(),
        path,
      })),
    "command.resume": ({ context: { facts } }) =>
      [facts.archived.at(-1)?.agentSessionId ?? "none", "nobody"].map((agentSessionId) => ({
        type: "command.resume",
        commandId: commandId(),
        agentSessionId,
      })),
    "command.take": ({ context: { facts } }) => [
      {
        type: "command.take",
        commandId: commandId(),
        how: "fork",
        session: {
          agentSessionId: "foreign",
          transcript: "/t/foreign",
          agentKind: facts.agentKind,
          model: null,
          completedTurns: 1,
          workspace: null,
        },
      },
    ],
    reap: () => [{ type: "reap" }],
    shutdown: () => [{ type: "shutdown" }],
    fault: () => [{ type: "fault", detail: "disk full" }],
    [PROBED]: (snapshot) =>
      probes(snapshot.context.facts).map((output) => ({
        type: PROBED,
        actorId: "prepareLaunch",
        output,
      })),
    [PROBE_FAILED]: () => [
      { type: PROBE_FAILED, actorId: "prepareLaunch", error: new Error("the probe broke") },
    ],
    ...Object.fromEntries(
      [
        "startLimit",
        "quietLimit",
        "approvalLimit",
        "interruptLimit",
        "idleLimit",
        "drainLimit",
      ].map((delay) => [
        `after.${delay}`,
        (_: SessionSnapshot, type: string) => [{ type: type as `xstate.after.${string}` }],
      ]),
    ),
    ...agentCases,
    ...turnCases,
  };
}

const agentCases: SessionCases = {
  "agent.spawned": (snapshot) =>
    both(snapshot, { type: "agent.spawned", pid: 4_711, startedAt: "12" }),
  "agent.ready": (snapshot) => both(snapshot, { type: "agent.ready", model: null }),
  "agent.refused": (snapshot) => both(snapshot, { type: "agent.refused", ...GONE }),
  "agent.unavailable": (snapshot) =>
    both(snapshot, { type: "agent.unavailable", reason: "not-logged-in", ...GONE }),
  "agent.exited": (snapshot) =>
    both(snapshot, { type: "agent.exited", at: 1_000, code: 1, signal: null, stderr: "no" }),
  "agent.active": (snapshot) => both(snapshot, { type: "agent.active" }),
  "agent.bound": (snapshot) => both(snapshot, { type: "agent.bound", ...ownSession(snapshot) }),
  "agent.reset": (snapshot) =>
    both(snapshot, {
      type: "agent.reset",
      agentSessionId: `cleared-${snapshot.context.facts.epoch}`,
      transcript: `/t/cleared-${snapshot.context.facts.epoch}`,
    }),
  "agent.background": (snapshot) =>
    both(snapshot, { type: "agent.background", count: 1 }, { type: "agent.background", count: 0 }),
  "context.asked": (snapshot) => both(snapshot, { type: "context.asked" }),
  "agent.context": (snapshot) =>
    both(snapshot, { type: "agent.context", context: { used: 20, window: 100 } }),
};

const turnCases: SessionCases = {
  "turn.accepted": (snapshot) =>
    both(
      snapshot,
      { type: "turn.accepted", uuid: snapshot.context.turn?.uuid ?? "nobody's" },
      { type: "turn.accepted", uuid: "another" },
    ),
  "turn.began": (snapshot) => both(snapshot, { type: "turn.began", cause: "task" }),
  "turn.toolStarted": (snapshot) =>
    both(snapshot, { type: "turn.toolStarted", toolUseId: "t", name: "Bash", summary: "ls" }),
  "turn.toolEnded": (snapshot) => both(snapshot, { type: "turn.toolEnded", toolUseId: "t" }),
  "turn.compacting": (snapshot) =>
    both(
      snapshot,
      { type: "turn.compacting", active: true },
      { type: "turn.compacting", active: false },
    ),
  "turn.compacted": (snapshot) =>
    both(
      snapshot,
      { type: "turn.compacted", ok: true, manual: true, detail: "" },
      { type: "turn.compacted", ok: true, manual: false, detail: "" },
      { type: "turn.compacted", ok: false, manual: false, detail: "no" },
    ),
  "turn.ended": (snapshot) => both(snapshot, ...endings(snapshot)),
  "approval.requested": (snapshot) => both(snapshot, asks("r"), asks("q")),
  "command.decide": () => [
    { type: "command.decide", commandId: 90, requestId: "r", decision: ALLOWED },
    {
      type: "command.decide",
      commandId: 91,
      requestId: "r",
      decision: { allow: false, reason: "no" },
    },
    { type: "command.decide", commandId: 92, requestId: "another", decision: ALLOWED },
  ],
  "command.pick": () => [
    { type: "command.pick", commandId: 93, requestId: "r", question: 0, option: 0 },
  ],
  "command.choose": () => [
    { type: "command.choose", commandId: 94, choice: "mode", value: "plan" },
    { type: "command.choose", commandId: 95, choice: "verbose", value: "2" },
  ],
  "command.name": () => [{ type: "command.name", commandId: 96, name: "the parser" }],
  "approval.withdrawn": (snapshot) =>
    both(snapshot, { type: "approval.withdrawn", requestId: "r" }),
};

/** What the running launch's own transcript is called. */
function ownSession({ context }: SessionSnapshot) {
  const { launch, epoch } = context.facts;
  return {
    agentSessionId: launch?.agentSessionId ?? `continued-${epoch}`,
    transcript: launch?.transcript ?? `/t/continued-${epoch}`,
    model: null,
  };
}

/** Every outcome for the prompt in flight, and a turn nobody asked for. */
function endings({ context: { turn } }: SessionSnapshot): readonly AgentEvent[] {
  const ended = {
    type: "turn.ended",
    uuids: turn?.uuid == null ? [] : [turn.uuid],
    outcome: "completed",
    text: "done",
    context: { used: 50, window: 100 },
    usage: null,
    selfReportedPercent: null,
  } as const;
  if (turn?.uuid == null) return [ended];
  return [
    ended,
    ...(["local", "failed", "too-large", "interrupted", "swallowed"] as const).map((outcome) => ({
      ...ended,
      outcome,
      context: null,
    })),
    { ...ended, uuids: [] },
  ];
}

/** What may be found on disk: one after the other differs from the plain case. */
function probes(facts: SessionFacts): readonly Probe[] {
  const epoch = facts.epoch + 1;
  const plain: Probe = {
    workspace: { ok: true, path: facts.workspace ?? WORKSPACE },
    fresh: { agentSessionId: `s${epoch}`, transcript: `/t/s${epoch}` },
    bound: null,
    last: facts.launch === null ? null : "missing",
    boundIncomplete: false,
    trace: null,
    foreignPid: null,
  };
  const isLast = facts.bound?.agentSessionId === facts.launch?.agentSessionId;
  const inState = (bound: TranscriptState): Probe =>
    isLast ? { ...plain, bound, last: bound } : { ...plain, bound };
  const found =
    facts.bound === null
      ? facts.launch === null
        ? [plain]
        : [plain, { ...plain, last: "present" as const }]
      : (["present", "missing", "unreadable"] as const).map(inState);
  const seen = found.flatMap((one) => traces(facts, one).map((trace) => ({ ...one, trace })));
  const refused = { ok: false, reason: "workspace-missing", detail: WORKSPACE } as const;
  const [first = plain] = seen;
  return [
    ...seen,
    { ...first, workspace: refused },
    ...(facts.bound === null ? [] : [{ ...first, foreignPid: 4_712 }]),
    ...(facts.bound?.prompts == null ? [] : [{ ...first, boundIncomplete: true }]),
  ];
}

/** Once accepted, a prompt stands in the transcript; without one there is no trace of it. */
function traces(facts: SessionFacts, probe: Probe): readonly (PromptTrace | null)[] {
  const message = messageInFlight(facts);
  if (message === null) return [null];
  const unfinished = { found: "unfinished", toolsRan: true } as const;
  const finished = { found: "finished", text: "done", context: null } as const;
  const present = [probe.bound, probe.last].includes("present");
  if (!present) return message.state === "given" ? [{ found: "absent" }] : [unfinished];
  return message.state === "given"
    ? [{ found: "absent" }, finished, unfinished]
    : [finished, unfinished];
}

export function isOfAgent(event: SessionPathEvent): event is EpochEvent {
  return "epoch" in event;
}

const NUMBERED: ReadonlySet<string> = new Set([
  "type",
  "id",
  "uuid",
  "commandId",
  "epoch",
  "fresh",
]);

/** What tells two events of one kind apart, without what is never the same twice. */
export function labelOf(event: SessionPathEvent): string {
  const rest = JSON.stringify(event, (name: string, value: unknown) => {
    if (NUMBERED.has(name)) return undefined;
    return name === "uuids" && Array.isArray(value) ? value.length : value;
  });
  return stale.has(event) ? `stale ${rest}` : rest;
}

/** What is written and said, what an agent is asked, what is announced. */
export function labelOfAction({ type, params }: ExecutableActionObject): string {
  if (type !== "commit") return JSON.stringify(params, ["event", "type", "now", "phase"]) ?? "";
  const { facts, say } = params as unknown as Plan;
  const said = say.map((one) => (one.kind === "notice" ? one.notice.code : one.kind));
  return [...facts.map((fact) => ("reason" in fact ? fact.reason : fact.type)), ...said].join();
}
