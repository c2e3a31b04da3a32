import type { Notice } from "../../machines/plan.ts";
import type { Attachment } from "../attachment.ts";
import type {
  ChoiceWords,
  ConversationWords,
  StatusWords,
  WorkspaceWords,
} from "./session-words.ts";
import type {
  ApprovalWords,
  ButtonWords,
  PressWords,
  ProgressWords,
  UnitWords,
} from "./turn-words.ts";
import type { Wording } from "./wording.ts";

/**
 * Everything that holdfast says to people, in one language: another language is
 * another value of this type. What it answers an agent is not for people, and
 * what it quotes (an agent's error, the system's) stays as it is.
 */
export interface Words {
  /** What a machine has to tell: what happened, what was kept, what can be done; two lines at most. */
  notice(notice: Notice): Wording;
  readonly commands: CommandWords;
  readonly messages: MessageWords;
  readonly answers: AnswerWords;
  readonly files: FileWords;
  readonly conversations: ConversationWords;
  readonly workspaces: WorkspaceWords;
  readonly choices: ChoiceWords;
  readonly status: StatusWords;
  readonly approvals: ApprovalWords;
  readonly progress: ProgressWords;
  readonly buttons: ButtonWords;
  readonly presses: PressWords;
  readonly units: UnitWords;
  readonly terminal: TerminalWords;
}

/** About commands, whatever they do. */
export interface CommandWords {
  readonly help: Wording;
  /** The command menu: 1–32 of a–z, 0–9 and `_` without the slash; 1–256 characters. */
  readonly menu: readonly { readonly command: string; readonly description: Wording }[];
  /** A command of the agent's that needs its own terminal. */
  refused(name: string): Wording;
  adminsOnly(name: string): Wording;
  failed(name: string): Wording;
  readonly newWithText: Wording;
  /** How `/name` is used. */
  readonly nameHow: Wording;
}

/** Why a message is not taken, and what became of a changed one. */
export interface MessageWords {
  unsupported(what: Attachment): Wording;
  readonly empty: Wording;
  tooLong(bytes: number): Wording;
  queueFull(max: number): Wording;
  readonly edited: Wording;
  readonly editedTooLate: Wording;
}

/** Around the agent's own text, and in its place. */
export interface AnswerWords {
  /** The agent ended its turn and said nothing. */
  readonly nothingSaid: Wording;
  /** In the place of a text in which nothing can be seen. */
  readonly nothingToSee: Wording;
  partial(text: string): Wording;
  /** Nobody asked for it. `cause`: what woke the agent, in its words; empty where it does not say, null where nothing did. */
  relayed(cause: string | null, text: string): Wording;
  /** Under the beginning of an answer that is too long for messages. */
  readonly wholeInFile: Wording;
  readonly fileName: Wording;
  refusedByPlatform(detail: string): Wording;
  readonly topicClosed: Wording;
}

/** Files that came with a message. What stands beside the user's own words is read by the agent. */
export interface FileWords {
  readonly came: Wording;
  readonly missing: Wording;
  cameWith(what: Attachment): Wording;
  tooBig(name: string, bytes: number): Wording;
  failed(name: string): Wording;
}

/** The chat in a terminal. */
export interface TerminalWords {
  readonly prompt: Wording;
  /** Whose words follow. */
  readonly holdfast: Wording;
  readonly agent: Wording;
  readonly noToken: Wording;
  logAt(file: string): Wording;
  demoAgent(detail: string): Wording;
}
