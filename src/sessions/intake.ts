import { findUndecided } from "../../machines/approvals.ts";
import type { SessionFacts } from "../../machines/facts.ts";
import type { Limits } from "../../machines/limits.ts";
import { FOLDER_NAMED, REPLIED } from "../channels/commands.ts";
import type { Intake, IntakeItem, OutgoingDraft, SessionKey, Store } from "../ports.ts";
import type { MessageWords } from "../words/words.ts";
import type { Wording } from "../words/wording.ts";
import { folderOf, noticeDraft, requestIdOf } from "./ledger.ts";
import { sessionKey } from "./session-key.ts";

export interface IntakeOptions {
  readonly store: Store;
  readonly limits: Pick<Limits, "queueMax" | "messageBytes">;
  readonly words: { readonly messages: MessageWords };
  newId(): string;
  /** Whether somebody may settle what the agent asks for. */
  isApprover(sender: string): boolean;
}

/** What is stored for each thing that came in, and what is answered at once. */
export function intakeItems(
  options: IntakeOptions,
  intakes: readonly Intake[],
): readonly IntakeItem[] {
  const { store, newId } = options;
  const taken = new Map<string, number>();
  return intakes.map((given) => {
    const key = sessionKey(given.address);
    const { intake, before } = meantBy(options, key, given);
    const waiting = taken.get(key) ?? store.facts(key).messages.length;
    const words = refusal(options, intake, waiting);
    if (intake.kind === "message" && words === null) taken.set(key, waiting + 1);
    const reply: OutgoingDraft | null =
      words === null ? null : noticeDraft(words, intake.platformMessageId);
    const more = before === null || words !== null ? {} : { before };
    return { intake, key, uuid: newId(), reply, ...more };
  });
}

interface Meant {
  readonly intake: Intake;
  readonly before: NonNullable<IntakeItem["before"]> | null;
}

/** What a reply to a message of ours means: a decision, the way back to a conversation, or nothing more than it says. */
function meantBy({ store, isApprover }: IntakeOptions, key: SessionKey, intake: Intake): Meant {
  const asItIs: Meant = { intake, before: null };
  if (intake.kind !== "message" || intake.replyTo === undefined) return asItIs;
  const sent = store.sent(key, intake.replyTo);
  if (sent === null) return asItIs;
  const facts = store.facts(key);
  const requestId = requestIdOf(sent.dedupe);
  if (requestId !== null && isApprover(intake.sender) && findUndecided(facts, requestId) !== null) {
    const { updateId, address, sender, platformMessageId } = intake;
    const args = `${requestId} ${intake.text}`;
    const common = { updateId, address, sender, platformMessageId };
    return { intake: { kind: "command", name: REPLIED, args, ...common }, before: null };
  }
  const parent = folderOf(sent.dedupe);
  if (parent !== null) {
    const { updateId, address, sender, platformMessageId } = intake;
    const args = `${intake.text.replaceAll(/\s+/g, " ").trim()}\n${parent}`;
    const common = { updateId, address, sender, platformMessageId };
    return { intake: { kind: "command", name: FOLDER_NAMED, args, ...common }, before: null };
  }
  const resumes = sent.agentSessionId !== null && mayGoBack(facts, sent.agentSessionId);
  return resumes ? { intake, before: { name: "resume", args: sent.agentSessionId } } : asItIs;
}

/** A reply goes back to an earlier conversation, unless something runs or waits in the present one. */
function mayGoBack(facts: SessionFacts, agentSessionId: string): boolean {
  const isEarlier = facts.archived.some((one) => one.agentSessionId === agentSessionId);
  return isEarlier && facts.messages.every((one) => one.state === "parked");
}

/** Why a message is not taken; null when it is. */
function refusal(
  { limits, words: { messages } }: Pick<IntakeOptions, "limits" | "words">,
  intake: Intake,
  waiting: number,
): Wording | null {
  switch (intake.kind) {
    case "command":
      return null;
    case "unsupported":
      return messages.unsupported(intake.what);
    case "message": {
      if (intake.text.trim() === "" && intake.files === undefined) return messages.empty;
      if (Buffer.byteLength(intake.text) > limits.messageBytes) {
        return messages.tooLong(limits.messageBytes);
      }
      return waiting >= limits.queueMax ? messages.queueFull(limits.queueMax) : null;
    }
  }
}
