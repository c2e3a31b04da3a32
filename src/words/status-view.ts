import {
  firstParked,
  messageInFlight,
  type OpenMessage,
  type SessionFacts,
} from "../../machines/facts.ts";
import { excerpt } from "../excerpt.ts";
import type { StatusWords } from "./session-words.ts";
import type { SessionPhase } from "../../machines/session-types.ts";
import { wording, type Wording } from "./wording.ts";
import type { Words } from "./words.ts";

export interface StatusView {
  readonly phase: SessionPhase | "queued" | null;
  readonly facts: SessionFacts;
  readonly workspace: string;
  readonly percent: number | null;
  textOf(messageId: number): string;
}

const EXCERPT = 60;

/** The answer to `/status`. */
export function statusView(words: Pick<Words, "status" | "units">, view: StatusView): Wording {
  const { status, units } = words;
  const { facts, percent } = view;
  const waiting = facts.messages.filter((one) => one.state === "received").length;
  const parked = facts.messages.filter((one) => one.state === "parked").length;
  const running = messageInFlight(facts);
  const first = firstParked(facts);
  const quote = ({ id }: OpenMessage) => units.quoted(shortened(view.textOf(id)));
  const lines = [
    `**${stateWords(status, view)}**`,
    status.workspace(view.workspace),
    status.agent(facts.agentKind, facts.bound?.agentSessionId ?? null),
    status.model(facts.bound?.model ?? null),
    status.context(percent),
    status.queue(waiting),
    ...(running === null ? [] : [status.running(quote(running))]),
    ...(first === null ? [] : [status.parked(parked, quote(first))]),
  ];
  return wording(lines.join("\n"));
}

function stateWords(status: StatusWords, { phase, facts }: StatusView): string {
  if (phase !== null) return status.phases[phase];
  if (facts.failure !== null) return status.failed(facts.failure.reason);
  if (facts.fresh !== null) return status.asleep.fresh;
  return facts.bound === null ? status.asleep.nothing : status.asleep.resumes;
}

function shortened(text: string): string {
  return excerpt(text.replaceAll(/\s+/g, " ").trim(), EXCERPT);
}
