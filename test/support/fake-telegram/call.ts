import type { Answer, Params } from "./answer.ts";
import type { World } from "./world.ts";

export interface Call {
  readonly params: Params;
  /** Tells one poller from another: the User-Agent. */
  readonly client: string;
  /** Aborted when the connection ends. */
  readonly signal: AbortSignal;
}

export interface Method {
  readonly name: string;
  /** Parameters that the bot may send; others are violations. */
  readonly params: readonly string[];
  /** Counts as a message for the flood limits. */
  readonly isMessage?: boolean;
  run(world: World, call: Call): Answer | Promise<Answer>;
}
