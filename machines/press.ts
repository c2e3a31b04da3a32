/** What is known when a button is pressed. */
export interface Press {
  /** It was given out in this session. */
  readonly known: boolean;
  /** Its message has another text or other buttons since. */
  readonly isVoid: boolean;
  readonly ageMs: number;
  readonly limitMs: number;
  /** It was offered to everybody, or to whoever presses it. */
  readonly isOwner: boolean;
  /** It settles what the agent may do. */
  readonly decides: boolean;
  /** Whoever presses it may settle that. */
  readonly isApprover: boolean;
}

/**
 * - heed: it does what it says
 * - stale: it stands for nothing any more, or never did
 * - not-yours: it is for somebody else to press
 */
export type PressVerdict = "heed" | "stale" | "not-yours";

/** Whether a button is heeded. Total; what is not heeded changes nothing. */
export function judgePress(press: Press): PressVerdict {
  if (!press.known) return "stale";
  if (!press.isOwner || (press.decides && !press.isApprover)) return "not-yours";
  return press.isVoid || press.ageMs > press.limitMs ? "stale" : "heed";
}
