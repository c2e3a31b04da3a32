/**
 * A machine's statechart as plain JSON: what its definition says, with guards
 * and events in words. Ids are those of XState's state nodes, so that a
 * snapshot or an inspected step can be found in it.
 */
export interface Chart {
  /** The machine's id. */
  readonly id: string;
  readonly root: ChartState;
  /** Of all states, in the definition's order. */
  readonly transitions: readonly ChartTransition[];
}

export interface ChartState {
  readonly id: string;
  /** Keys from the root, which has none. */
  readonly path: readonly string[];
  readonly kind: "atomic" | "compound" | "parallel" | "final" | "history";
  /** What a history state remembers; null for every other kind. */
  readonly history: "shallow" | "deep" | null;
  readonly description: string | null;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly tags: readonly string[];
  /** Id of the child that is entered first. */
  readonly initial: string | null;
  /** Names of actions. */
  readonly entry: readonly string[];
  readonly exit: readonly string[];
  readonly invokes: readonly { readonly id: string; readonly src: string }[];
  readonly states: readonly ChartState[];
}

export interface ChartTransition {
  /** As `transitionId` makes it from the definition that an inspected step names. */
  readonly id: string;
  /** Id of the state whose definition has it. */
  readonly source: string;
  /** Ids of states; none where it only acts and stays. */
  readonly targets: readonly string[];
  readonly event: ChartEvent;
  readonly guard: ChartGuard | null;
  /** When it is taken, in words; null where always. */
  readonly condition: string | null;
  /** Names of actions. */
  readonly actions: readonly string[];
  /** Leaves its source and enters it again, even where the target lies inside. */
  readonly reenter: boolean;
  /** The root's: it is taken in any state that does not take the event itself. */
  readonly fromAnyState: boolean;
}

export type ChartEvent =
  | {
      readonly kind: "event" | "wildcard" | "always" | "done" | "error" | "snapshot";
      /** As XState calls it; empty for `always`. */
      readonly type: string;
      readonly words: string;
    }
  | {
      readonly kind: "after";
      readonly type: string;
      readonly words: string;
      readonly delay: string;
      /** Names of the limits that it is read from. */
      readonly limits: readonly string[];
    };

export type ChartGuard =
  | { readonly kind: "named"; readonly name: string; readonly words: string }
  | { readonly kind: "and" | "or"; readonly of: readonly ChartGuard[] }
  | { readonly kind: "not"; readonly of: ChartGuard };
