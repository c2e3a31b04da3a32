/**
 * Asks the agent for its own estimate of how full its context is. It is parsed
 * and taken off before anything is relayed; the log compares it with what the
 * usage says.
 */
export const SELF_REPORT_PROMPT =
  "At the very end of every response, on a line of its own, state your own estimate of how full your context window is, in this exact form: [ctx: ~NN%]";
