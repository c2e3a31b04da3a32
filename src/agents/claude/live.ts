import type { Limits } from "../../../machines/limits.ts";
import type { AgentEvent, PromptTrace } from "../../../machines/vocabulary.ts";
import type { Logger } from "../../log.ts";
import type { AgentProcess, Clock, LaunchRequest } from "../../ports.ts";
import { createActivity } from "./activity.ts";
import { createBinding } from "./binding.ts";
import { spawnChild } from "./child.ts";
import type { AgentChild, ChildExit } from "./child.ts";
import { createEnding } from "./ending.ts";
import { launchSpec } from "./launch.ts";
import type { LaunchSettings } from "./launch.ts";
import {
  controlRequestLine,
  decisionLine,
  declineLine,
  decodeLine,
  promptLine,
} from "./protocol.ts";
import { createPartials } from "./partials.ts";
import { readImages } from "./images.ts";
import { parseSelfReport } from "./self-report.ts";
import { holdsAnswer } from "./trace.ts";
import { settle, translate } from "./translate.ts";
import {
  approvalDecided,
  contextAsked,
  initialState,
  interruptSent,
  lineSkipped,
  promptGiven,
} from "./translate-state.ts";
import type { Effect, TranslateState, Translation } from "./translate-state.ts";
import { callsUnknown, contradicted, spawnVerdict, verdictOf } from "./verdict.ts";

export type AgentLimits = Pick<
  Limits,
  "startMs" | "endGraceMs" | "termGraceMs" | "lineBytes" | "stderrBytes"
>;

export interface LiveOptions extends LaunchSettings {
  readonly limits: AgentLimits;
  readonly clock: Clock;
  /** A fresh id for each control request. */
  readonly newId: () => string;
  readonly log: Logger;
}

export interface LiveContext {
  readonly options: LiveOptions;
  readonly request: LaunchRequest;
  readonly emit: (event: AgentEvent) => void;
  readonly transcriptOf: (agentSessionId: string) => string;
  readonly trace: (transcript: string, uuid: string) => Promise<PromptTrace>;
  /** Called after each turn, so that windows are known to a later trace. */
  readonly onWindows: (windows: ReadonlyMap<string, number>) => void;
}

/** A result that is not there this long after the agent was done with its prompt will not come. */
const RESULT_PATIENCE_MS = 1_000;

/** One live process of the agent: what it says is told through `emit`. */
export function startLive(context: LiveContext): AgentProcess {
  const { options, request } = context;
  const spec = launchSpec(options, request);
  const tell = (event: AgentEvent): void => {
    try {
      context.emit(event);
    } catch (error) {
      options.log.error({ error, event: event.type }, "agent.listenerFailed");
    }
  };
  let live: Wired | null = null;
  const spawned = spawnChild(spec, {
    lineBytes: options.limits.lineBytes,
    stderrBytes: options.limits.stderrBytes,
    onLine: (line) => live?.onLine(line),
    onSkipped: (bytes) => live?.onSkipped(bytes),
  });
  if (spawned.ok) {
    live = wire({ ...context, emit: tell }, spawned.child);
    return live.process;
  }
  const failed = spawned.failure.then((failure) => {
    tell(spawnVerdict(failure, spec.file, spec.cwd));
  });
  return { ...INERT, end: () => failed };
}

const INERT: Omit<AgentProcess, "end"> = {
  prompt: () => undefined,
  interrupt: () => undefined,
  decide: () => undefined,
  configure: () => undefined,
};

interface Wired {
  readonly process: AgentProcess;
  onLine(text: string): void;
  onSkipped(bytes: number): void;
}

/** What the parts of one live process share. */
interface Session {
  readonly context: LiveContext;
  readonly child: AgentChild;
  /** For log records. */
  readonly about: object;
  readonly initializeId: string;
  state: TranslateState;
  failure: Extract<Effect, { type: "failStart" }> | null;
  /** No line is translated and nothing but the last event is told any more. */
  closed: boolean;
}

function openSession(context: LiveContext, child: AgentChild): Session {
  const { plan, marker, model } = context.request;
  const initializeId = context.options.newId();
  return {
    context,
    child,
    about: { pid: child.pid, epoch: marker.epoch, session: marker.sessionKey },
    initializeId,
    state: initialState({
      initializeId,
      sessionId: plan.mode === "continue" ? null : plan.agentSessionId,
      model,
      fresh: plan.mode === "fresh",
    }),
    failure: null,
    closed: false,
  };
}

/** A resumed session may be kept elsewhere than a new one in the same directory would be. */
function transcriptOf({ request, transcriptOf: place }: LiveContext, id: string): string {
  const { plan } = request;
  return plan.mode === "resume" && plan.agentSessionId === id ? plan.transcript : place(id);
}

function transcriptNow({ context, state }: Session): string | null {
  return state.sessionId === null ? null : transcriptOf(context, state.sessionId);
}

function wire(context: LiveContext, child: AgentChild): Wired {
  const { emit } = context;
  const { clock, limits, log, newId } = context.options;
  const session = openSession(context, child);
  const { about } = session;
  const activity = createActivity({
    clock,
    transcript: () =>
      session.state.turn === null && session.state.prompt === null ? null : transcriptNow(session),
    onActive: () => emit({ type: "agent.active" }),
  });
  const partials = createPartials({
    clock,
    // Parsed when it is told, not at each of the many small steps by which it grows.
    emit: (text) => emit({ type: "turn.partial", text: parseSelfReport(text).text }),
  });
  const binding = createBinding({
    clock,
    session: () => {
      const { sessionId: agentSessionId, sessionNamed, model } = session.state;
      const transcript = transcriptNow(session);
      if (!sessionNamed || agentSessionId === null || transcript === null) return null;
      return { agentSessionId, transcript, model };
    },
    emit,
  });
  const ending = createEnding({
    child,
    marker: context.request.marker,
    clock,
    limits,
    ask: () => {
      if (!session.state.ready) child.closeInput();
      else child.send(controlRequestLine(newId(), { subtype: "end_session" }));
    },
    onStuck: () => log.error(about, "agent.processStuck"),
    onCut: () => log.warn(about, "agent.outputCut"),
  });

  function apply(translation: Translation): void {
    session.state = translation.state;
    // Before the events: what is asked of an agent that has become ready comes before its prompt.
    for (const effect of translation.effects) perform(effect);
    for (const event of translation.events) {
      if (event.type === "turn.partial") {
        partials.grown(event.text);
        continue;
      }
      if (event.type === "turn.text" || event.type === "turn.ended") partials.over();
      if (event.type === "turn.ended") {
        context.onWindows(session.state.windows);
        binding.checkNow();
      }
      emit(event);
    }
    binding.check();
    if (session.state.turn !== null) activity.watch();
  }

  function perform(effect: Effect): void {
    switch (effect.type) {
      case "decline":
        log.warn({ ...about, request: effect.subtype }, "agent.requestDeclined");
        return child.send(declineLine(effect.requestId, effect.subtype));
      case "failStart":
        session.failure = effect;
        return ending.begin("now");
      case "askContext": {
        const requestId = newId();
        session.state = contextAsked(session.state, requestId);
        return child.send(controlRequestLine(requestId, { subtype: "get_context_usage" }));
      }
      case "awaitResult":
        clock.setTimeout(() => void settlePrompt(effect.uuid), RESULT_PATIENCE_MS);
        return;
    }
  }

  async function settlePrompt(uuid: string): Promise<void> {
    const path = transcriptNow(session);
    if (session.closed || session.state.prompt?.uuid !== uuid || path === null) return;
    const trace = await context.trace(path, uuid);
    log.warn({ ...about, uuid, found: trace.found }, "agent.resultMissing");
    if (!session.closed) apply(settle(session.state, uuid, trace));
  }

  const gone = ending.gone().then(async (exit) => {
    session.closed = true;
    activity.stop();
    partials.over();
    binding.stop();
    emit(await lastEvent(session, ending.begun, exit));
  });
  queueMicrotask(() => {
    emit({ type: "agent.spawned", pid: child.pid, startedAt: child.startedAt });
    child.send(controlRequestLine(session.initializeId, { subtype: "initialize" }));
  });

  return {
    process: {
      ...commandsOf(session, () => activity.watch()),
      end(how) {
        ending.begin(how);
        return gone;
      },
    },
    onLine(text) {
      if (session.closed) return;
      activity.sign();
      const decoded = decodeLine(text);
      if (decoded.kind === "line") {
        apply(translate(session.state, decoded.line, (id) => transcriptOf(context, id)));
      } else if (decoded.kind === "malformed") {
        const { detail } = decoded;
        log.warn({ ...about, detail, start: text.slice(0, 200) }, "agent.lineMalformed");
      }
    },
    onSkipped(bytes) {
      activity.sign();
      log.warn({ ...about, bytes, limit: limits.lineBytes }, "agent.lineSkipped");
      session.state = lineSkipped(session.state);
    },
  };
}

function commandsOf(session: Session, onGiven: () => void): Omit<AgentProcess, "end"> {
  const { child, context, about } = session;
  const { newId, log } = context.options;
  /** The prompt whose pictures are still read; what is said after it must not come before it. */
  let reading: Promise<void> | null = null;
  const sendInOrder = (line: object) => {
    if (reading === null) child.send(line);
    else void reading.then(() => child.send(line));
  };
  return {
    prompt({ uuid, text, images = [] }) {
      session.state = promptGiven(session.state, uuid);
      onGiven();
      if (images.length === 0) return child.send(promptLine(uuid, text));
      reading = readImages(images, log).then((blocks) => {
        child.send(promptLine(uuid, text, blocks));
        reading = null;
      });
    },
    interrupt() {
      session.state = interruptSent(session.state);
      // A prompt that waits behind another turn is meant as well.
      sendInOrder(controlRequestLine(newId(), { subtype: "interrupt", cancel_queued: true }));
    },
    configure(settings) {
      const { model, mode, effort } = settings;
      const ask = (request: object) => child.send(controlRequestLine(newId(), request));
      if (model !== undefined) ask({ subtype: "set_model", model });
      if (mode !== undefined) ask({ subtype: "set_permission_mode", mode });
      // Takes effect at once (`get_settings` says so on 2.1.332).
      if (effort !== undefined) {
        ask({ subtype: "apply_flag_settings", settings: { effortLevel: effort } });
      }
    },
    decide(requestId, decision) {
      const asked = session.state.approvals.get(requestId);
      if (asked === undefined) {
        log.info({ ...about, requestId }, "agent.decisionLate");
        return;
      }
      session.state = approvalDecided(session.state, requestId);
      child.send(decisionLine(requestId, decision, asked));
    },
  };
}

async function lastEvent(session: Session, ended: boolean, exit: ChildExit): Promise<AgentEvent> {
  const { context, state, failure, child } = session;
  const verdict = verdictOf({
    plan: context.request.plan,
    ready: state.ready,
    ended: ended && failure === null,
    failure: failure === null ? null : { reason: failure.reason, detail: failure.detail },
    startErrors: state.startErrors,
    exit,
    stderr: child.stderr(),
    at: context.options.clock.now(),
  });
  const { plan } = context.request;
  // Only where the agent looks: what is kept elsewhere may well be unknown to it.
  const there =
    verdict.type === "agent.refused" &&
    callsUnknown(verdict) &&
    plan.mode === "resume" &&
    plan.transcript === context.transcriptOf(plan.agentSessionId) &&
    (await holdsAnswer(plan.transcript));
  return there ? contradicted(verdict) : verdict;
}
