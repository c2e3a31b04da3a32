import { findUndecided } from "../../machines/approvals.ts";
import type { OpenApproval } from "../../machines/facts.ts";
import type { ApprovalDecision } from "../../machines/vocabulary.ts";
import { isAnsweredAtOnce } from "../words/approval-view.ts";
import type { ButtonAction } from "../buttons.ts";
import type { StoredCommand } from "../ports.ts";
import { asWritten, type Wording } from "../words/wording.ts";
import type { CommandOptions } from "./command-options.ts";
import { noticeDraft } from "./ledger.ts";

/** Presses and replies that settle what the agent asks. */

type ApprovalAction = Extract<ButtonAction, { requestId: string }>;

/** Hands the decision to the session. Returns what is said to whoever pressed, or null. */
export function pressApproval(
  options: CommandOptions,
  command: StoredCommand,
  action: ApprovalAction,
): Wording | null {
  const { key, id: commandId } = command;
  const { requestId } = action;
  const { stale, unanswered } = options.words.presses;
  const approval = findUndecided(options.store.facts(key), requestId);
  if (approval === null) return end(options, command, stale);
  const decide = (decision: ApprovalDecision) => {
    options.toSession(key, { type: "command.decide", commandId, requestId, decision });
    return null;
  };
  switch (action.do) {
    case "decide":
      return decide(
        action.how === "deny"
          ? { allow: false, reason: "" }
          : { allow: true, always: action.how === "always", answers: {} },
      );
    case "option": {
      const { question, option } = action;
      const label = approval.request.questions[question]?.options[option]?.label;
      if (label === undefined) return end(options, command, stale);
      if (isAnsweredAtOnce(approval.request.questions)) {
        const answers = { [approval.request.questions[question]?.question ?? ""]: label };
        return decide({ allow: true, always: false, answers });
      }
      options.toSession(key, { type: "command.pick", commandId, requestId, question, option });
      return null;
    }
    case "submit": {
      const answers = answersOf(approval, null);
      return answers === null
        ? end(options, command, unanswered)
        : decide({ allow: true, always: false, answers });
    }
    case "more":
      return showMore(options, command, approval);
  }
}

/** Text that replies to what the agent asks: the reason of a denial, or an answer in own words. */
export function replyToApproval(
  options: CommandOptions,
  { key, id: commandId }: StoredCommand,
  requestId: string,
  text: string,
): void {
  const approval = findUndecided(options.store.facts(key), requestId);
  const answers = approval?.request.kind === "question" ? answersOf(approval, text) : null;
  const decision: ApprovalDecision =
    answers === null ? { allow: false, reason: text } : { allow: true, always: false, answers };
  options.toSession(key, { type: "command.decide", commandId, requestId, decision });
}

/** By the question's text; `typed` stands where nothing is chosen. Null where something is missing. */
function answersOf(
  { request, picks }: OpenApproval,
  typed: string | null,
): Readonly<Record<string, string>> | null {
  const answers = request.questions.map(({ question, options }, at) => {
    const labels = (picks[at] ?? []).flatMap((option) => options[option]?.label ?? []);
    return [question, labels.length > 0 ? labels.join(", ") : typed] as const;
  });
  return answers.some(([, answer]) => answer === null)
    ? null
    : Object.fromEntries(answers.map(([question, answer]) => [question, answer ?? ""]));
}

/** All of what it is about, as a message of its own: long ones become a file. */
function showMore(
  { store, outboxFilled }: CommandOptions,
  { key, id, platformMessageId }: StoredCommand,
  { request: { detail } }: OpenApproval,
): null {
  const outgoing = [noticeDraft(asWritten(detail), platformMessageId)];
  store.write(key, { facts: [], outgoing, commandsDone: [id] });
  outboxFilled(key);
  return null;
}

function end({ store }: CommandOptions, { key, id }: StoredCommand, text: Wording): Wording {
  store.write(key, { facts: [], outgoing: [], commandsDone: [id] });
  return text;
}
