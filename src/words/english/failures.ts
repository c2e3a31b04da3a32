import type { FailureReason, ParkReason } from "../../../machines/facts.ts";
import type { FallbackReason } from "../../../machines/launch.ts";
import { code, lastLine } from "../code.ts";

/** What goes wrong: why, what is kept, and what can be done. */

export function contextLost(reason: FallbackReason, wasParked: boolean): string {
  const why = {
    "resume-refused": "The earlier conversation could not be resumed",
    "too-large": "The earlier conversation has become too large to resume",
    "transcript-missing": "The record of the earlier conversation is gone",
  }[reason];
  return `⚠️ ${why}: starting fresh. Project context in CLAUDE.md is kept.\n${wasParked ? STARTED : afterLoss(reason)}`;
}

const STARTED =
  "Your message had already started to run and is kept: /retry runs it again, /skip drops it.";

/** The message that found it out goes on by itself. */
function afterLoss(reason: FallbackReason): string {
  return reason === "transcript-missing"
    ? "Your message is kept and goes to the new conversation; say there what it needs to know."
    : "Your message is kept and goes to the new conversation; /resume lists the earlier one.";
}

export function parked(reason: ParkReason): string {
  const why: Record<ParkReason, string> = {
    "cut-short":
      "This message was being worked on when the agent went away; it is not known how far it got.",
    quiet: "The agent fell silent on this message and was interrupted.",
    wedged:
      "The agent stopped responding on this message and had to be ended; it is not known how far it got.",
    swallowed: "The agent ended this message without an answer.",
    "too-large":
      "The conversation has become too large for the agent, so this message was not answered.",
    "too-long":
      "This message is too long for the agent's model, even at the beginning of a conversation, so it was not answered.",
    "tool-ran": "This message had already started to run.",
  };
  return `⏸ ${why[reason]}\n${choices(reason)}`;
}

function choices(reason: ParkReason): string {
  switch (reason) {
    case "too-large":
      return "It is kept: /compact makes room, /new clears the context, and either gives it again. /retry runs it now, /skip drops it.";
    case "too-long":
      return "It is kept: edit it shorter and /retry, or /skip it and send it in parts or as a file.";
    default:
      return "It is kept: /retry runs it again, /skip drops it.";
  }
}

const HOMELESS =
  "📁 This chat has no workspace yet: press a folder to choose it, › to look inside, or use /workspace.\nNothing is lost: what you sent waits, and is given there.";

const KEPT = "Nothing is lost: what you sent waits, and your next message tries again.";

const PUT_ASIDE =
  "This message was cut short and is kept: /retry runs it again, /skip drops it. Your next message tries again, too.";

export function launchFailed(reason: FailureReason, detail: string, wasParked: boolean): string {
  if (reason === "no-workspace") return HOMELESS;
  return `❌ ${whyFailed(reason, lastLine(detail))}\n${wasParked ? PUT_ASIDE : KEPT}`;
}

function whyFailed(reason: FailureReason, detail: string): string {
  const because = detail === "" ? "." : `: ${code(detail)}`;
  switch (reason) {
    case "binary-missing":
      return "The agent's program was not found. Install it, or set CLAUDE_BIN to its path.";
    case "not-executable":
      return `The agent's program may not be executed${because}`;
    case "not-logged-in":
      return "The agent is not logged in. Run `claude` on the machine once and use /login there, or set an API key.";
    case "spawn-failed":
      return `The agent could not be started${because}`;
    case "start-timeout":
      return `The agent did not start in time${because}`;
    case "start-failed":
      return `The agent ended while starting${because}`;
    case "projects-missing":
      return "The agent's folder of conversations cannot be read, so yours cannot be resumed right now; it is kept.";
    case "session-in-use":
      return "This conversation is open in another program (a terminal?). Close it there first.";
    case "workspace-missing":
      return "The workspace does not exist (any more). Choose another with /workspace.";
    case "workspace-not-a-directory":
      return "The workspace is a file, not a directory. Choose another with /workspace.";
    case "workspace-unreadable":
      return `The workspace cannot be read${because}`;
    case "workspace-outside-roots":
      return "The workspace is outside the allowed roots. Choose another with /workspace.";
    case "no-workspace":
      return "No workspace is chosen for this chat. Choose one below, or with /workspace.";
    case "store-failed":
      return `holdfast could not write its state${because}`;
    case "crash-limit":
      return "The agent died again and again and is not restarted by itself.";
    case "actor-fault":
      return `A fault inside holdfast stopped this session again and again${because}`;
  }
}
