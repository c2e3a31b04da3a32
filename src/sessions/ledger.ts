import type { SessionFact, SessionFacts } from "../../machines/facts.ts";
import type { Plan, Say } from "../../machines/plan.ts";
import { approvalView } from "../words/approval-view.ts";
import { answerFooter, contextFooter } from "../words/footer.ts";
import type { Wording } from "../words/wording.ts";
import type { Words } from "../words/words.ts";
import { noticeButtons } from "../buttons.ts";
import type { Logger } from "../log.ts";
import type { Chooser } from "./chooser.ts";
import type { OutgoingDraft, SessionKey, Store } from "../ports.ts";

export interface LedgerOptions {
  readonly store: Store;
  readonly log: Logger;
  readonly words: Words;
  /** What may become a workspace, for a chat that has none. */
  chooser(): Chooser;
  /** The outbox has new rows for this session's chat. */
  outboxFilled(key: SessionKey): void;
}

/** Where a machine's plans become rows: words are added, nothing is decided. */
export interface Ledger {
  /** One transaction; throws where it cannot be written, and then nothing is. */
  commit(key: SessionKey, plan: Plan): SessionFacts;
}

export function createLedger(options: LedgerOptions): Ledger {
  const { store, log, outboxFilled } = options;
  return {
    commit(key, plan) {
      const outgoing = [
        ...plan.say.map((say) => draftOf(options, say)),
        ...plan.facts.flatMap((fact) => sharedWorkspace(options, key, fact)),
      ];
      const facts = store.write(key, {
        facts: plan.facts,
        outgoing,
        commandsDone: plan.commandsDone,
      });
      for (const fact of plan.facts) logFact(log, key, fact);
      if (outgoing.length > 0) outboxFilled(key);
      return facts;
    },
  };
}

/** A notice is a row of its own; an answer carries the indicator on every part. */
function draftOf({ store, words, chooser }: LedgerOptions, say: Say): OutgoingDraft {
  switch (say.kind) {
    case "answer":
      return {
        kind: "answer",
        text: say.text.trim() === "" ? words.answers.nothingSaid : say.text,
        footer: answerFooter(words.units, say),
        replyTo: store.message(say.messageId)?.platformMessageId ?? null,
        dedupe: `answer:${say.messageId}`,
      };
    case "partial":
      return {
        kind: "answer",
        text: words.answers.partial(say.text),
        footer: contextFooter(say.percent),
        replyTo: store.message(say.messageId)?.platformMessageId ?? null,
        dedupe: null,
      };
    case "relay":
      return {
        kind: "answer",
        text: words.answers.relayed(say.cause, say.text),
        footer: answerFooter(words.units, say),
        replyTo: null,
        dedupe: null,
      };
    case "approval": {
      const { approval, shown } = say;
      const { request, epoch, messageId } = approval;
      const { text, buttons } = approvalView(words, approval, shown);
      const dedupe = approvalDedupe(epoch, request.requestId);
      const replyTo =
        messageId === null ? null : (store.message(messageId)?.platformMessageId ?? null);
      const draft = { ...noticeDraft(text, replyTo), buttons };
      const isFirst = shown.stage === "open" && approval.picks.length === 0;
      return isFirst ? { ...draft, dedupe } : { ...draft, edits: dedupe };
    }
    case "notice": {
      const replyTo =
        say.messageId === null ? null : (store.message(say.messageId)?.platformMessageId ?? null);
      const { notice } = say;
      const isHomeless = notice.code === "launch-failed" && notice.reason === "no-workspace";
      const buttons = isHomeless
        ? chooser().buttons
        : noticeButtons(words.buttons, notice, say.messageId);
      const draft = { ...noticeDraft(words.notice(notice), replyTo), buttons };
      // Who loses the free place to another waits again, and knows it already.
      return say.notice.code === "waiting-for-place"
        ? { ...draft, dedupe: `waiting:${say.messageId}` }
        : draft;
    }
  }
}

const FOLDER = "folder:";

/** Known by it, a reply to the question for a new folder's name is that name. */
export function folderDedupe(commandId: number, path: string): string {
  return `${FOLDER}${commandId}:${path}`;
}

/** The folder that a message of ours asked a new one for; null where it asked for none. */
export function folderOf(dedupe: string | null): string | null {
  if (dedupe?.startsWith(FOLDER) !== true) return null;
  return dedupe.slice(dedupe.indexOf(":", FOLDER.length) + 1);
}

const APPROVAL = "approval:";

/** Known by it, the message of a request is changed to its outcome. */
function approvalDedupe(epoch: number, requestId: string): string {
  return `${APPROVAL}${epoch}:${requestId}`;
}

/** The request that a message of ours put to the user; null where it put none. */
export function requestIdOf(dedupe: string | null): string | null {
  if (dedupe?.startsWith(APPROVAL) !== true) return null;
  return dedupe.slice(dedupe.indexOf(":", APPROVAL.length) + 1);
}

/** Two chats may work in one directory; the second is told once. */
function sharedWorkspace(
  { store, words }: LedgerOptions,
  key: SessionKey,
  fact: SessionFact,
): readonly OutgoingDraft[] {
  if (fact.type !== "workspace.bound") return [];
  const shared = store.keysInWorkspace(fact.path).some((other) => other !== key);
  if (!shared) return [];
  const notice = noticeDraft(words.workspaces.shared(fact.path), null);
  return [{ ...notice, dedupe: `shared:${key}:${fact.path}` }];
}

export function noticeDraft(text: Wording, replyTo: string | null): OutgoingDraft {
  return { kind: "notice", text, footer: null, replyTo, dedupe: null };
}

/** Facts are the story of a session; the log tells it under the same names. */
function logFact(log: Logger, key: SessionKey, fact: SessionFact): void {
  const { type, ...fields } = fact;
  // `pid` in a record is the service's own.
  const { pid: agent_pid, ...others } = { pid: undefined, ...fields };
  const record = { session_key: key, ...others, ...(agent_pid === undefined ? {} : { agent_pid }) };
  switch (type) {
    case "session.failed":
      return log.error(record, type);
    case "message.parked":
    case "message.failed":
    case "agentSession.archived":
    case "agentSession.incomplete":
    case "fresh.intended":
      return log.warn(record, type);
    case "message.accepted":
    case "turn.completed":
    case "turn.measured":
    case "context.measured":
      return log.debug(record, type);
    default:
      return log.info(record, type);
  }
}
