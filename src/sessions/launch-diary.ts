import { contextPercent } from "../../machines/context-usage.ts";
import type { Launch, SessionFacts } from "../../machines/facts.ts";
import type { AgentEvent } from "../../machines/vocabulary.ts";
import type { Logger } from "../log.ts";
import type { Agent, Clock, SessionKey, Store } from "../ports.ts";

export interface DiaryOptions {
  readonly agent: Pick<Agent, "inspectTranscript">;
  readonly store: Pick<Store, "facts">;
  /** Of the configuration; null leaves the choice to the agent. */
  readonly model: string | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the log says of one process, from its launch to its end. */
export interface LaunchDiary {
  /** Its end was asked for: how it comes is no failure. */
  endAsked(): void;
  /**
   * An event of the process, as it happens; returns what writes its record. In between the machine
   * hears of it, and what that asks for is no cause of it.
   */
  note(event: AgentEvent): () => void;
}

/** What is known of the process so far. */
interface Story {
  readonly options: DiaryOptions;
  readonly launch: Launch;
  readonly cwd: string | null;
  /** As the agent has named it last; a launch that continues has none before. */
  session: { readonly id: string | null; readonly transcript: string | null };
  ready: boolean;
  gone: boolean;
  asked: boolean;
  /** Its end was asked for because it did not answer in time: a failure all the same. */
  timedOut: string | null;
}

export function createLaunchDiary(
  options: DiaryOptions,
  key: SessionKey,
  facts: SessionFacts,
  launch: Launch,
): LaunchDiary {
  const began = options.clock.now();
  const story: Story = {
    options,
    launch,
    cwd: facts.workspace,
    session: { id: launch.agentSessionId, transcript: launch.transcript },
    ready: false,
    gone: false,
    asked: false,
    timedOut: null,
  };
  const model = modelOf(options.model, facts, launch);
  return {
    endAsked() {
      if (story.gone) return;
      story.asked = true;
      const { failure } = options.store.facts(key);
      if (!story.ready && failure?.reason === "start-timeout") story.timedOut = failure.detail;
    },
    note(event) {
      const elapsed_ms = options.clock.now() - began;
      const base = { session_key: key, epoch: launch.epoch, elapsed_ms };
      story.gone ||= isGone(event);
      return () => {
        if (event.type === "agent.spawned") noteSpawned(story, event.pid, { ...base, model });
        else noteEvent(story, event, base);
      };
    },
  };
}

/** The model that the launch asks for: a resume may otherwise lose the size of the window it ran with. */
export function modelOf(
  configured: string | null,
  facts: SessionFacts,
  launch: Launch,
): string | null {
  const kept = launch.mode === "fresh" ? null : facts.bound?.model;
  return facts.choices.model ?? kept ?? configured;
}

function noteSpawned({ options, launch, cwd }: Story, agent_pid: number, base: object): void {
  const agent_session_id = launch.mode === "fresh" ? "new" : (launch.agentSessionId ?? "unknown");
  options.log.info({ ...base, cwd, agent_session_id, agent_pid }, "session.spawn");
}

function noteEvent(story: Story, event: AgentEvent, base: object): void {
  const { log } = story.options;
  switch (event.type) {
    case "agent.ready":
      return noteReady(story, event.model, base);
    case "agent.bound":
    case "agent.reset":
      story.session = { id: event.agentSessionId, transcript: event.transcript };
      return log.debug({ ...base, agent_session_id: event.agentSessionId }, event.type);
    case "agent.refused":
    case "agent.unavailable":
    case "agent.exited":
      return noteGone(story, event, base);
    case "turn.ended":
      return log.info({ ...base, ...usageOf(event) }, "context_usage");
    case "agent.active":
      return;
    default:
      return log.debug(base, event.type);
  }
}

function noteReady(story: Story, model: string | null, base: object): void {
  const { options, session, cwd } = story;
  story.ready = true;
  const fields = { ...base, agent_session_id: session.id, cwd, model };
  if (story.launch.mode !== "resume") return options.log.info(fields, "session.ready");
  withSize(story, (size) => options.log.info({ ...fields, ...size }, "session.resumed"));
}

type Gone = Extract<AgentEvent, { type: "agent.exited" | "agent.refused" | "agent.unavailable" }>;

function isGone(event: AgentEvent): event is Gone {
  return ["agent.exited", "agent.refused", "agent.unavailable"].includes(event.type);
}

function noteGone(story: Story, event: Gone, base: object): void {
  const { session, cwd, asked, timedOut } = story;
  const { log } = story.options;
  const fields = { ...base, agent_session_id: session.id, cwd, ...howItEnded(event, timedOut) };
  if (asked && timedOut === null) return log.info(fields, "agent.exited");
  const failed = { ...fields, error: timedOut ?? errorOf(event), stderr: event.stderr };
  if (story.ready || story.launch.mode === "fresh") return log.error(failed, "agent.failed");
  withSize(story, (size) => log.error({ ...failed, ...size }, "session.resumeFailed"));
}

/** A record with the transcript's size: written a moment later, for nobody waits for the file. */
function withSize(
  { options, session: { transcript } }: Story,
  write: (size: { transcript: string | null; transcript_bytes: number | null }) => void,
): void {
  const found =
    transcript === null
      ? Promise.resolve(null)
      : options.agent.inspectTranscript(transcript).catch(() => null);
  void found.then((one) => write({ transcript, transcript_bytes: one?.bytes ?? null }));
}

function errorOf(event: Gone): string {
  if (event.type !== "agent.exited") return event.detail;
  return event.signal === null ? `exit code ${event.code ?? "unknown"}` : `signal ${event.signal}`;
}

function howItEnded(event: Gone, timedOut: string | null) {
  if (event.type === "agent.exited") return { code: event.code, signal: event.signal };
  if (event.type === "agent.refused") return { reason: "refused" };
  return { reason: timedOut === null ? event.reason : "start-timeout" };
}

function usageOf(event: Extract<AgentEvent, { type: "turn.ended" }>) {
  return {
    outcome: event.outcome,
    sdk_pct: contextPercent(event.context),
    self_reported_pct: event.selfReportedPercent,
    input_tokens: event.usage?.inputTokens ?? null,
    output_tokens: event.usage?.outputTokens ?? null,
  };
}
