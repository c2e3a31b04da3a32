import { NEW_TURN, nothing, tell } from "./translate-state.ts";
import type { TranslateState, Translation } from "./translate-state.ts";

/** The agent has taken our prompt: what runs now is its turn. */
export function acceptPrompt(state: TranslateState): Translation {
  const { prompt } = state;
  if (prompt === null || prompt.accepted) return nothing(state);
  const turn = { ...(state.turn ?? NEW_TURN), unsolicited: false };
  return tell(
    { ...state, prompt: { ...prompt, accepted: true }, turn },
    { type: "turn.accepted", uuid: prompt.uuid },
  );
}

/** Something runs in the main thread, and no turn was known to. */
export function beginTurn(state: TranslateState): Translation {
  const { prompt } = state;
  if (prompt?.accepted === true) return nothing({ ...state, turn: NEW_TURN });
  // An agent that does not tell when it takes a prompt can only mean this one.
  if (prompt !== null && !state.lifecycle && state.wake === null) return acceptPrompt(state);
  const cause = state.wake ?? "";
  return tell(
    { ...state, wake: null, turn: { ...NEW_TURN, unsolicited: true } },
    { type: "turn.began", cause },
  );
}
