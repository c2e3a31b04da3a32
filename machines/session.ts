import { session } from "./session-actions.ts";
import { running } from "./session-running.ts";
import { stopping } from "./session-stopping.ts";
import { atRest, failedLaunch, justGone, launchEvents, whenGone } from "./session-transitions.ts";

/**
 * One conversation: a chat or topic with its agent session, from the first
 * message to the reaping of its process. What is durable lives in
 * `context.facts`; everything else may be lost at any moment.
 */

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
    ...whenGone(failedLaunch),
  },
  after: { startLimit: { target: "restarting", actions: "recordStartTimeout" } },
});

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
    "command.new": { target: ".restarting", actions: ["recordCommand", "forgetTurn"] },
    "command.bindWorkspace": [
      {
        guard: "commandEndsLaunch",
        target: ".restarting",
        actions: ["recordCommand", "forgetTurn"],
      },
      { actions: "recordCommand" },
    ],
    "command.resume": [
      {
        guard: "commandEndsLaunch",
        target: ".restarting",
        actions: ["recordCommand", "forgetTurn"],
      },
      { actions: "recordCommand" },
    ],
    "command.take": { target: ".restarting", actions: ["recordCommand", "forgetTurn"] },
    "command.stop": { actions: "recordCommand" },
    "command.retry": { actions: "recordCommand" },
    "command.skip": { actions: "recordCommand" },
    "command.choose": { actions: "recordCommand" },
    "command.name": { actions: "recordCommand" },
    "command.decide": { actions: "recordCommand" },
    "command.pick": { actions: "recordCommand" },
    "context.asked": [
      { guard: "isCurrent", actions: "recordContextAsked" },
      { actions: "logStale" },
    ],
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
        ...whenGone(failedLaunch),
        "agent.refused": {
          guard: "isCurrent",
          target: "fresh-fallback",
          actions: ["dropAgent", "recordRefused", "recordFreshLaunch", "spawnAgent"],
        },
      },
      after: { startLimit: { target: "restarting", actions: "recordStartTimeout" } },
    },

    /** Fresh from the beginning: nothing bound, or the fresh intent is pending. */
    starting: freshLaunch,

    /** The old session is archived, the user told; the pending message goes with the one fresh launch. */
    "fresh-fallback": freshLaunch,

    running,

    /** Decides what follows a turn. */
    between: {
      always: [
        // What waits is for the context that comes.
        { guard: "owesClearing", target: "restarting", actions: "recordCleared" },
        { guard: "hasNext", target: "running", actions: "giveNext" },
        { guard: "hasUndecided", target: "asking" },
        { target: "idle" },
      ],
    },

    /** Process alive, nothing in flight. */
    idle: {
      tags: ["process"],
      entry: "announceIdle",
      always: { guard: "hasNext", target: "running", actions: "giveNext" },
      on: {
        ...atRest,
        "approval.requested": [
          { guard: "needsPerson", target: "asking", actions: "recordApproval" },
          // Unanswered it would wait for ever.
          { guard: "isCurrent", actions: "denyUnasked" },
        ],
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

    /** Nothing in flight, but work in the background waits for a person. A message does not wait for it. */
    asking: {
      tags: ["process"],
      entry: { type: "announce", params: { phase: "waiting" } },
      always: [
        { guard: "hasNext", target: "running", actions: "giveNext" },
        { guard: "hasNoUndecided", target: "idle" },
      ],
      on: {
        ...atRest,
        "approval.requested": { guard: "isCurrent", actions: "recordApproval" },
        "command.decide": [
          { guard: "decides", actions: ["recordDecision", "sendDecision"] },
          { actions: "recordCommand" },
        ],
        "command.pick": { actions: "recordPick" },
      },
      after: { approvalLimit: { actions: "denyLate" } },
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
        ...whenGone(justGone),
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
        ...whenGone(justGone),
        "agent.exited": { guard: "isCurrent", actions: ["dropAgent", "recordRestart"] },
      },
    },

    stopping,

    /** No process. The failure is a fact, said once; only a later input of the user tries again. */
    failed: { type: "final" },
    /** No process, nothing to do. */
    reaped: { type: "final" },
    /** Ended by a shutdown. */
    stopped: { type: "final" },
  },
  output: ({ context }) => ({ key: context.key }),
});
