import { createRandom, type Random } from "./random.ts";

/** Who writes what where, and when something breaks: all of it follows from the seed. */

const FORUMS = [-1_001_111_000_000, -1_002_222_000_000] as const;
const TOPICS_PER_FORUM = 10;
const MESSAGES_PER_TOPIC = 25;
/** People write several in a row. */
const RUN = 5;
/** Topics in which the agent is killed once in the middle of a turn. */
const DOOMED = 6;
/** Each comes after so many answers. */
const KILLS = [110, 240, 370];
/** Of a hundred updates so many come twice. */
const REPEATED_PERCENT = 4;

export interface Topic {
  readonly chatId: number;
  readonly threadId: number;
}

export interface Planned {
  /** In its text and in its answer, and in no other's. */
  readonly name: string;
  readonly topic: Topic;
  /** Place in its topic. */
  readonly number: number;
  readonly text: string;
  /** Its agent is killed while it works on it. */
  readonly isDoomed: boolean;
  /** Its update comes once more. */
  readonly isRepeated: boolean;
}

export interface Plan {
  readonly seed: number;
  readonly topics: readonly Topic[];
  /** In the order in which they are sent. */
  readonly messages: readonly Planned[];
  /** Counts of answers after which the service is killed. */
  readonly kills: readonly number[];
}

export function createPlan(seed: number): Plan {
  const random = createRandom(seed);
  const topics: readonly Topic[] = FORUMS.flatMap((chatId) =>
    Array.from({ length: TOPICS_PER_FORUM }, (_, at) => ({ chatId, threadId: at + 2 })),
  );
  const doomed = new Map(
    random
      .shuffled(topics)
      .slice(0, DOOMED)
      .map((topic) => [topic, random.below(20) + 3]),
  );
  const runs = random.shuffled(
    topics.flatMap((topic) => Array.from({ length: MESSAGES_PER_TOPIC / RUN }, () => topic)),
  );
  const counts = new Map<Topic, number>();
  const messages = runs
    .flatMap((topic) => Array<Topic>(RUN).fill(topic))
    .map((topic) => {
      const number = (counts.get(topic) ?? 0) + 1;
      counts.set(topic, number);
      return planned(random, topics.indexOf(topic), topic, number, doomed.get(topic) === number);
    });
  return { seed, topics, messages, kills: KILLS };
}

function planned(
  random: Random,
  at: number,
  topic: Topic,
  number: number,
  isDoomed: boolean,
): Planned {
  const name = `${String(at + 1).padStart(2, "0")}-${String(number).padStart(2, "0")}`;
  const step = { text: answerTo(name), ...(isDoomed ? { delayMs: 1_500 } : pastime(random)) };
  const text = `message ${name} [[script: ${JSON.stringify(step)}]]`;
  return { name, topic, number, text, isDoomed, isRepeated: random.below(100) < REPEATED_PERCENT };
}

/** Most turns are quick; some use a tool that is a process, some think. */
function pastime(random: Random): object {
  const kind = random.below(12);
  if (kind === 0) return { tools: [{ name: "Bash", input: { command: "make" }, durationMs: 150 }] };
  return kind === 1 ? { delayMs: 200 } : {};
}

const answerTo = (name: string): string => `answer ${name}`;

/** The message that an answer is to; null for everything else that the bot says. */
export function nameIn(text: string): string | null {
  return /^answer (\d\d-\d\d)\b/.exec(text)?.[1] ?? null;
}
