import { firstParked, messageInFlight, type SessionFacts } from "../../machines/facts.ts";
import { excerpt } from "../excerpt.ts";
import { code } from "./english/notices.ts";
import type { SessionPhase } from "../../machines/session-types.ts";

export interface StatusView {
  readonly phase: SessionPhase | "queued" | null;
  readonly facts: SessionFacts;
  readonly workspace: string;
  readonly percent: number | null;
  textOf(messageId: number): string;
}

const EXCERPT = 60;

/** The answer to `/status`. */
export function statusWords(view: StatusView): string {
  const { facts, percent } = view;
  const waiting = facts.messages.filter((one) => one.state === "received").length;
  const parked = facts.messages.filter((one) => one.state === "parked").length;
  const running = messageInFlight(facts);
  const lines = [
    `**${stateWords(view)}**`,
    `Workspace: ${code(view.workspace)}`,
    `Agent: ${facts.agentKind}, session ${facts.bound === null ? "none yet" : `\`${facts.bound.agentSessionId}\``}`,
    `Model: ${facts.bound?.model ?? "not known yet"}`,
    `Context: ${percent === null ? "not known yet" : `${percent}%`}`,
    `Queue: ${waiting} waiting`,
  ];
  if (running !== null) lines.push(`Running: ${quote(view.textOf(running.id))}`);
  const first = firstParked(facts);
  if (first !== null) {
    lines.push(
      `Waiting for your decision: ${parked}. First: ${quote(view.textOf(first.id))} (/retry or /skip)`,
    );
  }
  return lines.join("\n");
}

function stateWords({ phase, facts }: StatusView): string {
  switch (phase) {
    case "busy":
      return "Working";
    case "waiting":
      return "Waiting for your permission";
    case "idle":
      return "Ready";
    case "background":
      return "Ready; work goes on in the background";
    case "moving":
      return "Starting its agent";
    case "ending":
      return "Falling asleep";
    case "queued":
      return "Waiting for a free place: too many sessions are running";
    case null:
      if (facts.failure !== null)
        return `Failed (${facts.failure.reason}); your next message tries again`;
      if (facts.fresh !== null) return "Asleep; your next message starts a new conversation";
      return facts.bound === null
        ? "Asleep, nothing to resume"
        : "Asleep; your next message resumes it";
  }
}

function quote(text: string): string {
  return `“${excerpt(text.replaceAll(/\s+/g, " ").trim(), EXCERPT)}”`;
}
