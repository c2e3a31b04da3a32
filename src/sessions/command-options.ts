import type { SessionCommand } from "../../machines/commands.ts";
import type { Limits } from "../../machines/limits.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import type { AgentOffers } from "../../machines/vocabulary.ts";
import type { Logger } from "../log.ts";
import type { Clock, SessionKey, Store, StoredCommand } from "../ports.ts";
import type { Wording } from "../words/wording.ts";
import type { Words } from "../words/words.ts";
import { noticeDraft } from "./ledger.ts";

/** What the handlers of commands work with. */
export interface CommandOptions {
  readonly store: Store;
  readonly words: Words;
  /** Null: each chat chooses its own. */
  readonly defaultWorkspace: string | null;
  readonly roots: readonly string[];
  readonly limits: Pick<Limits, "messageBytes" | "buttonMs">;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
  newId(): string;
  phase(key: SessionKey): SessionPhase | "queued" | null;
  /** Hands a command to the session. */
  toSession(key: SessionKey, command: SessionCommand): void;
  outboxFilled(key: SessionKey): void;
  /** What the agent last said may be chosen; null before it has run. */
  offers(): AgentOffers | null;
  /** Whether somebody may settle what the agent asks for. */
  isApprover(sender: string): boolean;
  /** Ends the wait of whoever pressed a button; `text` is shown to them alone. */
  answerPress(pressId: string, text: Wording | null): void;
}

/** Ends a command with a text. */
export function answerCommand(
  options: CommandOptions,
  command: StoredCommand,
  text: Wording,
): void {
  const { key, id, platformMessageId } = command;
  options.store.write(key, {
    facts: [],
    outgoing: [noticeDraft(text, platformMessageId)],
    commandsDone: [id],
  });
  options.outboxFilled(key);
}
