import { statSync } from "node:fs";
import type { SessionFacts } from "../../machines/facts.ts";
import { button } from "../buttons.ts";
import type { StoredCommand } from "../ports.ts";
import { sessionsList, type ListedSession } from "../words/conversation-lists.ts";
import { conversationLabel } from "../words/labels.ts";
import { allConversations } from "./earlier.ts";
import type { CommandOptions } from "./command-options.ts";
import { noticeDraft } from "./ledger.ts";

/** Buttons under a list: more do not fit a phone's screen. */
const BUTTONS = 6;

/** `/sessions`: all conversations of this chat by workspace, each one press away. */
export function listSessions(options: CommandOptions, command: StoredCommand): void {
  const { store, clock, words, outboxFilled } = options;
  const { key, id, platformMessageId } = command;
  const facts = store.facts(key);
  const listed = conversationsOf(facts, allConversations(store, key, clock.now()));
  const buttons = listed
    .filter((one) => !one.isPresent)
    .slice(0, BUTTONS)
    .map((one) => {
      const said =
        one.name ?? (one.firstWords.replaceAll(/\s+/g, " ").trim() || one.agentSessionId);
      const { agentSessionId } = one;
      return [button(conversationLabel(said), { do: "resume", agentSessionId })];
    });
  const outgoing = [{ ...noticeDraft(sessionsList(words, listed), platformMessageId), buttons }];
  store.write(key, { facts: [], outgoing, commandsDone: [id] });
  outboxFilled(key);
}

type Known = ReturnType<typeof allConversations>[number];

function conversationsOf(facts: SessionFacts, known: readonly Known[]): readonly ListedSession[] {
  const { bound, archived } = facts;
  const places = [...(bound === null ? [] : [bound]), ...archived];
  return known.map((one) => {
    const place = places.find((other) => other.agentSessionId === one.agentSessionId);
    return {
      ...one,
      name: place?.name ?? null,
      bytes: place === undefined ? null : sizeOf(place.transcript),
      isPresent: one.agentSessionId === bound?.agentSessionId,
    };
  });
}

/** Null where the transcript is gone or may not be looked at: the list is no place to complain. */
function sizeOf(transcript: string): number | null {
  try {
    return statSync(transcript).size;
  } catch {
    return null;
  }
}
