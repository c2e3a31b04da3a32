import fc from "fast-check";
import { initialFacts, foldFact } from "../../machines/fold.ts";
import { messageInFlight, nextMessage } from "../../machines/facts.ts";
import type { FreshReason, ParkReason, SessionFact, SessionFacts } from "../../machines/facts.ts";

/** Facts as fast-check makes them: few ids, so that they meet. */

const id = fc.nat(4);
const epoch = fc.nat(3);
const agentSessionId = fc.constantFrom("s1", "s2", "s3");
const transcript = agentSessionId.map((one) => `/t/${one}.jsonl`);
const uuid = fc.constantFrom("u1", "u2", "u3");
const agentKind = fc.constantFrom("claude", "scripted");
const freshReason = fc.constantFrom<FreshReason>(
  "new",
  "agent-changed",
  "context-restart",
  "clear",
  "workspace-changed",
  "resume-refused",
  "too-large",
  "transcript-missing",
);
const parkReason = fc.constantFrom<ParkReason>(
  "cut-short",
  "quiet",
  "wedged",
  "swallowed",
  "too-large",
  "too-long",
  "tool-ran",
);
const maybe = <Value>(one: fc.Arbitrary<Value>) => fc.option(one, { nil: null });
/** Keeps the literal, which fast-check would widen. */
const type = <Type extends SessionFact["type"]>(name: Type) => fc.constant<Type>(name);

/** Any fact, whether it makes sense after the one before or not. */
export const anyFact: fc.Arbitrary<SessionFact> = fc.oneof(
  fc.record({ type: type("workspace.bound"), path: fc.constantFrom("/a", "/b"), agentKind }),
  fc.record({ type: type("fresh.intended"), epoch, reason: freshReason }),
  fc.record({ type: type("fresh.settled"), epoch }),
  fc.record({ type: type("fresh.withdrawn"), agentSessionId }),
  fc.record({
    type: type("launch.intended"),
    epoch,
    mode: fc.constantFrom("fresh", "resume", "continue"),
    agentSessionId: maybe(agentSessionId),
    transcript: maybe(transcript),
  }),
  fc.record({ type: type("launch.started"), epoch, pid: fc.nat(), startedAt: fc.string() }),
  fc.record({ type: type("launch.reset"), epoch, agentSessionId, transcript }),
  fc.record({ type: type("launch.exited"), epoch, crashedAt: maybe(fc.nat()) }),
  fc.record({
    type: type("agentSession.bound"),
    agentSessionId,
    transcript,
    agentKind,
    model: maybe(fc.string()),
  }),
  fc.record({
    type: type("agentSession.archived"),
    agentSessionId,
    transcript,
    reason: fc.oneof(freshReason, fc.constant("superseded" as const)),
  }),
  fc.record({ type: type("message.received"), id, uuid }),
  fc.record({ type: type("message.given"), id, epoch, transcript: maybe(transcript) }),
  fc.record({ type: type("message.accepted"), id }),
  fc.record({ type: type("message.answered"), id }),
  fc.record({ type: type("message.failed"), id, reason: fc.string() }),
  fc.record({ type: type("message.cancelled"), id }),
  fc.record({ type: type("message.parked"), id, reason: parkReason }),
  fc.record({ type: type("message.requeued"), id, uuid }),
  fc.record(
    { type: type("turn.completed"), epoch, prompt: fc.string() },
    { requiredKeys: ["type", "epoch"] },
  ),
  fc.record({ type: type("agentSession.incomplete"), agentSessionId: fc.string() }),
  fc.record({ type: type("turn.toolRan"), messageId: id }),
  fc.record({
    type: type("context.measured"),
    context: fc.record({ used: fc.nat(), window: fc.nat() }),
  }),
  fc.record({
    type: type("session.failed"),
    reason: fc.constantFrom("start-failed", "crash-limit"),
    detail: fc.string(),
  }),
);

/** What happens to messages in a session that keeps its rules: each step does what it can there. */
export const storyOfMessages: fc.Arbitrary<readonly SessionFact[]> = fc
  .array(
    fc.constantFrom("receive", "give", "accept", "answer", "fail", "park", "retry", "requeue"),
    { maxLength: 60 },
  )
  .map((steps) => {
    const story: SessionFact[] = [];
    let facts = initialFacts("scripted");
    for (const [nth, step] of steps.entries()) {
      const fact = nextFact(facts, step, nth + 1);
      if (fact === null) continue;
      story.push(fact);
      facts = foldFact(facts, fact);
    }
    return story;
  });

function nextFact(facts: SessionFacts, step: string, nth: number): SessionFact | null {
  const flying = messageInFlight(facts);
  const next = nextMessage(facts);
  const parked = facts.messages.find((one) => one.state === "parked") ?? null;
  switch (step) {
    case "receive":
      return { type: "message.received", id: nth, uuid: `u${nth}` };
    case "give":
      return flying !== null || next === null
        ? null
        : { type: "message.given", id: next.id, epoch: nth, transcript: null };
    case "retry":
      return parked && { type: "message.requeued", id: parked.id, uuid: `u${nth}` };
    default:
      return flying === null ? null : flyingFact(step, flying.id, flying.uuid);
  }
}

function flyingFact(step: string, id: number, uuid: string): SessionFact {
  switch (step) {
    case "accept":
      return { type: "message.accepted", id };
    case "answer":
      return { type: "message.answered", id };
    case "fail":
      return { type: "message.failed", id, reason: "x" };
    case "park":
      return { type: "message.parked", id, reason: "quiet" };
    default:
      return { type: "message.requeued", id, uuid };
  }
}
