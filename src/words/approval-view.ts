import type { ApprovalOutcome, OpenApproval } from "../../machines/facts.ts";
import type { Say } from "../../machines/plan.ts";
import type { Question } from "../../machines/vocabulary.ts";
import { button } from "../buttons.ts";
import { excerpt } from "../excerpt.ts";
import type { DraftButton } from "../ports.ts";
import { code } from "./code.ts";
import { choiceLabel } from "./labels.ts";
import { wording, type Wording } from "./wording.ts";
import type { ApprovalWords } from "./turn-words.ts";
import type { Words } from "./words.ts";

/** What the agent asks a person, as a message with its buttons, and what became of it. */
export interface ApprovalView {
  /** Markdown. */
  readonly text: Wording;
  readonly buttons: readonly (readonly DraftButton[])[];
}

/** More would push the buttons off a phone's screen; the rest is behind a button. */
const DETAIL_MAX = 900;
const SUMMARY_MAX = 120;
/** A button's label that says what "always" would allow. */
const ALWAYS_MAX = 40;

type Shown = Extract<Say, { kind: "approval" }>["shown"];
type ApprovalAndButtons = Pick<Words, "approvals" | "buttons">;

export function approvalView(
  words: ApprovalAndButtons,
  approval: OpenApproval,
  shown: Shown,
): ApprovalView {
  if (shown.stage === "open") {
    return approval.request.kind === "question"
      ? openQuestion(words, approval)
      : openTool(words, approval);
  }
  const { approvals } = words;
  const head =
    shown.stage === "closed"
      ? outcomeWords(approvals, approval, shown.outcome)
      : approvals.sent(decisionWords(approvals, approval));
  return { text: wording(`${head}\n${about(approvals, approval)}`), buttons: [] };
}

function openTool({ approvals, buttons }: ApprovalAndButtons, { request }: OpenApproval) {
  const { requestId, kind, tool, detail, summary, always } = request;
  const { text, isCut } = cutMarkdown(detail === "" ? code(summary) : detail);
  const isPlan = kind === "plan";
  const head = isPlan ? approvals.planHead : approvals.needed(tool);
  const reply = isPlan ? approvals.replyToPlan : approvals.replyToTool;
  const decide = (label: Wording, how: "allow" | "always" | "deny") =>
    button(label, { do: "decide", requestId, how });
  const { allow, deny } = isPlan ? buttons.plan : buttons.tool;
  const always_ = always === null ? null : excerpt(approvals.allowances(always), ALWAYS_MAX);
  return {
    text: wording([head, text, reply].join("\n\n")),
    buttons: [
      [decide(allow, "allow"), decide(deny, "deny")],
      ...(always_ === null ? [] : [[decide(buttons.always(always_), "always")]]),
      ...(isCut ? [[button(buttons.more, { do: "more", requestId })]] : []),
    ],
  };
}

/** One question with a single choice is answered by its button; others are sent when all are chosen. */
export function isAnsweredAtOnce(questions: readonly Question[]): boolean {
  return questions.length === 1 && questions[0]?.multiSelect === false;
}

function openQuestion(words: ApprovalAndButtons, { request, picks }: OpenApproval): ApprovalView {
  const { approvals, buttons } = words;
  const { requestId, questions } = request;
  const lines = questions.map(({ header, question, options, multiSelect }) => {
    const name = header === "" ? "" : `**${header}:** `;
    const several = multiSelect ? ` ${approvals.several}` : "";
    const described = options.filter((one) => one.description !== "");
    const list = described.map((one) => `- **${one.label}**: ${one.description}`);
    return [`❓ ${name}${question}${several}`, ...list].join("\n");
  });
  const choices = questions.flatMap(({ options }, question) =>
    options.map(({ label }, option) => {
      const chosen = picks[question]?.includes(option) === true;
      return [button(choiceLabel(label, chosen), { do: "option", requestId, question, option })];
    }),
  );
  const send = isAnsweredAtOnce(questions)
    ? []
    : [[button(buttons.submit, { do: "submit", requestId })]];
  return {
    text: wording([...lines, approvals.replyToQuestion].join("\n\n")),
    buttons: [...choices, ...send],
  };
}

/** What it was about, once it is settled. */
function about(approvals: ApprovalWords, { request, decision }: OpenApproval): string {
  switch (request.kind) {
    case "plan":
      return approvals.plan;
    case "question":
      return request.questions
        .map(({ question }) => {
          const answer = decision?.allow === true ? decision.answers[question] : undefined;
          const said = answer === undefined ? "" : ` → **${answer}**`;
          return `${excerpt(question, SUMMARY_MAX)}${said}`;
        })
        .join("\n");
    case "tool":
      return `**${request.tool}** ${code(excerpt(request.summary, SUMMARY_MAX))}`;
  }
}

function decisionWords(approvals: ApprovalWords, { decision, request }: OpenApproval): Wording {
  if (decision?.allow !== true) return approvals.denied("");
  if (request.kind === "question") return approvals.answered;
  return decision.always && request.always !== null
    ? approvals.alwaysAllowed(approvals.allowances(request.always))
    : approvals.allowed;
}

function outcomeWords(
  approvals: ApprovalWords,
  approval: OpenApproval,
  outcome: ApprovalOutcome,
): string {
  switch (outcome) {
    case "allowed":
      return `✅ ${decisionWords(approvals, approval)}`;
    case "answered":
      return `💬 ${approvals.answered}`;
    case "denied": {
      const reason = approval.decision?.allow === false ? approval.decision.reason : "";
      return `🚫 ${approvals.denied(excerpt(reason, SUMMARY_MAX))}`;
    }
    case "withdrawn":
    case "expired":
    case "timed-out":
      return approvals.outcomes[outcome];
  }
}

const FENCE = /^\s*(?<fence>`{3,}|~{3,})/;

/** The beginning of a Markdown text; a fence that is cut is closed again. */
export function cutMarkdown(
  markdown: string,
  max = DETAIL_MAX,
): { readonly text: string; readonly isCut: boolean } {
  if (markdown.length <= max) return { text: markdown, isCut: false };
  const kept = excerpt(markdown, max);
  let open: string | null = null;
  for (const line of kept.split("\n")) {
    const fence = FENCE.exec(line)?.groups?.["fence"];
    if (fence === undefined) continue;
    if (open === null) open = fence;
    else if (fence.startsWith(open)) open = null;
  }
  return { text: open === null ? kept : `${kept}\n${open}`, isCut: true };
}
