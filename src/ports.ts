import type { SessionFact, SessionFacts } from "../machines/facts.ts";
import type {
  AgentEvent,
  AgentKind,
  AgentOffers,
  AgentSettings,
  ApprovalDecision,
  PromptTrace,
  TranscriptState,
  UnavailableReason,
} from "../machines/vocabulary.ts";
import type { Attachment } from "./attachment.ts";
import type { Wording } from "./words/wording.ts";

/**
 * The seams of holdfast. Every adapter of a port passes the port's suite in
 * test/contract. An optional method declares a capability.
 */

// ── Clock ────────────────────────────────────────────────────────────────────

export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(fn: (...args: unknown[]) => void, ms: number): unknown;
  clearTimeout(id: unknown): void;
}

// ── Agent ────────────────────────────────────────────────────────────────────

export type Availability =
  | {
      readonly usable: true;
      readonly version: string;
      /** Null where it does not tell. */
      readonly offers: AgentOffers | null;
    }
  | { readonly usable: false; readonly reason: UnavailableReason; readonly detail: string };

/** Marks a process in its environment, so that it is found although its pid was never recorded. */
export interface AgentMarker {
  readonly stateDir: string;
  readonly sessionKey: string;
  readonly epoch: number;
}

export interface RunningAgent {
  readonly pid: number;
  readonly startedAt: string;
  readonly marker: AgentMarker;
}

export type LaunchPlan =
  | {
      readonly mode: "fresh";
      readonly agentSessionId: string;
    }
  | {
      readonly mode: "resume";
      readonly agentSessionId: string;
      /** Absolute path of the transcript as it was recorded. */
      readonly transcript: string;
    }
  | { readonly mode: "continue" }
  /** A session of its own with all that was said in another, which is left as it is. */
  | {
      readonly mode: "fork";
      readonly agentSessionId: string;
      readonly from: string;
    };

export interface LaunchRequest {
  readonly plan: LaunchPlan;
  /** Normalized workspace. */
  readonly cwd: string;
  /** The model the session ran with; null leaves the choice to the agent's own configuration. */
  readonly model: string | null;
  /** The permission mode that the user chose. Default: as configured. */
  readonly permissionMode?: string;
  /** How hard the model thinks, by the agent's own names. Default: as the agent is configured. */
  readonly effort?: string;
  /** Variables by which the agent reaches the commands that are its own (`holdfast send`). Default: it has none. */
  readonly commandEnv?: Readonly<Record<string, string>>;
  readonly marker: AgentMarker;
}

export interface PromptRequest {
  /** Stable across re-deliveries: the agent and its transcript recognise the prompt by it. */
  readonly uuid: string;
  readonly text: string;
  /** Absolute paths of images (PNG, JPEG, GIF, WebP) that are shown to the agent with the text. One that cannot be read is left out. Default: none. */
  readonly images?: readonly string[];
}

/** One live process. Its last event is `agent.refused`, `agent.unavailable` or `agent.exited`. */
export interface AgentProcess {
  /** One at a time: the next only after `turn.ended`. */
  prompt(request: PromptRequest): void;
  interrupt(): void;
  /** Answers an `approval.requested`; one that is not open any more is ignored. */
  decide(requestId: string, decision: ApprovalDecision): void;
  /** Goes on with another model, permission mode or effort, a running turn included where the agent can. */
  configure(settings: AgentSettings): void;
  /**
   * Ends the process with all its descendants: end_session, then SIGTERM after
   * `endGraceMs`, then SIGKILL after `termGraceMs`. `now` starts at SIGTERM.
   * Idempotent; resolves when it is certainly gone, after the last event.
   */
  end(how: "graceful" | "now"): Promise<void>;
}

export interface Agent {
  readonly kind: AgentKind;
  /** Whether it could be started now. Never throws; ends its process and answers `start-timeout` when aborted. */
  check(signal?: AbortSignal): Promise<Availability>;
  /**
   * Starts a process and reports everything through `emit`, from a later tick
   * on. Never throws: a failed spawn is `agent.unavailable`.
   */
  launch(request: LaunchRequest, emit: (event: AgentEvent) => void): AgentProcess;
  /** Where the transcript of a session started in `cwd` will be. */
  transcriptPath(agentSessionId: string, cwd: string): string;
  /** `unreadable`: the agent's whole projects folder is missing or cannot be read, which says nothing about the session. */
  inspectTranscript(
    path: string,
  ): Promise<{ readonly state: TranscriptState; readonly bytes: number | null }>;
  /** What the transcript says about a prompt. A missing file means `absent`. */
  tracePrompt(transcript: string, uuid: string): Promise<PromptTrace>;
  /** Whether the transcript was read whole and lacks one of these prompts; never rejects. */
  lacksPrompt(transcript: string, uuids: readonly string[]): Promise<boolean>;
  /** Processes of this state directory that are still alive, of one session or of all. */
  findRunning(stateDir: string, sessionKey?: string): Promise<readonly RunningAgent[]>;
  /** Ends a process found by `findRunning` with its descendants; resolves when it is gone. */
  endRunning(running: RunningAgent): Promise<void>;
  /** A live process of somebody else (a person's terminal) on this agent session. */
  findForeign(agentSessionId: string, stateDir: string): Promise<{ readonly pid: number } | null>;
}

// ── Channel ──────────────────────────────────────────────────────────────────

/** Where a session's messages come from and go to. */
export interface Address {
  /** `telegram` or `local`. */
  readonly channel: string;
  readonly chatId: string;
  /** Forum topic; null outside topics and for General. */
  readonly topicId: string | null;
}

/** What came in, translated. The same transaction stores it and moves the offset. */
export type Intake =
  | {
      readonly kind: "message";
      readonly updateId: number;
      readonly address: Address;
      readonly sender: string;
      readonly text: string;
      /** It ends the running turn and goes before what waits. */
      readonly urgent?: true;
      /** The platform's id of the message of ours that it replies to. Default: it replies to none. */
      readonly replyTo?: string;
      /** What came with it; the text may then be empty. Default: nothing. */
      readonly files?: readonly IncomingFile[];
      /** The platform's id of the message, to reply to. */
      readonly platformMessageId: string | null;
    }
  | {
      readonly kind: "command";
      readonly updateId: number;
      readonly address: Address;
      readonly sender: string;
      /** Without the slash, lower case, without `@bot`. */
      readonly name: string;
      readonly args: string;
      /** The platform's id of a message of the chat's own people that it replies to. Default: it replies to none. */
      readonly about?: string;
      readonly platformMessageId: string | null;
    }
  /** A message of an allowed user that holds nothing the agent can be given yet. */
  | {
      readonly kind: "unsupported";
      readonly updateId: number;
      readonly address: Address;
      readonly sender: string;
      readonly what: Attachment;
      readonly platformMessageId: string | null;
    };

/** A photo or a document, to be fetched when its message is given to the agent. */
export interface IncomingFile {
  /** The platform's. */
  readonly fileId: string;
  /** As its sender named it: untrusted. */
  readonly name: string;
  /** Null where the platform does not say. */
  readonly bytes: number | null;
}

export type FetchedFile =
  | { readonly ok: true; readonly content: Uint8Array }
  | { readonly ok: false; readonly tooBig: boolean; readonly detail: string };

export type PollResult =
  | {
      readonly outcome: "received";
      readonly intakes: readonly Intake[];
      /** The offset to store and to ask with next; null when nothing came. */
      readonly nextOffset: number | null;
    }
  | { readonly outcome: "failed"; readonly detail: string; readonly retryAfterMs: number | null }
  | { readonly outcome: "conflict"; readonly detail: string }
  | { readonly outcome: "fatal"; readonly detail: string };

export type SendResult =
  | { readonly outcome: "sent"; readonly platformMessageId: string }
  /** The whole chat must wait. */
  | { readonly outcome: "gated"; readonly retryAfterMs: number; readonly detail: string }
  /** Certainly not delivered: try again. */
  | { readonly outcome: "retry"; readonly detail: string }
  /** May have been delivered: the acknowledgement is missing. */
  | { readonly outcome: "ambiguous"; readonly detail: string }
  /** Nothing can be sent to this chat (blocked, kicked, not found). */
  | { readonly outcome: "disabled"; readonly detail: string }
  /** The topic is closed or deleted: the row is set aside until somebody writes there again. */
  | { readonly outcome: "topicClosed"; readonly detail: string }
  /** Refused in every form: given up, and the chat is told that something is missing. */
  | { readonly outcome: "refused"; readonly detail: string }
  /** Holds nothing that anybody misses, or has no receiver: given up, logged. */
  | { readonly outcome: "dropped"; readonly detail: string }
  /** The chat lives on under another id. */
  | { readonly outcome: "moved"; readonly chatId: string };

/** One platform message, rendered and within the platform's limits. Opaque outside its channel. */
export type Part = Readonly<Record<string, unknown>>;

export interface Outgoing {
  readonly id: number;
  readonly address: Address;
  /** Markdown (GFM). */
  readonly text: string;
  /** Appended to the text's last part on a line of its own, e.g. `[ctx: 62%]`; null for notices. */
  readonly footer: string | null;
  readonly replyTo: string | null;
  /** Sent as a document with the text as its caption. Default: text only. */
  readonly file?: OutgoingFile;
  /** Rows of buttons under the last part. Default: none. */
  readonly buttons?: readonly (readonly Button[])[];
  /** The platform's id of the message that gets this text in its place. Default: a new message. */
  readonly editOf?: string;
}

export interface OutgoingFile {
  /** Without a path. */
  readonly name: string;
  readonly content: Uint8Array;
}

export interface Button {
  readonly label: string;
  /** Short and random; it stands for what the store keeps of the button. */
  readonly nonce: string;
}

/** A text that its reader sees grow, before there is a message of it. It lapses by itself. */
export interface Draft {
  /** Not 0. The same for all that one text becomes. */
  readonly id: number;
  /** Markdown (GFM), perhaps cut in the middle of a mark. */
  readonly text: string;
}

/** `refused`: this chat has none, now and later. `later`: not now. */
export type DraftResult = "shown" | "refused" | "later";

export interface Channel {
  readonly name: string;
  /** Asks for what came in since `offset`. Never throws, save when aborted. Absent where nothing is polled. */
  poll?(offset: number | null, signal: AbortSignal): Promise<PollResult>;
  /** Splits into platform messages. Deterministic: after a crash the same text gives the same parts. */
  render(outgoing: Outgoing): readonly Part[];
  /** Sends one part. Never throws. */
  send(outgoing: Outgoing, part: Part): Promise<SendResult>;
  /** Fetches what came with a message. Never throws. Absent: nothing can come with one. */
  fetchFile?(file: IncomingFile, maxBytes: number): Promise<FetchedFile>;
  /** Milliseconds between two changes of the message that shows a running turn. Absent: turns are not shown. */
  progressEveryMs?(address: Address): number;
  /** Shows a text that still grows, until it is a message. Never throws. Absent: no chat can. */
  showDraft?(address: Address, draft: Draft): Promise<DraftResult>;
  /** Ends the wait of somebody who has pressed a button; `text` is shown to them alone, for a moment. Failures are ignored. */
  answerPress?(pressId: string, text: Wording | null): Promise<void>;
  /** Marks a message as seen: it waits its turn. Failures are ignored. */
  noteWaiting?(address: Address, platformMessageId: string): Promise<void>;
  /** Shows that work goes on; failures are ignored. */
  typing?(address: Address): Promise<void>;
  /** Registers the command menu and checks the credentials. */
  prepare?(): Promise<
    { readonly ok: true; readonly name: string } | { readonly ok: false; readonly detail: string }
  >;
}

// ── Store ────────────────────────────────────────────────────────────────────

/** `channel/chat/topic`, the topic `-` where there is none. Made by src/sessions/session-key.ts. */
export type SessionKey = string;

export interface StoredCommand {
  readonly id: number;
  readonly key: SessionKey;
  readonly address: Address;
  readonly sender: string;
  readonly name: string;
  readonly args: string;
  /** As in its intake; null where it replies to none. */
  readonly about: string | null;
  readonly platformMessageId: string | null;
}

export interface StoredMessage {
  readonly id: number;
  readonly key: SessionKey;
  readonly address: Address;
  readonly sender: string;
  readonly text: string;
  readonly files: readonly IncomingFile[];
  readonly platformMessageId: string | null;
  readonly receivedAt: number;
}

/** A row for the outbox. */
export type OutgoingDraft = DraftText & {
  readonly footer: Wording | null;
  readonly replyTo: string | null;
  /** Unique in the outbox: a second row with the same one is not inserted. Null: always inserted. */
  readonly dedupe: string | null;
  /** Rows of buttons under it. Default: none. */
  readonly buttons?: readonly (readonly DraftButton[])[];
  /**
   * The row whose message gets this text and these buttons in place of its own,
   * by its id or `dedupe`; those that it had are void from now on. Where there
   * is no such row, this one is a new message. Default: a new message.
   */
  readonly edits?: number | string;
  /** Kept until it has been sent. Default: none. */
  readonly file?: OutgoingFile;
};

/** An answer is the agent's text, a notice is our own. */
type DraftText =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "notice"; readonly text: Wording };

export interface DraftButton {
  readonly label: Wording;
  /** What it does, made and read by src/buttons.ts. */
  readonly action: string;
  /** The only one who may press it. Default: everybody who may speak here. */
  readonly owner?: string;
}

/** A button as it was offered. */
export interface StoredButton {
  readonly key: SessionKey;
  readonly label: string;
  readonly action: string;
  readonly owner: string | null;
  /** When its message was written, milliseconds since 1970. */
  readonly createdAt: number;
  /** Its message was given another text or other buttons since. */
  readonly isVoid: boolean;
  /** The row that carries it, and its text. */
  readonly row: number;
  readonly text: string;
}

/** The message of a turn that a crash has cut off. */
export interface LeftProgress {
  readonly key: SessionKey;
  readonly address: Address;
  /** Null where its arrival was never acknowledged. */
  readonly platformMessageId: string | null;
}

export interface SentMessage {
  /** Of the row that made it. */
  readonly dedupe: string | null;
  /** What the session was bound to; null where it was bound to none. */
  readonly agentSessionId: string | null;
}

/** What is written together: one transaction. */
export interface SessionWrite {
  readonly facts: readonly SessionFact[];
  readonly outgoing: readonly OutgoingDraft[];
  /** Commands that are handled with it. */
  readonly commandsDone: readonly number[];
  /** A message's new text. */
  readonly edited?: { readonly id: number; readonly text: string };
}

export interface IntakeItem {
  readonly intake: Intake;
  readonly key: SessionKey;
  /** For a message: the stable uuid of its prompt. */
  readonly uuid: string;
  /** Rows that answer it at once (`unsupported`, a full queue). Such an item is stored as done. */
  readonly reply: OutgoingDraft | null;
  /** A command that it implies, carried out before it. Default: none. */
  readonly before?: { readonly name: string; readonly args: string };
}

export interface IntakeResult {
  readonly messages: readonly StoredMessage[];
  readonly commands: readonly StoredCommand[];
  /** Chats with new rows to send, parked ones that wait no longer included, as `laneOf` names them. */
  readonly lanes: readonly string[];
}

export interface OutboxRow extends Outgoing {
  readonly kind: "answer" | "notice";
  readonly key: SessionKey;
  /** Parts already acknowledged. */
  readonly partsSent: number;
  /** A send was begun and its end is not known (a crash, a time-out): a copy may exist. */
  readonly uncertain: boolean;
  readonly createdAt: number;
  /** As in its draft. */
  readonly dedupe: string | null;
  /** It changes a message: with no `editOf`, one that never arrived. */
  readonly edits: boolean;
}

export interface SessionSummary {
  readonly key: SessionKey;
  readonly address: Address;
  readonly facts: SessionFacts;
}

/** What one turn used, and what the agent itself made of it. */
export type MeasuredTurn = Extract<SessionFact, { type: "turn.measured" }>;

export interface Store extends Disposable {
  /** Last stored offset of a channel's account (a bot id); null when there is none. */
  offset(channel: string, account: string): number | null;
  /**
   * One fsynced transaction: every item not seen before (by channel, account
   * and update id) with its `message.received` fact, and the new offset, which
   * may be lower: a platform that was silent for a week numbers anew. Parked
   * rows of a session that something new came from are to be sent again.
   */
  intake(
    channel: string,
    account: string,
    items: readonly IntakeItem[],
    nextOffset: number | null,
  ): IntakeResult;
  /** Commands stored and not yet handled, in order. */
  pendingCommands(): readonly StoredCommand[];
  message(id: number): StoredMessage | null;
  /** The session's message with this number of the platform's; null where there is none. */
  messageOnPlatform(key: SessionKey, platformMessageId: string): StoredMessage | null;
  /** A turn is to be shown in a message; returns the nonce of the button that stops it. */
  beginProgress(key: SessionKey): string;
  noteProgress(key: SessionKey, platformMessageId: string): void;
  /** The message is closed: its button is void. */
  endProgress(key: SessionKey): void;
  leftProgress(): readonly LeftProgress[];
  /** Null for a nonce that was never given out. */
  button(nonce: string): StoredButton | null;
  /** What is known of a message that was sent; null where no such message was. */
  sent(key: SessionKey, platformMessageId: string): SentMessage | null;
  /** Folded facts of a session; the initial ones for a key never seen. */
  facts(key: SessionKey): SessionFacts;
  /** All facts in order, for diagnosis. */
  history(key: SessionKey): readonly { readonly at: number; readonly fact: SessionFact }[];
  /**
   * The measured turns of all sessions in the order they were written. Read
   * while they are iterated, a bounded number at a time, and nothing is folded;
   * what is written meanwhile may come too.
   */
  measuredTurns(): Iterable<MeasuredTurn>;
  session(key: SessionKey): SessionSummary | null;
  /** Keys of sessions with messages that have not ended or a launch that has not exited. */
  keysWithWork(): readonly SessionKey[];
  /** Directories that chats were bound to, the latest first. */
  recentWorkspaces(limit: number): readonly string[];
  /** Keys whose bound session is this one, for the note on shared workspaces. */
  keysInWorkspace(path: string): readonly SessionKey[];
  /** Sessions that hold or have left an agent session whose id begins so, by key. */
  sessionsKnowing(agentSessionId: string): readonly SessionSummary[];
  /** One transaction. Returns the folded facts after it. The address must be known, from an intake or `ensureSession`. */
  write(key: SessionKey, write: SessionWrite): SessionFacts;
  ensureSession(key: SessionKey, address: Address): void;
  /** Chats with rows to send; parked ones are none. */
  pendingLanes(): readonly string[];
  /** First row to send in a lane. */
  nextOutgoing(lane: string): OutboxRow | null;
  /** Before a part is handed to the network. */
  markSending(id: number): void;
  /** After its acknowledgement. `last` ends the row. Parked rows of its session are to be sent again: its topic is open. */
  markPartSent(id: number, platformMessageId: string, last: boolean): void;
  /** Certainly not delivered: it is no longer uncertain. */
  markUnsent(id: number): void;
  /** Ends a row without delivery. A `notice` about it goes to the same place, in the same transaction. */
  markDropped(id: number, reason: string, notice?: OutgoingDraft): void;
  /**
   * Sets a row aside, out of its lane's way: its topic takes nothing. The first
   * parked row of a topic puts `alert` into the chat's General in the same
   * transaction; a row of General itself, and a later one, parks in silence.
   */
  markParked(id: number, reason: string, alert: OutgoingDraft): void;
  /** A chat lives on under another id: its sessions, messages and outbox rows move. */
  moveChat(channel: string, fromChatId: string, toChatId: string): void;
}
