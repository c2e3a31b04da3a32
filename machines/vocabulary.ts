/**
 * The one vocabulary of events between agents, channels and machines.
 * Wire formats are translated into it inside their adapter's folder and are
 * seen nowhere else.
 */

export type AgentKind = "claude" | "scripted";

/** Size of the context as the agent last reported it, in tokens. */
export interface ContextSize {
  readonly used: number;
  readonly window: number;
}

/** Sums over one turn, for the log only: they say nothing about the context's size. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | null;
  readonly durationMs: number | null;
}

/** Why an agent could not be started, none of which says anything about its session. */
export type UnavailableReason =
  | "binary-missing"
  | "not-executable"
  | "not-logged-in"
  | "spawn-failed"
  | "start-timeout"
  | "start-failed"
  | "projects-missing"
  | "session-in-use"
  | "workspace-missing"
  | "workspace-not-a-directory"
  | "workspace-unreadable"
  | "workspace-outside-roots"
  | "no-workspace"
  | "store-failed";

/**
 * How a turn ended.
 * - completed: correlated, no error, at least one real main-thread assistant row
 * - local: a local command (`/cost`): a success without any API call
 * - failed: the agent reports an error (`is_error`), API errors included
 * - too-large: the context does not fit the model's window
 * - interrupted: stopped by an interrupt
 * - swallowed: the agent says it is done with the prompt, and there is no result
 */
export type TurnOutcome =
  | "completed"
  | "local"
  | "failed"
  | "too-large"
  | "interrupted"
  | "swallowed";

/** One question that the agent puts to the user, with the answers it offers. */
export interface Question {
  readonly question: string;
  /** A word or two that name it; may be empty. */
  readonly header: string;
  readonly multiSelect: boolean;
  readonly options: readonly { readonly label: string; readonly description: string }[];
}

/** Something that the agent would not ask for again. */
export interface Allowance {
  readonly what:
    /** By the agent's own names: `Bash(npm test:*)`. */
    | { readonly kind: "rules"; readonly rules: readonly string[] }
    | { readonly kind: "folders"; readonly paths: readonly string[] }
    | { readonly kind: "mode"; readonly mode: string };
  /** `everybody`: in the project, for all who work on it. */
  readonly where: "session" | "project" | "everybody" | "everywhere";
}

/**
 * What the agent waits for a person to decide.
 * - tool: may this tool be used
 * - plan: shall this plan be carried out
 * - question: `questions` want answers
 */
export interface ApprovalRequest {
  readonly requestId: string;
  /** The tool call it is about: its end is the evidence of the outcome. Null where the agent names none. */
  readonly toolUseId: string | null;
  readonly kind: "tool" | "plan" | "question";
  readonly tool: string;
  /** Short form of the input: a path, a command; one line, at most 200 characters. */
  readonly summary: string;
  /** All of it, as Markdown: the command, a diff, the plan; at most 20,000 characters, empty for questions. */
  readonly detail: string;
  /** What "always" would allow from now on, by the agent's own suggestion; null where it suggests nothing. */
  readonly always: readonly Allowance[] | null;
  /** Empty unless it is a question. */
  readonly questions: readonly Question[];
}

export type ApprovalDecision =
  | {
      readonly allow: true;
      /** As the agent suggested it; false where it suggested nothing. */
      readonly always: boolean;
      /** By the question's text: the labels of the chosen options, or what was typed. Empty unless it is a question. */
      readonly answers: Readonly<Record<string, string>>;
    }
  | { readonly allow: false; readonly reason: string };

/** What a live agent can be told to go on with; absent: as it is. */
export interface AgentSettings {
  readonly model?: string;
  /** The agent's permission mode. */
  readonly mode?: string;
  readonly effort?: string;
}

/** What an agent says may be chosen; an empty list: it does not say, or offers no choice. */
export interface AgentOffers {
  readonly models: readonly { readonly value: string; readonly label: string }[];
  readonly modes: readonly string[];
  readonly efforts: readonly string[];
}

/** What an agent adapter tells; `refused`, `unavailable` and `exited` each mean: the process is certainly gone. */
export type AgentEvent =
  | { readonly type: "agent.spawned"; readonly pid: number; readonly startedAt: string }
  | { readonly type: "agent.ready"; readonly model: string | null }
  | { readonly type: "agent.refused"; readonly detail: string; readonly stderr: string }
  | {
      readonly type: "agent.unavailable";
      readonly reason: UnavailableReason;
      readonly detail: string;
      readonly stderr: string;
    }
  | {
      readonly type: "agent.exited";
      /** Milliseconds since 1970, for the crash limit. */
      readonly at: number;
      readonly code: number | null;
      readonly signal: string | null;
      readonly stderr: string;
    }
  /** Any sign of life: a line of output or growth of the transcript. Sent at most once a second. */
  | { readonly type: "agent.active" }
  /** The running agent session's transcript exists. */
  | {
      readonly type: "agent.bound";
      readonly agentSessionId: string;
      readonly transcript: string;
      readonly model: string | null;
    }
  /** The size of the context outside a turn: after a resume, after a compaction. */
  | { readonly type: "agent.context"; readonly context: ContextSize }
  /** A typed `/clear`: the process goes on under another agent session id. */
  | {
      readonly type: "agent.reset";
      readonly agentSessionId: string;
      readonly transcript: string;
    }
  /** Number of background tasks that run now. */
  | { readonly type: "agent.background"; readonly count: number }
  /** The agent has taken the prompt with this uuid out of its queue. */
  | { readonly type: "turn.accepted"; readonly uuid: string }
  /** The agent starts a turn nobody asked for (a background task ended). */
  | { readonly type: "turn.began"; readonly cause: string }
  /** What the main thread's newest text block holds so far; at most twice a second. */
  | { readonly type: "turn.partial"; readonly text: string }
  /** One whole text block of the main thread that is not the last one. */
  | { readonly type: "turn.text"; readonly text: string }
  | {
      readonly type: "turn.toolStarted";
      readonly toolUseId: string;
      readonly name: string;
      /** Short form of the input: a path, a command; at most 200 characters. */
      readonly summary: string;
    }
  | { readonly type: "turn.toolEnded"; readonly toolUseId: string }
  | { readonly type: "turn.compacting"; readonly active: boolean }
  /** A compaction has ended. `manual`: the user asked for it; a failed one does not say. */
  | {
      readonly type: "turn.compacted";
      readonly ok: boolean;
      readonly manual: boolean;
      /** The agent's own words about a failure; empty otherwise. */
      readonly detail: string;
    }
  | {
      readonly type: "turn.ended";
      /** The prompts this turn answered; empty for an unsolicited turn. */
      readonly uuids: readonly string[];
      readonly outcome: TurnOutcome;
      /** The answer, or the agent's own error text. */
      readonly text: string;
      readonly context: ContextSize | null;
      readonly usage: TurnUsage | null;
      /** The agent's own estimate in percent, parsed out of the answer; null when it gave none. */
      readonly selfReportedPercent: number | null;
    }
  | { readonly type: "agent.offers"; readonly offers: AgentOffers }
  | { readonly type: "approval.requested"; readonly request: ApprovalRequest }
  | { readonly type: "approval.withdrawn"; readonly requestId: string };

/** What a machine asks of a running agent. */
export type AgentCommand =
  | {
      readonly type: "prompt";
      readonly messageId: number;
      readonly uuid: string;
    }
  | { readonly type: "interrupt" }
  | {
      readonly type: "decide";
      readonly requestId: string;
      readonly decision: ApprovalDecision;
    }
  | { readonly type: "configure"; readonly settings: AgentSettings }
  /** Ends the process: `now` skips the graceful step. The last event is one of the three that mean gone. */
  | { readonly type: "end"; readonly now: boolean };

/** What the transcript says about one prompt. */
export type PromptTrace =
  | { readonly found: "absent" }
  | { readonly found: "finished"; readonly text: string; readonly context: ContextSize | null }
  | { readonly found: "unfinished"; readonly toolsRan: boolean };

export type TranscriptState = "present" | "missing" | "unreadable";
