import type { Choice } from "../../../machines/facts.ts";
import type { Cancelled, Notice } from "../../../machines/plan.ts";
import { code, lastLine } from "../code.ts";
import { conversations } from "./sessions.ts";
import { contextLost, launchFailed, parked } from "./failures.ts";

/** What the machines tell. */

export function notice(notice: Notice): string {
  switch (notice.code) {
    case "cleared-again":
      return `🆕 No turn was completed since the context was cleared, so this message starts anew once more.\nWhat was said since then is kept: ${code(`/resume ${notice.agentSessionId.slice(0, 8)}`)} goes back to it.`;
    case "partly-kept":
      return "⚠️ Part of this conversation is missing from its transcript; what is left is kept, and the agent goes on with it.\nSend it again what it does not know any more.";
    case "context-cleared-by-agent":
      return `🆕 The agent has asked for a cleared context. The conversation so far is kept: ${code(`/resume ${notice.agentSessionId.slice(0, 8)}`)} goes back to it.\n${notice.waiting > 0 ? "What waits starts a new conversation." : "Your next message starts a new conversation."}`;
    case "context-lost":
      return contextLost(notice.reason, notice.parked);
    case "launch-failed":
      return launchFailed(notice.reason, notice.detail, notice.parked);
    case "turn-failed":
      return `❌ The agent reports an error: ${notice.detail.trim() === "" ? "no reason given" : code(lastLine(notice.detail))}\nThe context is kept. Send the message again to retry.`;
    case "turn-interrupted":
      return "⏹ The turn was interrupted before it was done.\nThe context is kept. Send the message again to retry.";
    case "parked":
      return parked(notice.reason);
    case "not-kept":
      return "⚠️ The agent keeps no transcript of this conversation: it goes on now, but cannot be resumed after a pause.\nCheck that the agent's configuration directory can be written to.";
    case "compacted":
      return compacted(notice.manual, notice.requeued);
    case "compact-failed":
      return `❌ The conversation could not be compacted: ${notice.detail.trim() === "" ? "no reason given" : code(lastLine(notice.detail))}\nThe context is kept. /compact tries again, /new starts over.`;
    case "wedged":
      return "⚠️ The agent stopped responding and had to be ended.\nThe context is kept: your next message goes on with it.";
    case "approval-denied":
      return `🔒 The agent wanted to use ${code(notice.tool)}, which needs your permission; it was denied, and the agent goes on without it.\nWith \`agent.approvals\` set to \`ask\` you are asked here.`;
    case "approval-timed-out":
      return `⌛ Nobody answered in time, so ${code(notice.tool)} was denied; the agent goes on without it.\nIf it is wanted after all, ask for it again.`;
    case "approval-gone":
      return "That request is settled already, or the agent that asked is gone. Nothing was changed.\nIf it is still wanted, ask the agent for it again.";
    case "queued-behind-approval":
      return "⏳ Queued: the agent waits for your decision above first.\nTo give a reason or an answer of your own, reply to the request itself.";
    case "chosen":
      return chosen(notice.choice, notice.value);
    case "named":
      return `🏷 This conversation is called ${code(notice.name)} now; /sessions lists it.`;
    case "nothing-to-name":
      return "There is no conversation yet that could have a name. Nothing was changed; send a message first.";
    case "stopped":
      return "⏹ Stopped. The context is kept: write what to do instead.";
    case "stopped-all":
      return stoppedAll(notice.running, notice.waiting);
    case "overtaken":
      return "⏹ Stopped for your urgent message. The context is kept.\nSend this one again if it is still wanted.";
    case "nothing-to-stop":
      return "There is nothing to stop: it is not running, and does not wait.\nNothing was changed; /status shows what runs and what waits.";
    case "unqueued":
      return notice.waiting > 0
        ? `🗑 Taken out of the queue.\n${count(notice.waiting, "message")} still waiting.`
        : "🗑 Taken out of the queue; nothing else is waiting.";
    case "dropped":
      return notice.waiting > 0
        ? `🗑 Dropped this message; nothing was running.\n${count(notice.waiting, "message")} waiting.`
        : "🗑 Dropped this message; nothing was running, and nothing else is waiting.";
    case "new-context":
      return newContext(notice.cancelled, notice.waiting);
    case "workspace-bound":
      return workspaceBound(notice.path, notice.cancelled, notice.waiting);
    case "agent-changed":
      return `🆕 This chat is now answered by the ${notice.agentKind} agent, in a new conversation.\nThe earlier one is kept for the agent that held it.`;
    case "resumed":
      return `↩️ Back to the conversation ${code(notice.agentSessionId)}.${stopped(notice.cancelled)}\nYour next message goes on with it; /resume lists what this chat has left.`;
    case "forked":
      return `🔀 This chat goes on with a copy of the conversation ${code(notice.agentSessionId)}.${stopped(notice.cancelled)}\nYour next message goes to the copy; the original stays as it is.`;
    case "resume-unknown":
      return conversations.unknown(notice.agentSessionId);
    case "waiting-for-place":
      return waitingForPlace(notice.ahead);
    case "retrying":
      return "▶️ Running it again; /stop ends it.";
    case "skipped":
      return "🗑 Skipped: this message is dropped, the context is kept.";
    case "nothing-parked":
      return "No message is waiting for your decision; nothing was changed.";
  }
}

function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun} is` : `${n} ${noun}s are`;
}

function chosen(choice: Choice, value: string): string {
  switch (choice) {
    case "model":
      return `🧠 The model is ${code(value)} now, in this chat.`;
    case "mode":
      return `🔐 The permission mode is ${code(value)} now, in this chat.`;
    case "effort":
      return `💪 The effort is ${code(value)} now, in this chat.`;
    case "verbose":
      return `📣 Progress is shown at level ${code(value)} now, in this chat.`;
  }
}

function stoppedAll(running: boolean, waiting: number): string {
  const turn = running ? "⏹ Stopped." : "🗑 Nothing was running.";
  const dropped =
    waiting === 0
      ? ""
      : ` ${waiting === 1 ? "1 waiting message is" : `${waiting} waiting messages are`} dropped.`;
  return `${turn}${dropped}\nThe context is kept: write what to do instead.`;
}

function waitingForPlace(ahead: number): string {
  const before =
    ahead > 0
      ? ` ${ahead === 1 ? "Another chat waits" : `${ahead} chats wait`} before this one.`
      : "";
  return `⏳ All places for running sessions are taken: your message waits, and starts as soon as one is free.${before}`;
}

function compacted(manual: boolean, requeued: number): string {
  if (!manual)
    return "🗜 The agent compacted the conversation to make room in its context: it goes on with a summary.";
  const next = requeued > 0 ? `\n${count(requeued, "message")} given again.` : "";
  return `🗜 The conversation is compacted: it goes on with a summary.${next}`;
}

function stopped(cancelled: Cancelled | null): string {
  switch (cancelled) {
    case "running":
      return " The running turn was stopped.";
    case "cut-short":
      return " The message that was cut short is dropped.";
    case null:
      return "";
  }
}

function workspaceBound(path: string, cancelled: Cancelled | null, waiting: number): string {
  const next =
    waiting > 0
      ? `${count(waiting, "message")} waiting and will run there.`
      : "Your next message runs there.";
  return `📁 The workspace is ${code(path)}.${stopped(cancelled)}\n${next}`;
}

function newContext(cancelled: Cancelled | null, waiting: number): string {
  const next =
    waiting > 0
      ? `${count(waiting, "message")} waiting and will go to the new conversation`
      : "Your next message starts a new conversation";
  return `🆕 Context cleared.${stopped(cancelled)}\n${next}; earlier ones are kept: /resume lists them.`;
}
