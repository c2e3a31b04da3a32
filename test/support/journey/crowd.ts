import type { FakeTelegram } from "../fake-telegram/server.ts";
import { rowsOf } from "../conversation/bot-call.ts";
import { ALLOWED } from "../holdfast.ts";
import { nameIn, type Plan, type Planned, type Topic } from "./plan.ts";

/** The people of the journey: they write, and decide about what was cut short. */
export interface Crowd {
  /** Sends so many of the messages that are left. */
  write(count: number): void;
  /** Reads what is new, and has run again what is put to them. */
  read(): void;
  unsent(): number;
  unanswered(): readonly string[];
  answered(): number;
  /** Messages that were put to their writers, by name, with the place in the calls at which they decided. */
  readonly decided: ReadonlyMap<string, readonly number[]>;
  /** The platform's ids of the messages, by name. */
  readonly sent: ReadonlyMap<string, number>;
}

export function createCrowd(telegram: FakeTelegram, plan: Plan): Crowd {
  const left = [...plan.messages];
  const sent = new Map<string, number>();
  const decided = new Map<string, number[]>();
  const answered = new Set<string>();
  const pressed = new Set<string>();
  let toRepeat: number[] = [];
  let readUntil = 0;

  const writeIn = (topic: Topic, text: string) =>
    telegram.user({ ...topic, fromId: ALLOWED, text });

  function send({ name, topic, text, isRepeated }: Planned): void {
    const { messageId, updateId } = writeIn(topic, text);
    sent.set(name, messageId);
    if (isRepeated) toRepeat.push(updateId);
  }

  /** What the bot has confirmed comes again with what is new. */
  function repeat(): void {
    const confirmed = toRepeat.filter((updateId) => updateId < telegram.confirmedOffset());
    toRepeat = toRepeat.filter((updateId) => !confirmed.includes(updateId));
    for (const updateId of confirmed) telegram.repeatUpdate(updateId);
  }

  /** Now by the button, now by the command; a copy of a notice has the same button. */
  function decide(message: (typeof telegram.messages)[number]): void {
    const { chatId, threadId, messageId, replyToMessageId } = message;
    const button = rowsOf(message.replyMarkup)
      .flat()
      .find(({ label }) => label.includes("Run again"));
    if (button === undefined || pressed.has(button.data) || threadId === null) return;
    pressed.add(button.data);
    const about = plan.messages.find(
      ({ name, topic }) => topic.chatId === chatId && sent.get(name) === replyToMessageId,
    );
    if (about === undefined) throw new Error(`a notice about nothing: ${message.text}`);
    decided.set(about.name, [...(decided.get(about.name) ?? []), telegram.calls.length]);
    if (pressed.size % 3 === 0) return void writeIn({ chatId, threadId }, "/retry");
    telegram.callback({ chatId, fromId: ALLOWED, messageId, data: button.data });
  }

  return {
    sent,
    decided,
    write(count) {
      repeat();
      left.splice(0, count).forEach(send);
    },
    read() {
      for (const message of telegram.messages.slice(readUntil)) {
        const name = nameIn(message.text);
        if (name !== null) answered.add(name);
        else decide(message);
      }
      readUntil = telegram.messages.length;
    },
    unsent: () => left.length,
    answered: () => answered.size,
    unanswered: () => [...sent.keys()].filter((name) => !answered.has(name)),
  };
}
