import { z } from "zod";
import type { SessionFact } from "../../machines/facts.ts";

const agentKind = z.enum(["claude", "scripted"]);
const freshReasons = [
  "new",
  "context-restart",
  "clear",
  "workspace-changed",
  "agent-changed",
  "resume-refused",
  "too-large",
  "transcript-missing",
] as const;
const parkReason = z.enum([
  "cut-short",
  "quiet",
  "wedged",
  "swallowed",
  "too-large",
  "too-long",
  "tool-ran",
]);
const failureReason = z.enum([
  "binary-missing",
  "not-executable",
  "not-logged-in",
  "spawn-failed",
  "start-timeout",
  "start-failed",
  "projects-missing",
  "session-in-use",
  "workspace-missing",
  "workspace-not-a-directory",
  "workspace-unreadable",
  "workspace-outside-roots",
  "no-workspace",
  "store-failed",
  "crash-limit",
  "actor-fault",
]);
const id = z.int();
const epoch = z.int();

const allowance = z.strictObject({
  what: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("rules"), rules: z.array(z.string()) }),
    z.strictObject({ kind: z.literal("folders"), paths: z.array(z.string()) }),
    z.strictObject({ kind: z.literal("mode"), mode: z.string() }),
  ]),
  where: z.enum(["session", "project", "everybody", "everywhere"]),
});

const approvalRequest = z.strictObject({
  requestId: z.string(),
  toolUseId: z.string().nullable(),
  kind: z.enum(["tool", "plan", "question"]),
  tool: z.string(),
  summary: z.string(),
  detail: z.string(),
  always: z.array(allowance).nullable(),
  questions: z.array(
    z.strictObject({
      question: z.string(),
      header: z.string(),
      multiSelect: z.boolean(),
      options: z.array(z.strictObject({ label: z.string(), description: z.string() })),
    }),
  ),
});

/** A fact as it stands on disk, in its current version. Unknown keys are refused: nothing is dropped silently. */
export const sessionFact = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("workspace.bound"), path: z.string(), agentKind }),
  z.strictObject({ type: z.literal("fresh.intended"), epoch, reason: z.enum(freshReasons) }),
  z.strictObject({ type: z.literal("fresh.settled"), epoch }),
  z.strictObject({ type: z.literal("fresh.withdrawn"), agentSessionId: z.string() }),
  z.strictObject({
    type: z.literal("launch.intended"),
    epoch,
    mode: z.enum(["fresh", "resume", "continue", "fork"]),
    agentSessionId: z.string().nullable(),
    transcript: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal("launch.started"),
    epoch,
    pid: z.int(),
    startedAt: z.string(),
  }),
  z.strictObject({
    type: z.literal("launch.reset"),
    epoch,
    agentSessionId: z.string(),
    transcript: z.string(),
  }),
  z.strictObject({
    type: z.literal("launch.exited"),
    epoch,
    crashedAt: z.number().nullable(),
  }),
  z.strictObject({
    type: z.literal("agentSession.bound"),
    agentSessionId: z.string(),
    transcript: z.string(),
    agentKind,
    model: z.string().nullable(),
  }),
  z.strictObject({
    type: z.literal("agentSession.taken"),
    how: z.enum(["resume", "fork"]),
    agentSessionId: z.string(),
    transcript: z.string(),
    agentKind,
    model: z.string().nullable(),
    completedTurns: z.int(),
  }),
  z.strictObject({
    type: z.literal("agentSession.archived"),
    agentSessionId: z.string(),
    transcript: z.string(),
    reason: z.enum([...freshReasons, "superseded"]),
  }),
  z.strictObject({ type: z.literal("agentSession.incomplete"), agentSessionId: z.string() }),
  z.strictObject({ type: z.literal("message.received"), id, uuid: z.string() }),
  z.strictObject({
    type: z.literal("message.given"),
    id,
    epoch,
    transcript: z.string().nullable(),
  }),
  z.strictObject({ type: z.literal("message.hurried"), id }),
  z.strictObject({ type: z.literal("message.accepted"), id }),
  z.strictObject({ type: z.literal("message.answered"), id }),
  z.strictObject({ type: z.literal("message.failed"), id, reason: z.string() }),
  z.strictObject({ type: z.literal("message.cancelled"), id }),
  z.strictObject({ type: z.literal("message.parked"), id, reason: parkReason }),
  z.strictObject({ type: z.literal("message.requeued"), id, uuid: z.string() }),
  z.strictObject({ type: z.literal("turn.toolRan"), messageId: id }),
  z.strictObject({
    type: z.literal("turn.completed"),
    epoch,
    prompt: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal("turn.measured"),
    epoch,
    model: z.string().nullable(),
    sdkPercent: z.number().nullable(),
    selfReportedPercent: z.number().nullable(),
    inputTokens: z.number().nullable(),
    outputTokens: z.number().nullable(),
  }),
  z.strictObject({
    type: z.literal("approval.opened"),
    epoch,
    messageId: id.nullable(),
    request: approvalRequest,
  }),
  z.strictObject({
    type: z.literal("approval.picked"),
    requestId: z.string(),
    picks: z.array(z.array(z.int())),
  }),
  z.strictObject({
    type: z.literal("approval.decided"),
    requestId: z.string(),
    decision: z.union([
      z.strictObject({
        allow: z.literal(true),
        always: z.boolean(),
        answers: z.record(z.string(), z.string()),
      }),
      z.strictObject({ allow: z.literal(false), reason: z.string() }),
    ]),
  }),
  z.strictObject({
    type: z.literal("approval.closed"),
    requestId: z.string(),
    outcome: z.enum(["allowed", "denied", "answered", "withdrawn", "expired", "timed-out"]),
  }),
  z.strictObject({
    type: z.literal("choice.made"),
    choice: z.enum(["model", "mode", "effort", "verbose"]),
    value: z.string(),
  }),
  z.strictObject({
    type: z.literal("agentSession.named"),
    agentSessionId: z.string(),
    name: z.string(),
  }),
  z.strictObject({
    type: z.literal("context.measured"),
    context: z.strictObject({ used: z.number(), window: z.number() }),
  }),
  z.strictObject({
    type: z.literal("session.failed"),
    reason: failureReason,
    detail: z.string(),
  }),
]);

type Plain<T> = T extends object ? { -readonly [Key in keyof T]: Plain<T[Key]> } : T;
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;

/** Does not compile when the schema and the machines' facts differ in anything but `readonly`. */
true satisfies Same<Plain<SessionFact>, Plain<z.infer<typeof sessionFact>>>;
