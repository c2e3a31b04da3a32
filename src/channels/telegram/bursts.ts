import { translate, type TranslatePolicy, type Translation } from "./translate.ts";
import { envelopeSchema, UPDATES_PER_POLL, type RawUpdate } from "./update-schema.ts";

/**
 * Parts of one thing: the pictures of an album, and messages that are forwarded
 * in one go. Telegram sends each as an update of its own, at times in several
 * answers; the agent is to have them as one message. What a full answer leaves
 * out comes with the next poll, and is not waited for.
 */

/** Beyond it a forwarded message is one of its own, in UTF-16 units. */
const JOINED_MAX = 50_000;

/** Times that an answer is asked for again while it grows: nobody's messages wait without end. */
const ROUNDS = 5;

/**
 * Asks again for an answer that ends in a burst, until it grows no more. The
 * burst stays unconfirmed meanwhile, so a crash loses none of it. What stands
 * before it is not kept waiting: it is taken first, and the burst comes again
 * with the next poll.
 */
export async function collectBurst(
  first: unknown,
  policy: TranslatePolicy,
  pause: () => Promise<void>,
  askAgain: () => Promise<unknown>,
): Promise<unknown> {
  let answer = first;
  for (let round = 0; round < ROUNDS; round += 1) {
    if (!Array.isArray(answer) || answer.length >= UPDATES_PER_POLL) return answer;
    const begin = trailingBurst(answer, policy);
    if (begin === null) return answer;
    if (begin > 0) return answer.slice(0, begin);
    await pause();
    const next = await askAgain();
    if (!Array.isArray(next) || next.length <= answer.length) return answer;
    answer = next;
  }
  return answer;
}

/** Where the burst begins that the answer ends in; null where it ends in none. */
function trailingBurst(answer: readonly unknown[], policy: TranslatePolicy): number | null {
  let burst: string | null = null;
  let begin: number | null = null;
  for (let at = answer.length - 1; at >= 0; at -= 1) {
    const update = envelopeSchema.safeParse(answer[at]).data;
    const found = update === undefined ? null : burstOf(update, policy);
    if (found === null || (burst !== null && found !== burst)) break;
    burst = found;
    begin = at;
  }
  return begin;
}

function burstOf(update: RawUpdate, policy: TranslatePolicy): string | null {
  return translate(update, policy).burst;
}

/** Each burst as one message: its first one, with all that came. */
export function joinBursts(translations: readonly Translation[]): readonly Translation[] {
  const joined: Translation[] = [];
  /** By chat and sender: where the burst stands that their next message may belong to. */
  const open = new Map<string, number>();
  for (const translation of translations) {
    const { intake, burst } = translation;
    if (intake === null) {
      joined.push(translation);
      continue;
    }
    const { address, sender } = intake;
    const who = JSON.stringify([address.chatId, address.topicId, sender]);
    const at = open.get(who);
    const first = at === undefined ? undefined : joined[at];
    const both = first !== undefined && first.burst === burst ? together(first, translation) : null;
    if (at !== undefined && both !== null) {
      joined[at] = both;
      continue;
    }
    if (burst === null) open.delete(who);
    else open.set(who, joined.length);
    joined.push(translation);
  }
  return joined;
}

/** Null where they stay two messages. */
function together(first: Translation, next: Translation): Translation | null {
  if (first.intake?.kind !== "message" || next.intake?.kind !== "message") return null;
  const text = [first.intake.text, next.intake.text].filter((one) => one !== "").join("\n\n");
  if (text.length > JOINED_MAX) return null;
  const files = [...(first.intake.files ?? []), ...(next.intake.files ?? [])];
  const more = files.length === 0 ? {} : { files };
  return { ...first, intake: { ...first.intake, text, ...more } };
}
