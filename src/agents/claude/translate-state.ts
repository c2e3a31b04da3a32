import type { AgentEvent, UnavailableReason } from "../../../machines/vocabulary.ts";

/** The prompt that was given and whose turn has not ended. */
export interface PromptInFlight {
  readonly uuid: string;
  readonly accepted: boolean;
  /** The agent says that it is done with it; the result has not been seen. */
  readonly settling: boolean;
  /** An interrupt was sent since it was given. */
  readonly interrupted: boolean;
}

/** What runs in the main thread now. */
export interface TurnInFlight {
  /** Nobody asked for it. A prompt that is folded into it makes it the user's. */
  readonly unsolicited: boolean;
  /** A main-thread assistant row of a real model was seen. */
  readonly real: boolean;
  /** The newest text block, held back: it may be the answer. */
  readonly heldText: string | null;
  /** What a local command printed. */
  readonly localText: string | null;
  /** What the text block holds that is being written. */
  readonly partial: string;
  /** The plan that the agent wants to carry out. */
  readonly plan: string | null;
}

/** What goes back with a decision. */
export interface AskedFor {
  readonly input: unknown;
  /** Allowed from now on with an "always", as they came. */
  readonly suggestions: readonly unknown[];
}

export interface TranslateState {
  /** Request id of `initialize`. */
  readonly initializeId: string;
  readonly ready: boolean;
  /** Error texts of a result before the agent was ready: why the start failed. */
  readonly startErrors: readonly string[];
  readonly sessionId: string | null;
  /** False until the agent itself has named its session. */
  readonly sessionNamed: boolean;
  /** The agent has said that it begins a new session, which its next init names. */
  readonly cleared: boolean;
  readonly model: string | null;
  /** The agent tells when it takes a prompt (`command_lifecycle`). */
  readonly lifecycle: boolean;
  readonly prompt: PromptInFlight | null;
  readonly turn: TurnInFlight | null;
  /** What a background task that has just ended said; the next turn of its own is its doing. */
  readonly wake: string | null;
  readonly compacting: boolean;
  /** The session was there before the process. */
  readonly resumed: boolean;
  /** Request id of the last `get_context_usage`; null before the first. */
  readonly contextRequestId: string | null;
  readonly background: ReadonlySet<string>;
  /** What waits for an approval, by request id. */
  readonly approvals: ReadonlyMap<string, AskedFor>;
  /** Tokens of the main thread's last call, and the model that was called. */
  readonly used: number | null;
  readonly usedModel: string | null;
  readonly windows: ReadonlyMap<string, number>;
  /** Cost of the process so far; null while unknown. */
  readonly cost: number | null;
}

/** What the process must do about a line, beside telling it. */
export type Effect =
  /** A request that nobody here can answer. */
  | { readonly type: "decline"; readonly requestId: string; readonly subtype: string }
  /** The agent is up and cannot be used. */
  | {
      readonly type: "failStart";
      readonly reason: UnavailableReason;
      readonly detail: string;
    }
  /** Ask how full the context is: no usage tells it before the next call. */
  | { readonly type: "askContext" }
  /** Wait a moment for this prompt's result, then call `settle`. */
  | { readonly type: "awaitResult"; readonly uuid: string };

export interface Translation {
  readonly state: TranslateState;
  readonly events: readonly AgentEvent[];
  readonly effects: readonly Effect[];
}

export interface TranslateStart {
  readonly initializeId: string;
  /** The session that was asked for; null for `--continue`. */
  readonly sessionId: string | null;
  readonly model: string | null;
  /** A resumed process may count earlier costs in, so its first sum is unknown. */
  readonly fresh: boolean;
}

export function initialState(start: TranslateStart): TranslateState {
  return {
    initializeId: start.initializeId,
    ready: false,
    startErrors: [],
    sessionId: start.sessionId,
    sessionNamed: false,
    cleared: false,
    model: start.model,
    lifecycle: false,
    prompt: null,
    turn: null,
    wake: null,
    compacting: false,
    resumed: !start.fresh,
    contextRequestId: null,
    background: new Set(),
    approvals: new Map(),
    used: null,
    usedModel: null,
    windows: new Map(),
    cost: start.fresh ? 0 : null,
  };
}

export const NEW_TURN: TurnInFlight = {
  unsolicited: false,
  real: false,
  heldText: null,
  localText: null,
  partial: "",
  plan: null,
};

export function promptGiven(state: TranslateState, uuid: string): TranslateState {
  const prompt = { uuid, accepted: false, settling: false, interrupted: false };
  return { ...state, prompt };
}

export function interruptSent(state: TranslateState): TranslateState {
  return state.prompt === null
    ? state
    : { ...state, prompt: { ...state.prompt, interrupted: true } };
}

export function contextAsked(state: TranslateState, requestId: string): TranslateState {
  return { ...state, contextRequestId: requestId };
}

export function approvalDecided(state: TranslateState, requestId: string): TranslateState {
  const approvals = new Map(state.approvals);
  approvals.delete(requestId);
  return { ...state, approvals };
}

/** A line was too long to be read: the turn may have had an answer in it. */
export function lineSkipped(state: TranslateState): TranslateState {
  return state.turn === null ? state : { ...state, turn: { ...state.turn, real: true } };
}

export const nothing = (state: TranslateState): Translation => ({
  state,
  events: [],
  effects: [],
});

export const tell = (state: TranslateState, ...events: AgentEvent[]): Translation => ({
  state,
  events,
  effects: [],
});

/** Runs a second step on what the first one left. */
export function andThen(
  first: Translation,
  next: (state: TranslateState) => Translation,
): Translation {
  const second = next(first.state);
  return {
    state: second.state,
    events: [...first.events, ...second.events],
    effects: [...first.effects, ...second.effects],
  };
}
