import type { FakeTelegram } from "../fake-telegram/server.ts";
import { until } from "../processes.ts";
import { rowsOf } from "./bot-call.ts";
import { PEOPLE, PLACES, type Person } from "./cast.ts";
import { filledIn } from "./pattern.ts";
import type { Writes } from "./script.ts";
import { named, type Stage } from "./stage.ts";

/** What people do. Each resolves when the service has stored it, so that nothing overtakes it. */

export async function write(stage: Stage, step: Writes): Promise<void> {
  const { telegram } = stage.bench;
  const { chatId, threadId } = PLACES[step.in];
  const replyTo =
    step.replyTo === undefined ? {} : { replyTo: named(stage, step.replyTo).messageId };
  const place = { chatId, fromId: PEOPLE[step.from], ...(threadId === null ? {} : { threadId }) };
  const said = filledIn(step.user, stage.texts);
  const text =
    step.agent === undefined ? said : `${said} [[script: ${JSON.stringify(step.agent)}]]`;
  const sent = contentsOf(telegram, step, text).map((content) =>
    telegram.user({ ...place, ...replyTo, ...content }),
  );
  const [first] = sent;
  if (step.name !== undefined && first !== undefined) {
    stage.names.set(step.name, { messageId: first.messageId, chatId });
  }
  await taken(stage, Math.max(...sent.map((one) => one.updateId)));
}

type Content = { readonly text: string } | { readonly extra: object };

/** A step is one message, or several that belong together. */
function contentsOf(telegram: FakeTelegram, step: Writes, text: string): readonly Content[] {
  const caption = text === "" ? {} : { caption: text };
  const { photos, file, forwarded } = step;
  if (photos !== undefined) {
    const album = photos.length > 1 ? { media_group_id: `album of ${photos[0]}` } : {};
    return photos.map((name, at) => {
      const size = { ...fileOf(telegram, name), width: 1, height: 1 };
      return { extra: { photo: [size], ...album, ...(at === 0 ? caption : {}) } };
    });
  }
  if (file !== undefined) {
    return [{ extra: { document: { ...fileOf(telegram, file), file_name: file }, ...caption } }];
  }
  if (step.voice === true) return [{ extra: { voice: { file_id: "v", duration: 3 } } }];
  if (forwarded !== undefined) {
    const origin = { type: "hidden_user", sender_user_name: "Ann", date: 1 };
    return [text, ...forwarded].map((one) => ({ extra: { text: one, forward_origin: origin } }));
  }
  return [{ text }];
}

function fileOf(telegram: FakeTelegram, name: string) {
  const fileId = telegram.addFile({ name, content: Buffer.from(`what ${name} holds`) });
  return { file_id: fileId, file_unique_id: fileId };
}

export async function edit(stage: Stage, name: string, text: string): Promise<void> {
  await taken(stage, stage.bench.telegram.edit({ ...named(stage, name), text }));
}

/** Presses the button that has this label now, or had it last. */
export async function press(
  stage: Stage,
  label: string,
  name: string,
  from: Person,
): Promise<void> {
  const { messageId, chatId } = named(stage, name);
  const { telegram } = stage.bench;
  const versions = telegram.messages.filter(
    (one) => one.messageId === messageId && one.chatId === chatId,
  );
  const found = versions
    .toReversed()
    .flatMap((one) => rowsOf(one.replyMarkup).flat())
    .find((one) => one.label === label);
  if (found === undefined) throw new Error(`"${name}" has no button "${label}"`);
  const fromId = PEOPLE[from];
  await taken(stage, telegram.callback({ chatId, fromId, messageId, data: found.data }));
}

/** The next poll asks for what comes after it. 0: the server delivers nothing. */
async function taken({ bench, service }: Stage, updateId: number): Promise<void> {
  if (service === null || updateId === 0) return;
  await until(
    "the service has stored what was done",
    () => bench.telegram.confirmedOffset() > updateId,
  );
}
