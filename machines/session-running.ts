import { session } from "./session-actions.ts";
import { died, launchEvents, restart, turnEnds, wedged, whenGone } from "./session-transitions.ts";

/** One turn in flight. */
export const running = session.createStateConfig({
  initial: "delivering",
  tags: ["process", "busy"],
  entry: { type: "announce", params: { phase: "busy" } },
  on: {
    ...launchEvents,
    "agent.reset": { guard: "isCurrent", actions: "recordReset" },
    ...whenGone(died),
    "turn.ended": turnEnds("next"),
    "turn.toolStarted": { guard: "isCurrent", actions: "trackTool" },
    "turn.toolEnded": { guard: "isCurrent", actions: "trackTool" },
    "approval.requested": [
      { guard: "needsPerson", target: ".awaiting-approval", actions: "openApproval" },
      { guard: "isCurrent", actions: "denyUnasked" },
    ],
    "turn.compacting": { guard: "startsCompacting", target: ".compacting" },
    "turn.compacted": { guard: "isCurrent", actions: "recordCompacted" },
    "message.received": [
      {
        guard: "overtakes",
        target: ".interrupting",
        actions: ["foldMessage", "recordOvertaken", "markStopped", "interruptAgent"],
      },
      { actions: "foldMessage" },
    ],
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
});
