/** One thing that was said in a session. */
export interface Said {
  readonly role: "user" | "assistant";
  readonly text: string;
}

const WHO =
  "I am holdfast's scripted demo agent: a small program, not an AI. I show how a chat keeps its session.";
const REAL =
  "For the real agent, install Claude Code (`npm install -g @anthropic-ai/claude-code`), log in with `claude`, and start holdfast again.";
const TRY =
  "Tell me a few things, then let me go idle or restart the service: I will still know them.";

/**
 * The answer of the demo: it shows what it remembers, so that a resumed
 * session can be seen to have kept its context. `said` ends with the newest
 * message; `returned` marks the first answer after a resume.
 */
export function companionAnswer(said: readonly Said[], returned: boolean): string {
  const told = said.filter((one) => one.role === "user").map((one) => one.text);
  const newest = told.at(-1) ?? "";
  const [first] = told;
  if (first === undefined) return WHO;
  if (told.length === 1) return [greeting(newest), WHO, TRY, REAL].join("\n\n");
  const back = returned ? "I was started again since we last spoke, and the context is here. " : "";
  const memory = `You have told me ${told.length} things so far; the first was ${quoted(first)}.`;
  if (/\b(remember|recall|what did i|list)\b/i.test(newest)) {
    return `${back}${memory}\n\n${told.map((text) => `- ${quoted(text)}`).join("\n")}`;
  }
  if (/\b(help|who are you|real agent|claude)\b/i.test(newest)) {
    return `${back}${WHO}\n\n${REAL}\n\n${memory}`;
  }
  return `${back}${greeting(newest)} ${memory}`;
}

function greeting(text: string): string {
  return text === "" ? "I have your message." : `I have noted ${quoted(text)}.`;
}

const QUOTE_MAX = 60;

function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const short = line.length > QUOTE_MAX ? `${line.slice(0, QUOTE_MAX)}…` : line;
  return `“${short}”`;
}
