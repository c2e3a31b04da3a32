import { session } from "./session-actions.ts";
import { justGone, turnEnds, whenGone } from "./session-transitions.ts";

/** Shutdown: a running turn may end within a bound; nothing is given up. */
export const stopping = session.createStateConfig({
  tags: ["process"],
  initial: "deciding",
  on: {
    shutdown: {},
    "command.new": { actions: "recordCommand" },
    "command.bindWorkspace": { actions: "recordCommand" },
    "command.resume": { actions: "recordCommand" },
    "command.take": { actions: "recordCommand" },
    fault: { target: ".ending" },
    ...whenGone({ ...justGone, target: ".ending" } as const),
  },
  states: {
    deciding: {
      always: [{ guard: "hasTurn", target: "draining" }, { target: "ending" }],
    },
    draining: {
      on: {
        "agent.bound": { guard: "isCurrent", actions: "recordBound" },
        "agent.reset": { guard: "isCurrent", actions: "recordReset" },
        "agent.context": { guard: "isCurrent", actions: "recordContext" },
        "turn.compacted": { guard: "isCurrent", actions: "recordCompacted" },
        "turn.accepted": { guard: "isAccepted", actions: "recordAccepted" },
        "turn.toolStarted": { guard: "isCurrent", actions: "trackTool" },
        "approval.requested": { guard: "isCurrent", actions: "denyUnasked" },
        "turn.ended": turnEnds("ending"),
      },
      after: { drainLimit: { target: "ending" } },
    },
    ending: {
      entry: "endAgent",
      always: { guard: "isDone", target: "#session.stopped" },
    },
  },
});
