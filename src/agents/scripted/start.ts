import { transcriptPath } from "../claude/transcript.ts";
import type { CommandLine } from "./command-line.ts";
import { newSession } from "./session.ts";
import type { Session } from "./session.ts";
import { emptyMemory, findTranscript, newestSession, readTranscript } from "./transcript.ts";

export type Opened =
  | { readonly outcome: "opened"; readonly session: Session; readonly resumed: boolean }
  /** Told on stderr and, where it was a resume, as a result on stdout too; then the process ends with code 1. */
  | {
      readonly outcome: "refused";
      readonly error: string;
      readonly sessionId: string;
      readonly asResult: boolean;
    };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Finds or begins the session that the command line names; texts as of version 2.1.332 of the real agent. */
export function openSession(
  commandLine: CommandLine,
  configDir: string,
  cwd: string,
  newId: () => string,
): Opened {
  const { sessionId } = commandLine;
  const resume =
    commandLine.resume ?? (commandLine.continue ? newestSession(configDir, cwd) : null);
  const id = sessionId ?? newId();
  if (resume !== null) {
    const opened = resumeSession(resume, configDir, cwd);
    return commandLine.fork ? forkSession(opened, id, transcriptPath(configDir, id, cwd)) : opened;
  }
  if (sessionId !== null && findTranscript(configDir, cwd, sessionId) !== null) {
    const error = `Error: Session ID ${id} is already in use.`;
    return { outcome: "refused", error, sessionId: id, asResult: false };
  }
  const session = newSession(id, transcriptPath(configDir, id, cwd), emptyMemory());
  return { outcome: "opened", session, resumed: false };
}

function forkSession(opened: Opened, id: string, transcript: string): Opened {
  if (opened.outcome === "refused") return opened;
  const { transcript: copyOf, memory } = opened.session;
  return { ...opened, session: { ...newSession(id, transcript, memory), copyOf } };
}

export function unknownSession(sessionId: string): Opened {
  const error = `No conversation found with session ID: ${sessionId}`;
  return { outcome: "refused", error, sessionId, asResult: true };
}

function resumeSession(id: string, configDir: string, cwd: string): Opened {
  if (!UUID.test(id)) {
    const error = `Error: --resume requires a valid session ID or session title when used with --print. Provided value "${id}" is not a UUID and does not match any session title.`;
    return { outcome: "refused", error, sessionId: id, asResult: true };
  }
  const path = findTranscript(configDir, cwd, id);
  if (path === null) return unknownSession(id);
  try {
    const memory = readTranscript(path);
    if (memory === null) return unknownSession(id);
    return { outcome: "opened", session: newSession(id, path, memory), resumed: true };
  } catch (error) {
    const text = `Failed to resume session: ${error instanceof Error ? error.message : String(error)}`;
    return { outcome: "refused", error: text, sessionId: id, asResult: true };
  }
}
