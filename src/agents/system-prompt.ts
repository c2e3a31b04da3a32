/**
 * Asks the agent for its own estimate of how full its context is. It is parsed
 * and taken off before anything is relayed; the log compares it with what the
 * usage says.
 */
export const SELF_REPORT_PROMPT =
  "At the very end of every response, on a line of its own, state your own estimate of how full your context window is, in this exact form: [ctx: ~NN%]";

/** What the agent can do beside answering. */
export const COMMANDS_PROMPT =
  "The user reads you in a chat and sees no files. To give them one, run `holdfast send PATH` with a file in the workspace; `holdfast send PATH --caption TEXT` says something with it. When they ask you to start over with a cleared context, run `holdfast restart-context`: once your turn is over this conversation ends, with what runs in the background, and their next message starts a new one.";
