import { decideResume, type ResumeDecision } from "../../machines/resume.ts";
import type { StoredCommand } from "../ports.ts";
import { resumeList } from "../resume-words.ts";
import { WORDS } from "../words.ts";
import { answerCommand, type CommandOptions } from "./command-options.ts";
import { earlierConversations } from "./earlier.ts";

/** A place in the list, also where the list is shorter: never the beginning of an id that happens to fit. */
const PLACE = /^\d{1,3}$/;

/** Which conversation is meant, and whose it is, is decided in machines/resume.ts. */
export function resumeOrFork(
  options: CommandOptions,
  command: StoredCommand,
  how: "resume" | "fork",
): void {
  const { store } = options;
  const { key } = command;
  const earlier = earlierConversations(store, key, options.clock.now());
  if (command.args === "") {
    return answerCommand(options, command, how === "fork" ? WORDS.forkWhat : resumeList(earlier));
  }
  const listed = earlier[Number(command.args) - 1]?.agentSessionId;
  if (listed === undefined && PLACE.test(command.args)) {
    return answerCommand(options, command, WORDS.resumeUnknown(command.args));
  }
  const asked = listed ?? command.args;
  const others = store.sessionsKnowing(asked).filter((one) => one.key !== key);
  const decided = decideResume(asked, store.facts(key), others);
  switch (decided.kind) {
    case "unknown":
      return answerCommand(options, command, WORDS.resumeUnknown(asked));
    case "ambiguous":
      return answerCommand(options, command, WORDS.resumeAmbiguous(asked, decided.agentSessionIds));
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
  const { agentSessionId } = session;
  const take = { type: "command.take", commandId, how, session } as const;
  if (how === "fork" || known.kind === "left") return options.toSession(key, take);
  switch (known.kind) {
    case "current":
      return answerCommand(options, command, WORDS.resumeCurrent(agentSessionId));
    case "leaving":
      return answerCommand(options, command, WORDS.resumeLeaving(agentSessionId));
    case "held":
      return answerCommand(options, command, WORDS.resumeHeld(agentSessionId, known.by));
    case "own":
      return options.toSession(key, { type: "command.resume", commandId, agentSessionId });
  }
}
