import type { Choice, FailureReason } from "../../machines/facts.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import type { Wording } from "./wording.ts";

/** Who holds a conversation that is asked for: another topic of this chat, or another chat. */
export type Holder = "topic" | "chat";

/** `/resume`, `/fork` and `/sessions`. */
export interface ConversationWords {
  readonly none: Wording;
  readonly noneEarlier: Wording;
  /** Over the list of `/resume`, and under it. */
  readonly earlier: Wording;
  readonly howBack: Wording;
  moreById(count: number): Wording;
  /** Under the list of `/sessions`. */
  readonly pressOne: Wording;
  moreByResume(count: number): Wording;
  readonly noWorkspace: Wording;
  turns(count: number): Wording;
  ago(age: string): Wording;
  readonly forkWhich: Wording;
  unknown(asked: string): Wording;
  current(id: string): Wording;
  ambiguous(asked: string, ids: readonly string[]): Wording;
  held(id: string, by: Holder): Wording;
  leaving(id: string): Wording;
}

/** Where the agent works, and walking through the folders where it may. */
export interface WorkspaceWords {
  readonly noneYet: Wording;
  current(path: string, roots: readonly string[]): Wording;
  shared(path: string): Wording;
  /** Why one that the user named is not taken. */
  refused(reason: FailureReason, named: string): Wording;
  readonly choose: Wording;
  inside(path: string): Wording;
  /** Asks for the name of a new folder. */
  newFolder(path: string): Wording;
  readonly badName: Wording;
}

/** `/model`, `/mode`, `/effort` and `/verbose`. */
export interface ChoiceWords {
  /** What `/verbose` offers, from `0` on. */
  readonly levels: readonly [Wording, Wording, Wording];
  ask(choice: Choice, current: string | null, isOffered: boolean): Wording;
  unknown(choice: Choice, asked: string, offered: readonly string[]): Wording;
  readonly notApprover: Wording;
}

/** The answer to `/status`, line by line. */
export interface StatusWords {
  readonly phases: Readonly<Record<SessionPhase | "queued", Wording>>;
  failed(reason: FailureReason): Wording;
  readonly asleep: Readonly<Record<"fresh" | "resumes" | "nothing", Wording>>;
  workspace(path: string): Wording;
  agent(kind: string, agentSessionId: string | null): Wording;
  model(name: string | null): Wording;
  context(percent: number | null): Wording;
  queue(waiting: number): Wording;
  running(text: string): Wording;
  parked(count: number, first: string): Wording;
}
