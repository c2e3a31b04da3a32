import { isRecord, isRefusal, readInteger } from "../fake-telegram/answer.ts";
import type { CallRecord } from "../fake-telegram/types.ts";
import type { Crowd } from "./crowd.ts";
import { nameIn, type Plan, type Planned } from "./plan.ts";

/** An answer as it reached the chat. */
interface Copy {
  readonly name: string;
  readonly chatId: number | null;
  readonly threadId: number | null;
  readonly replyTo: number | null;
  /** Its place among all calls. */
  readonly at: number;
  /** The service cannot know that it has arrived. */
  isLost: boolean;
}

type People = Pick<Crowd, "sent" | "decided">;

/** Everything about the answers that is not as it must be. */
export function judgeAnswers(
  plan: Plan,
  calls: readonly CallRecord[],
  crowd: People,
): readonly string[] {
  const copies = copiesIn(calls);
  const copiesOf = ({ name }: Planned) => copies.filter((one) => one.name === name);
  return [
    ...plan.messages.flatMap((message) => judgeOne(message, copiesOf(message), crowd)),
    ...plan.topics.flatMap((topic) => judgeOrder(plan, topic, copies, crowd)),
  ];
}

function judgeOne(
  { name, topic }: Planned,
  copies: readonly Copy[],
  { sent, decided }: People,
): readonly string[] {
  if (copies.length === 0) return [`${name} has no answer`];
  const misplaced = copies.filter(
    ({ chatId, threadId }) => chatId !== topic.chatId || threadId !== topic.threadId,
  );
  const astray = copies.filter(({ replyTo }) => replyTo !== sent.get(name));
  const needless = copies.slice(0, -1).filter(({ isLost }) => !isLost);
  const askedAt = decided.get(name)?.at(-1) ?? -1;
  const early = copies.filter(({ at }) => at < askedAt);
  return [
    ...misplaced.map(({ at }) => `${name} is answered elsewhere, in call ${at}`),
    ...astray.map(({ at }) => `${name} is answered in reply to something else, in call ${at}`),
    ...needless.map(({ at }) => `${name} is answered again after call ${at}, which had arrived`),
    ...early.map(({ at }) => `${name} is answered in call ${at}, and was put to its writer later`),
  ];
}

/** What was put to its writer has lost its place: the others do not wait for it. */
function judgeOrder(
  plan: Plan,
  topic: Planned["topic"],
  copies: readonly Copy[],
  { decided }: People,
): readonly string[] {
  const numbers = new Map(
    plan.messages
      .filter((one) => one.topic === topic && !decided.has(one.name))
      .map(({ name, number }) => [name, number]),
  );
  const inOrder = copies.filter(({ name }) => numbers.has(name));
  return inOrder.flatMap(({ name, at }, index) => {
    const before = inOrder[index - 1];
    const isLate = (numbers.get(before?.name ?? "") ?? 0) > (numbers.get(name) ?? 0);
    return isLate ? [`${name} is answered in call ${at}, after ${before?.name}`] : [];
  });
}

/** Those that took effect, in order. */
function copiesIn(calls: readonly CallRecord[]): readonly Copy[] {
  const copies: Copy[] = [];
  /** By chat, of the process that runs now. */
  let newest = new Map<number | null, Copy>();
  for (const [at, { method, params, answered }] of calls.entries()) {
    // A process begins with it. What the one before it sent last may have arrived unheard.
    if (method === "getMe") {
      for (const copy of newest.values()) copy.isLost = true;
      newest = new Map();
    }
    const name = method === "sendMessage" ? nameIn(String(params["text"])) : null;
    if (name === null || !hasEffect(answered)) continue;
    const reply = params["reply_parameters"];
    const copy: Copy = {
      name,
      chatId: readInteger(params["chat_id"]),
      threadId: readInteger(params["message_thread_id"]),
      replyTo: isRecord(reply) ? readInteger(reply["message_id"]) : null,
      at,
      isLost: isUnacknowledged(answered),
    };
    copies.push(copy);
    newest.set(copy.chatId, copy);
  }
  return copies;
}

const faultOf = (answered: unknown): unknown =>
  isRecord(answered) ? answered["fault"] : undefined;

function isUnacknowledged(answered: unknown): boolean {
  const fault = faultOf(answered);
  return fault === "lost-answer" || fault === "cut-body";
}

function hasEffect(answered: unknown): boolean {
  if (isUnacknowledged(answered)) return true;
  return faultOf(answered) === undefined && answered !== undefined && !isRefusal(answered);
}

/** On a busy machine what was under way already may come so late. */
const LATE_MS = 600;

/** Calls into a chat that was to be left alone. */
export function judgePenalties(calls: readonly CallRecord[]): readonly string[] {
  const penalties = calls.flatMap(({ params, at, answered }) => {
    const isPenalty = isRefusal(answered) && answered.error_code === 429;
    return isPenalty ? [{ chatId: params["chat_id"], from: at + LATE_MS, to: at + 950 }] : [];
  });
  return calls
    .filter(({ params, at }) =>
      penalties.some(
        ({ chatId, from, to }) => params["chat_id"] === chatId && at > from && at < to,
      ),
    )
    .map(({ method, params }) => `${method} into ${String(params["chat_id"])} during its penalty`);
}
