import type { Allowance } from "../../../machines/vocabulary.ts";
import type {
  ApprovalWords,
  ButtonWords,
  PressWords,
  ProgressWords,
  UnitWords,
} from "../turn-words.ts";
import type { Written } from "../wording.ts";

export const buttons: Written<ButtonWords> = {
  retry: "▶️ Run again",
  skip: "Skip",
  clear: "🆕 Clear the context",
  stop: "⏹ Stop",
  tool: { allow: "✅ Allow", deny: "🚫 Deny" },
  plan: { allow: "✅ Carry it out", deny: "🚫 Not like this" },
  always: (what) => `✅ Always: ${what}`,
  more: "🔍 See more",
  submit: "📨 Send the answers",
  here: "✅ This folder",
  newFolder: "➕ New folder",
  up: "⬆️ Up",
};

export const presses: Written<PressWords> = {
  stale: "This button is not valid any more. Nothing was changed.",
  notYours: "This is not yours to decide. Nothing was changed.",
  unanswered: "Choose an answer to every question first.",
};

const WHERE: Readonly<Record<Allowance["where"], string>> = {
  session: "in this session",
  project: "in this project",
  everybody: "in this project, for everybody",
  everywhere: "everywhere",
};

function whatOf({ what }: Allowance): string {
  switch (what.kind) {
    case "rules":
      return what.rules.join(", ");
    case "folders":
      return what.paths.join(", ");
    case "mode":
      return MODES[what.mode] ?? `mode ${what.mode}`;
  }
}

/** What the agent's modes let it do without a question. */
const MODES: Readonly<Record<string, string>> = {
  acceptEdits: "all edits",
  bypassPermissions: "everything, unasked",
};

export const approvals: Written<ApprovalWords> = {
  needed: (tool) => `🔐 **${tool}** needs your permission:`,
  planHead: "📋 **The agent's plan:**",
  plan: "The agent's plan",
  replyToTool: "Reply to this message to deny it with a reason.",
  replyToPlan: "Reply to this message to ask for changes.",
  replyToQuestion: "Or reply to this message with an answer of your own.",
  several: "(several may be chosen)",
  sent: (decision) => `⏳ ${decision} (sent)`,
  allowed: "Allowed",
  alwaysAllowed: (what) => `Always allowed: ${what}`,
  allowances: (all) => all.map((one) => `${whatOf(one)} ${WHERE[one.where]}`).join("; "),
  answered: "Answered",
  denied: (reason) => (reason === "" ? "Denied" : `Denied: ${reason}`),
  outcomes: {
    withdrawn: "↩️ Withdrawn: no answer is needed any more",
    expired: "⌛ Expired: the agent that asked is gone",
    "timed-out": "⌛ Denied: nobody answered in time",
  },
};

export const progress: Written<ProgressWords> = {
  waiting: "⏸ Waiting for your decision",
  compacting: "🗜 Compacting the conversation",
  thinking: "💭 Thinking",
  writing: "✍️ Writing",
  over: (isDone, duration, tools) =>
    `${isDone ? "✓" : "⏹"} ${duration}${tools === 0 ? "" : ` · ${tools === 1 ? "1 tool" : `${tools} tools`}`}`,
  left: "⏹ holdfast was restarted during this turn; the context is kept.",
};

const AGES = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

export const units: Written<UnitWords> = {
  duration: (ms) => {
    const seconds = Math.max(1, Math.round(ms / 1_000));
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.floor(seconds / 60);
    const rest = seconds % 60;
    if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
    return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
  age: (ms) => {
    const [unit, size] = AGES.find(([, one]) => ms >= one) ?? (["min", 60_000] as const);
    return `${Math.max(1, Math.floor(ms / size))} ${unit}`;
  },
  size: (bytes) => {
    if (bytes < 1_000) return `${bytes} B`;
    if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
    return `${(bytes / 1_000_000).toFixed(1)} MB`;
  },
  cost: (usd) => (usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`),
  quoted: (text) => `“${text}”`,
};
