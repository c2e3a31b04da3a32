import type { ActorLogic, EventObject, Snapshot } from "xstate";
import type { SessionFacts } from "../../machines/facts.ts";
import type { sessionMachine } from "../../machines/session.ts";
import type { SessionInput } from "../../machines/session-types.ts";

/** A session's actor that keeps what it is told and ends when the test says so. */
export interface FakeSession {
  readonly key: string;
  readonly facts: SessionFacts;
  /** Types of the events it was told. */
  readonly told: readonly string[];
  end(): void;
  fail(message: string): void;
}

type State = Snapshot<{ readonly key: string }> & { readonly input: SessionInput };

/** In the place of the session machine; `started` gets every actor that is spawned. */
export function createFakeSession(started: (session: FakeSession) => void): typeof sessionMachine {
  const logic: ActorLogic<State, EventObject & { readonly error?: Error }, SessionInput> = {
    getInitialSnapshot(scope, input) {
      const told: string[] = [];
      const { self } = scope;
      started({
        key: input.key,
        facts: input.facts,
        told,
        end: () => self.send({ type: "test.end" }),
        fail: (message) => self.send({ type: "test.fail", error: new Error(message) }),
      });
      events.set(self, told);
      return { status: "active", output: undefined, error: undefined, input };
    },
    transition(state, event, { self }) {
      switch (event.type) {
        case "test.end":
          return { ...state, status: "done", output: { key: state.input.key }, error: undefined };
        case "test.fail":
          return { ...state, status: "error", error: event.error, output: undefined };
        default:
          events.get(self)?.push(event.type);
          return state;
      }
    },
    getPersistedSnapshot: (state) => state,
  };
  const events = new WeakMap<object, string[]>();
  // The supervisor uses what every actor has: it is started, told, ends and fails.
  return logic as unknown as typeof sessionMachine;
}
