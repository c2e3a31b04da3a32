import type { Entity, Rich } from "../../../../src/channels/telegram/format/entities.ts";
import { checkMessage } from "../../../support/telegram-entities.ts";

/** Each entity with what it covers, for comparison: `bold:text`, `pre/ts:text`, `text_link(url):text`. */
export function marks({ text, entities }: Rich): string[] {
  return entities.map((entity) => {
    const covered = text.slice(entity.offset, entity.offset + entity.length);
    return `${entity.type}${detail(entity)}:${covered}`;
  });
}

function detail({ url, language }: Entity): string {
  if (url !== undefined) return `(${url})`;
  return language === undefined ? "" : `/${language}`;
}

/** What Telegram would say against the parts; empty when it takes them all. */
export function faults(parts: readonly Rich[]): string[] {
  return parts.flatMap(({ text, entities }) => {
    const fault = checkMessage(
      text,
      entities.map((entity) => ({ ...entity })),
    );
    return fault === null ? [] : [fault];
  });
}

export function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, "");
}
