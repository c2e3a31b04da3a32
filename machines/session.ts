import { session } from "./session-actions.ts";

/**
 * One conversation: a chat or topic with its agent session, from the first
 * message to the reaping of its process. What is durable lives in
 * `context.facts`; everything else may be lost at any moment.
 */

const launchEvents = {
  "agent.spawned": { guard: "isCurrent", actions: "recordStarted" },
  "agent.bound": { guard: "isCurrent", actions: "recordBound" },
  "agent.background": { guard: "isCurrent", actions: "countBackground" },
  "agent.context": { guard: "isCurrent", actions: "recordContext" },
} as const;

/** A fresh launch is never tried twice: whatever ends it before it is ready fails the session. */
const freshLaunch = session.createStateConfig({
  tags: ["process", "launching"],
  entry: { type: "announce", params: { phase: "moving" } },
  on: {
    ...launchEvents,
    "agent.ready": [
      { guard: "readyWithNext", target: "running", actions: "giveNext" },
      { guard: "isCurrent", target: "idle" },
    ],
    "agent.refused": {
      guard: "isCurrent",
      target: "failed",
      actions: ["dropAgent", "recordUnavailable"],
    },
    "agent.unavailable": {
      guard: "isCurrent",
      target: "failed",
      actions: ["dropAgent", "recordUnavailable"],
    },
    "agent.exited": {
      guard: "isCurrent",
      target: "failed",
      actions: ["dropAgent", "recordUnavailable"],
    },
  },
  after: { startLimit: { target: "restarting", actions: "recordStartTimeout" } },
});

/** How the user's turn ends; the same while the service shuts down, save that nothing follows. */
const turnEnds = (after: "next" | "ending") =>
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

const died = {
  guard: "isCurrent",
  target: "restarting",
  actions: ["dropAgent", "recordDeath"],
} as const;

const restart = (action: "trackTool" | "countBackground") =>
  ({ guard: "isCurrent", target: "working", reenter: true, actions: action }) as const;

const wedged = { target: "interrupting", actions: ["markQuiet", "interruptAgent"] } as const;

export const sessionMachine = session.createMachine({
  id: "session",
  options: { maxIterations: 1000 },
  context: ({ input }) => ({
    ...input,
    probe: null,
    turn: null,
    provedByTurn: false,
    background: 0,
    process: null,
    wedged: false,
  }),
  initial: "normalizing",
  on: {
    "message.received": { actions: "foldMessage" },
    "command.new": { target: ".restarting", actions: "recordCommand" },
    "command.bindWorkspace": [
      { guard: "commandEndsLaunch", target: ".restarting", actions: "recordCommand" },
      { actions: "recordCommand" },
    ],
    "command.resume": [
      { guard: "commandEndsLaunch", target: ".restarting", actions: "recordCommand" },
      { actions: "recordCommand" },
    ],
    "command.take": { target: ".restarting", actions: "recordCommand" },
    "command.stop": { actions: "recordCommand" },
    "command.retry": { actions: "recordCommand" },
    "command.skip": { actions: "recordCommand" },
    "agent.spawned": { guard: "isCurrent", actions: "recordStarted" },
    shutdown: { target: ".stopping" },
    fault: { target: ".stopping.ending" },
    "turn.ended": { guard: "isStale", actions: "logStale" },
    "agent.ready": { guard: "isStale", actions: "logStale" },
    "agent.bound": { guard: "isStale", actions: "logStale" },
    "agent.exited": { guard: "isStale", actions: "logStale" },
  },
  states: {
    /** The launch is decided from the facts and from what is found on disk. */
    normalizing: {
      initial: "probing",
      entry: { type: "announce", params: { phase: "moving" } },
      states: {
        probing: {
          invoke: {
            id: "prepareLaunch",
            src: "prepareLaunch",
            input: ({ context }) => ({ key: context.key, facts: context.facts }),
            onDone: {
              target: "deciding",
              actions: [
                { type: "rememberProbe", params: ({ event }) => event.output },
                "recordRecovery",
              ],
            },
            onError: { target: "#session.failed", actions: "recordProbeFailed" },
          },
        },
        deciding: {
          always: [
            { guard: "hasNothingToDo", target: "#session.reaped" },
            {
              guard: "isWorkspaceRefused",
              target: "#session.failed",
              actions: "recordWorkspaceRefused",
            },
            {
              guard: "isPendingFallback",
              target: "#session.fresh-fallback",
              actions: ["recordFreshLaunch", "spawnAgent"],
            },
            {
              guard: "needsFallback",
              target: "#session.fresh-fallback",
              actions: ["recordFallback", "recordFreshLaunch", "spawnAgent"],
            },
            {
              guard: "isUnavailable",
              target: "#session.failed",
              actions: "recordUnavailableNow",
            },
            {
              guard: "mayResume",
              target: "#session.resuming",
              actions: ["recordResumeLaunch", "spawnAgent"],
            },
            { target: "#session.starting", actions: ["recordFreshLaunch", "spawnAgent"] },
          ],
        },
      },
    },

    /** A process was started on the bound session; only the answer to `initialize` proves it. */
    resuming: {
      tags: ["process", "launching"],
      entry: { type: "announce", params: { phase: "moving" } },
      on: {
        ...launchEvents,
        "agent.ready": [
          { guard: "readyWithNext", target: "running", actions: "giveNext" },
          { guard: "isCurrent", target: "idle" },
        ],
        "agent.refused": {
          guard: "isCurrent",
          target: "fresh-fallback",
          actions: ["dropAgent", "recordRefused", "recordFreshLaunch", "spawnAgent"],
        },
        "agent.unavailable": {
          guard: "isCurrent",
          target: "failed",
          actions: ["dropAgent", "recordUnavailable"],
        },
        "agent.exited": {
          guard: "isCurrent",
          target: "failed",
          actions: ["dropAgent", "recordUnavailable"],
        },
      },
      after: { startLimit: { target: "restarting", actions: "recordStartTimeout" } },
    },

    /** Fresh from the beginning: nothing bound, or the fresh intent is pending. */
    starting: freshLaunch,

    /** The old session is archived, the user told; the pending message goes with the one fresh launch. */
    "fresh-fallback": freshLaunch,

    /** One turn in flight. */
    running: {
      initial: "delivering",
      tags: ["process", "busy"],
      entry: { type: "announce", params: { phase: "busy" } },
      on: {
        ...launchEvents,
        "agent.reset": { guard: "isCurrent", actions: "recordReset" },
        "agent.exited": died,
        "agent.refused": died,
        "agent.unavailable": died,
        "turn.ended": turnEnds("next"),
        "turn.toolStarted": { guard: "isCurrent", actions: "trackTool" },
        "turn.toolEnded": { guard: "isCurrent", actions: "trackTool" },
        "approval.requested": [
          { guard: "needsPerson", target: ".awaiting-approval", actions: "openApproval" },
          { guard: "isCurrent", actions: "denyUnasked" },
        ],
        "turn.compacting": { guard: "startsCompacting", target: ".compacting" },
        "turn.compacted": { guard: "isCurrent", actions: "recordCompacted" },
        "command.stop": {
          target: ".interrupting",
          actions: ["recordCommand", "markStopped", "interruptAgent"],
        },
      },
      states: {
        /** Given, not yet taken by the agent. */
        delivering: {
          on: {
            "turn.accepted": { guard: "isAccepted", target: "working", actions: "recordAccepted" },
            "agent.active": { guard: "isCurrent", target: "delivering", reenter: true },
          },
          after: { quietLimit: wedged },
        },
        working: {
          on: {
            "agent.active": { guard: "isCurrent", target: "working", reenter: true },
            // Each of these changes the limit, which is read on entering.
            "turn.toolStarted": restart("trackTool"),
            "turn.toolEnded": restart("trackTool"),
            "agent.background": restart("countBackground"),
          },
          after: { quietLimit: wedged },
        },
        "awaiting-approval": {
          entry: { type: "announce", params: { phase: "waiting" } },
          exit: { type: "announce", params: { phase: "busy" } },
          on: {
            "approval.decided": {
              guard: "answersApproval",
              target: "working",
              actions: ["sendDecision", "closeApproval"],
            },
            "approval.withdrawn": {
              guard: "answersApproval",
              target: "working",
              actions: "closeApproval",
            },
          },
          after: {
            approvalLimit: { target: "working", actions: ["denyExpired", "closeApproval"] },
          },
        },
        compacting: {
          on: {
            "turn.compacting": { guard: "endsCompacting", target: "working" },
            "agent.active": { guard: "isCurrent", target: "compacting", reenter: true },
          },
          after: { quietLimit: wedged },
        },
        /** An interrupt was sent; a healthy agent ends the turn at once. */
        interrupting: {
          on: {
            "turn.compacting": {},
            "command.stop": { actions: ["recordCommand", "markStopped"] },
          },
          after: {
            interruptLimit: { target: "#session.restarting", actions: "markWedged" },
          },
        },
      },
    },

    /** Decides what follows a turn. */
    between: {
      always: [{ guard: "hasNext", target: "running", actions: "giveNext" }, { target: "idle" }],
    },

    /** Process alive, nothing in flight. */
    idle: {
      tags: ["process"],
      entry: "announceIdle",
      always: { guard: "hasNext", target: "running", actions: "giveNext" },
      on: {
        ...launchEvents,
        "agent.reset": { guard: "isCurrent", actions: "recordReset" },
        "turn.began": { guard: "isCurrent", target: "running.working", actions: "beginAgentTurn" },
        "turn.ended": { guard: "isUnsolicited", actions: "recordRelay" },
        // From work in the background: unanswered it would wait for ever.
        "approval.requested": { guard: "isCurrent", actions: "denyUnasked" },
        "agent.exited": {
          guard: "isCurrent",
          target: "reaping",
          actions: ["dropAgent", "recordGone"],
        },
        "agent.refused": {
          guard: "isCurrent",
          target: "reaping",
          actions: ["dropAgent", "recordGone"],
        },
        "agent.unavailable": {
          guard: "isCurrent",
          target: "reaping",
          actions: ["dropAgent", "recordGone"],
        },
        "agent.background": {
          guard: "isCurrent",
          target: "idle",
          reenter: true,
          actions: "countBackground",
        },
        reap: { guard: "canReap", target: "reaping", actions: "logReap" },
      },
      after: {
        idleLimit: [
          { guard: "canReap", target: "reaping", actions: "logReap" },
          { target: "idle", reenter: true },
        ],
      },
    },

    /** The process is ended; a message that comes now is neither lost nor run in a second one. */
    reaping: {
      tags: ["process"],
      entry: ["endAgent", { type: "announce", params: { phase: "ending" } }],
      always: [
        { guard: "isDoneWithNext", target: "normalizing" },
        { guard: "isDone", target: "reaped" },
      ],
      on: {
        "command.new": { actions: "recordCommand" },
        "agent.exited": { guard: "isCurrent", actions: ["dropAgent", "recordGone"] },
        "agent.refused": { guard: "isCurrent", actions: ["dropAgent", "recordGone"] },
        "agent.unavailable": { guard: "isCurrent", actions: ["dropAgent", "recordGone"] },
      },
    },

    /** The old process is made certainly gone before anything else is launched. */
    restarting: {
      tags: ["process"],
      entry: ["endAgentNow", { type: "announce", params: { phase: "moving" } }],
      always: [
        { guard: "isDoneAndFailed", target: "failed" },
        { guard: "isDoneAndDiesTooOften", target: "failed", actions: "recordCrashLimit" },
        { guard: "isDone", target: "normalizing" },
      ],
      on: {
        "command.new": { actions: "recordCommand" },
        "command.bindWorkspace": { actions: "recordCommand" },
        "command.resume": { actions: "recordCommand" },
        "command.take": { actions: "recordCommand" },
        "agent.exited": { guard: "isCurrent", actions: ["dropAgent", "recordRestart"] },
        "agent.refused": { guard: "isCurrent", actions: ["dropAgent", "recordGone"] },
        "agent.unavailable": { guard: "isCurrent", actions: ["dropAgent", "recordGone"] },
      },
    },

    /** Shutdown: a running turn may end within a bound; nothing is given up. */
    stopping: {
      tags: ["process"],
      initial: "deciding",
      on: {
        shutdown: {},
        "command.new": { actions: "recordCommand" },
        "command.bindWorkspace": { actions: "recordCommand" },
        "command.resume": { actions: "recordCommand" },
        "command.take": { actions: "recordCommand" },
        fault: { target: ".ending" },
        "agent.exited": {
          guard: "isCurrent",
          target: ".ending",
          actions: ["dropAgent", "recordGone"],
        },
        "agent.refused": {
          guard: "isCurrent",
          target: ".ending",
          actions: ["dropAgent", "recordGone"],
        },
        "agent.unavailable": {
          guard: "isCurrent",
          target: ".ending",
          actions: ["dropAgent", "recordGone"],
        },
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
    },

    /** No process. The failure is a fact, said once; only a later input of the user tries again. */
    failed: { type: "final" },
    /** No process, nothing to do. */
    reaped: { type: "final" },
    /** Ended by a shutdown. */
    stopped: { type: "final" },
  },
  output: ({ context }) => ({ key: context.key }),
});
