import { session } from "./session-actions.ts";
import {
  died,
  launchEvents,
  overtake,
  restart,
  turnEnds,
  wedged,
  whenGone,
} from "./session-transitions.ts";

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
      { guard: "needsPerson", target: ".awaiting-approval", actions: "recordApproval" },
      { guard: "isCurrent", actions: "denyUnasked" },
    ],
    "approval.withdrawn": { guard: "isCurrent", actions: "recordWithdrawn" },
    "command.decide": [
      { guard: "decides", actions: ["recordDecision", "sendDecision"] },
      { actions: "recordCommand" },
    ],
    "command.pick": { actions: "recordPick" },
    "turn.compacting": { guard: "startsCompacting", target: ".compacting" },
    "turn.compacted": { guard: "isCurrent", actions: "recordCompacted" },
    "message.received": [overtake, { actions: "foldMessage" }],
    "command.stop": [
      { guard: "stopsAnother", actions: "recordCommand" },
      {
        target: ".interrupting",
        actions: ["recordCommand", "markStopped", "interruptAgent"],
      },
    ],
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
        "command.decide": [
          { guard: "decidesLast", target: "working", actions: ["recordDecision", "sendDecision"] },
          { guard: "decides", actions: ["recordDecision", "sendDecision"] },
          { actions: "recordCommand" },
        ],
        "approval.withdrawn": [
          { guard: "withdrawsLast", target: "working", actions: "recordWithdrawn" },
          { guard: "isCurrent", actions: "recordWithdrawn" },
        ],
        // A person is asked: what else goes on in the turn does not end the wait.
        "turn.compacting": {},
        "message.received": [overtake, { actions: ["foldMessage", "sayQueued"] }],
      },
      after: {
        approvalLimit: { target: "working", actions: "denyLate" },
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
        "command.stop": [
          { guard: "stopsAnother", actions: "recordCommand" },
          { actions: ["recordCommand", "markStopped"] },
        ],
      },
      after: {
        interruptLimit: { target: "#session.restarting", actions: "markWedged" },
      },
    },
  },
});
