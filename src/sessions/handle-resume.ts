import { decideResume, type ResumeDecision } from "../../machines/resume.ts";
import type { SessionKey, StoredCommand } from "../ports.ts";
import { resumeList } from "../words/conversation-lists.ts";
import type { Holder } from "../words/session-words.ts";
import { answerCommand, type CommandOptions } from "./command-options.ts";
import { earlierConversations } from "./earlier.ts";
import { laneOf } from "./session-key.ts";

/** A place in the list, also where the list is shorter: never the beginning of an id that happens to fit. */
const PLACE = /^\d{1,3}$/;

/** Which conversation is meant, and whose it is, is decided in machines/resume.ts. */
export function resumeOrFork(
  options: CommandOptions,
  command: StoredCommand,
  how: "resume" | "fork",
): void {
  const { store, words } = options;
  const { key } = command;
  const earlier = earlierConversations(store, key, options.clock.now());
  if (command.args === "") {
    const { forkWhich } = words.conversations;
    const answer = how === "fork" ? forkWhich : resumeList(words, earlier);
    return answerCommand(options, command, answer);
  }
  const listed = earlier[Number(command.args) - 1]?.agentSessionId;
  if (listed === undefined && PLACE.test(command.args)) {
    return answerCommand(options, command, words.conversations.unknown(command.args));
  }
  const asked = listed ?? command.args;
  const others = store.sessionsKnowing(asked).filter((one) => one.key !== key);
  const decided = decideResume(asked, store.facts(key), others);
  switch (decided.kind) {
    case "unknown":
      return answerCommand(options, command, words.conversations.unknown(asked));
    case "ambiguous":
      return answerCommand(
        options,
        command,
        words.conversations.ambiguous(asked, decided.agentSessionIds),
      );
    case "current":
    case "own":
    case "held":
    case "left":
    case "leaving":
      return takeUp(options, command, how, decided);
  }
}

type Known = Extract<ResumeDecision, { readonly session: unknown }>;

/** A copy can be made of every conversation; going on with one, only by one chat. */
function takeUp(
  options: CommandOptions,
  command: StoredCommand,
  how: "resume" | "fork",
  known: Known,
): void {
  const { key, id: commandId } = command;
  const { session } = known;
  const { conversations } = options.words;
  const { agentSessionId } = session;
  const take = { type: "command.take", commandId, how, session } as const;
  if (how === "fork" || known.kind === "left") return options.toSession(key, take);
  switch (known.kind) {
    case "current":
      return answerCommand(options, command, conversations.current(agentSessionId));
    case "leaving":
      return answerCommand(options, command, conversations.leaving(agentSessionId));
    case "held":
      return answerCommand(
        options,
        command,
        conversations.held(agentSessionId, holder(options, command, known.by)),
      );
    case "own":
      return options.toSession(key, { type: "command.resume", commandId, agentSessionId });
  }
}

/** No chat's title is known, and a key is nothing to tell people. */
function holder({ store }: CommandOptions, { address }: StoredCommand, key: SessionKey): Holder {
  const held = store.session(key)?.address;
  return held !== undefined && laneOf(held) === laneOf(address) ? "topic" : "chat";
}
