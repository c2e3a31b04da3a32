/** Transitions that several states of a session share. */

/** What is noted in every state with a process that is not being ended. */
export const launchEvents = {
  "agent.spawned": { guard: "isCurrent", actions: "recordStarted" },
  "agent.bound": { guard: "isCurrent", actions: "recordBound" },
  "agent.background": { guard: "isCurrent", actions: "countBackground" },
  "agent.context": { guard: "isCurrent", actions: "recordContext" },
  "command.choose": { actions: ["recordCommand", "configureAgent"] },
} as const;

/** Three events say that the process is certainly gone. */
export const whenGone = <Transition>(transition: Transition) => ({
  "agent.exited": transition,
  "agent.refused": transition,
  "agent.unavailable": transition,
});

export const failedLaunch = {
  guard: "isCurrent",
  target: "failed",
  actions: ["dropAgent", "recordUnavailable"],
} as const;

export const died = {
  guard: "isCurrent",
  target: "restarting",
  actions: ["dropAgent", "recordDeath"],
} as const;

export const justGone = { guard: "isCurrent", actions: ["dropAgent", "recordGone"] } as const;

/** What a process without a turn tells. */
export const atRest = {
  ...launchEvents,
  "agent.reset": { guard: "isCurrent", actions: "recordReset" },
  "turn.began": {
    guard: "isCurrent",
    target: "#session.running.working",
    actions: "beginAgentTurn",
  },
  "turn.ended": { guard: "isUnsolicited", actions: "recordRelay" },
  // Asked by work in the background: there is no turn to wait for.
  "context.asked": {
    guard: "isCurrent",
    target: "#session.restarting",
    actions: ["recordContextAsked", "recordCleared"],
  },
  // Of work in the background: the evidence of what came of its approvals.
  "turn.toolEnded": { guard: "isCurrent", actions: "trackTool" },
  "approval.withdrawn": { guard: "isCurrent", actions: "recordWithdrawn" },
  ...whenGone({ ...justGone, target: "#session.reaping" } as const),
} as const;

/** How the user's turn ends; the same while the service shuts down, save that nothing follows. */
export const turnEnds = (after: "next" | "ending") =>
  [
    {
      guard: "overflowsResume",
      target: after === "next" ? "#session.restarting" : "#session.stopping.ending",
      actions: "recordOverflow",
    },
    {
      guard: "endsUsersTurn",
      target: after === "next" ? "#session.between" : "#session.stopping.ending",
      actions: "recordTurnEnded",
    },
    {
      guard: "endsAgentsTurn",
      target: after === "next" ? "#session.between" : "#session.stopping.ending",
      actions: "recordAgentTurnEnded",
    },
    { guard: "isUnsolicited", actions: "recordRelay" },
  ] as const;

/** An urgent message ends the turn before it; any other one waits. */
export const overtake = {
  guard: "overtakes",
  target: "#session.running.interrupting",
  actions: ["foldMessage", "recordOvertaken", "markStopped", "interruptAgent"],
} as const;

export const restart = (action: "trackTool" | "countBackground") =>
  ({ guard: "isCurrent", target: "working", reenter: true, actions: action }) as const;

export const wedged = { target: "interrupting", actions: ["markQuiet", "interruptAgent"] } as const;
