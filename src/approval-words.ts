import type { ApprovalOutcome, OpenApproval } from "../machines/facts.ts";
import type { Say } from "../machines/plan.ts";
import type { Question } from "../machines/vocabulary.ts";
import { button, type ButtonAction } from "./buttons.ts";
import { excerpt } from "./excerpt.ts";
import type { DraftButton } from "./ports.ts";
import { BUTTON_WORDS, code } from "./words.ts";

/** What the agent asks a person, as a message with its buttons, and what became of it. */
export interface ApprovalView {
  /** Markdown. */
  readonly text: string;
  readonly buttons: readonly (readonly DraftButton[])[];
}

/** More would push the buttons off a phone's screen; the rest is behind a button. */
const DETAIL_MAX = 900;
const SUMMARY_MAX = 120;
/** A button's label that says what "always" would allow. */
const ALWAYS_MAX = 40;

type Shown = Extract<Say, { kind: "approval" }>["shown"];

export function approvalView(approval: OpenApproval, shown: Shown): ApprovalView {
  switch (shown.stage) {
    case "open":
      return approval.request.kind === "question" ? openQuestion(approval) : openTool(approval);
    case "sent":
      return { text: `⏳ ${decisionWords(approval)} (sent)\n${about(approval)}`, buttons: [] };
    case "closed":
      return { text: `${outcomeWords(approval, shown.outcome)}\n${about(approval)}`, buttons: [] };
  }
}

function openTool({ request }: OpenApproval): ApprovalView {
  const { requestId, kind, tool, detail, summary, always } = request;
  const { text, isCut } = cutMarkdown(detail === "" ? code(summary) : detail);
  const isPlan = kind === "plan";
  const head = isPlan ? "📋 **The agent's plan:**" : `🔐 **${tool}** needs your permission:`;
  const decide = (label: string, how: "allow" | "always" | "deny") =>
    button(label, { do: "decide", requestId, how });
  const words = isPlan ? BUTTON_WORDS.plan : BUTTON_WORDS.tool;
  const more: ButtonAction = { do: "more", requestId };
  return {
    text: `${head}\n\n${text}\n\n${isPlan ? APPROVAL_WORDS.replyToPlan : APPROVAL_WORDS.replyToTool}`,
    buttons: [
      [decide(words.allow, "allow"), decide(words.deny, "deny")],
      ...(always === null
        ? []
        : [[decide(`${BUTTON_WORDS.always} ${excerpt(always, ALWAYS_MAX)}`, "always")]]),
      ...(isCut ? [[button(BUTTON_WORDS.more, more)]] : []),
    ],
  };
}

/** One question with a single choice is answered by its button; others are sent when all are chosen. */
export function isAnsweredAtOnce(questions: readonly Question[]): boolean {
  return questions.length === 1 && questions[0]?.multiSelect === false;
}

function openQuestion({ request, picks }: OpenApproval): ApprovalView {
  const { requestId, questions } = request;
  const lines = questions.map(({ header, question, options, multiSelect }) => {
    const name = header === "" ? "" : `**${header}:** `;
    const several = multiSelect ? ` ${APPROVAL_WORDS.several}` : "";
    const described = options.filter((one) => one.description !== "");
    const list = described.map((one) => `- **${one.label}**: ${one.description}`);
    return [`❓ ${name}${question}${several}`, ...list].join("\n");
  });
  const buttons = questions.flatMap(({ options }, question) =>
    options.map(({ label }, option) => {
      const chosen = picks[question]?.includes(option) === true;
      return [
        button(`${chosen ? "✅ " : ""}${label}`, { do: "option", requestId, question, option }),
      ];
    }),
  );
  const send = isAnsweredAtOnce(questions)
    ? []
    : [[button(BUTTON_WORDS.submit, { do: "submit", requestId })]];
  return {
    text: [...lines, APPROVAL_WORDS.replyToQuestion].join("\n\n"),
    buttons: [...buttons, ...send],
  };
}

/** What it was about, once it is settled. */
function about({ request, decision }: OpenApproval): string {
  switch (request.kind) {
    case "plan":
      return APPROVAL_WORDS.thePlan;
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

function decisionWords({ decision, request }: OpenApproval): string {
  if (decision?.allow !== true) return "Denied";
  if (request.kind === "question") return "Answered";
  return decision.always && request.always !== null
    ? `Always allowed: ${request.always}`
    : "Allowed";
}

function outcomeWords(approval: OpenApproval, outcome: ApprovalOutcome): string {
  switch (outcome) {
    case "allowed":
      return `✅ ${decisionWords(approval)}`;
    case "answered":
      return "💬 Answered";
    case "denied": {
      const reason = approval.decision?.allow === false ? approval.decision.reason : "";
      return `🚫 Denied${reason === "" ? "" : `: ${excerpt(reason, SUMMARY_MAX)}`}`;
    }
    case "withdrawn":
      return "↩️ Withdrawn: no answer is needed any more";
    case "expired":
      return "⌛ Expired: the agent that asked is gone";
    case "timed-out":
      return "⌛ Denied: nobody answered in time";
  }
}

const APPROVAL_WORDS = {
  replyToTool: "Reply to this message to deny it with a reason.",
  replyToPlan: "Reply to this message to ask for changes.",
  replyToQuestion: "Or reply to this message with an answer of your own.",
  several: "(several may be chosen)",
  thePlan: "The agent's plan",
} as const;

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
