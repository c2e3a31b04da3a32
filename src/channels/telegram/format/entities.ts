/**
 * Text with its formatting beside it, as the Bot API takes it: no escaping, so
 * nothing to parse and nothing to reject. Offsets and lengths count UTF-16 units.
 */
export type Entity =
  | { readonly type: Plain; readonly offset: number; readonly length: number }
  | {
      readonly type: "pre";
      readonly offset: number;
      readonly length: number;
      readonly language?: string;
    }
  | {
      readonly type: "text_link";
      readonly offset: number;
      readonly length: number;
      readonly url: string;
    };

type Plain = "bold" | "italic" | "strikethrough" | "code" | "blockquote";

export interface Rich {
  readonly text: string;
  readonly entities: readonly Entity[];
}

/** What Telegram would refuse or drop: lone surrogates, and control characters save tab and newline. */
export function wellFormed(text: string): string {
  return text
    .replaceAll(/\p{Surrogate}/gu, "\uFFFD")
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "");
}

/** Cuts white space off both ends and moves the entities along; those that become empty go. */
export function trimRich({ text, entities }: Rich): Rich {
  const begin = text.length - text.trimStart().length;
  const trimmed = text.trim();
  return {
    text: trimmed,
    entities: entities.flatMap((entity) => clip(entity, begin, begin + trimmed.length)),
  };
}

/** The part of an entity between two places, counted from the first. */
export function clip(entity: Entity, from: number, to: number): readonly Entity[] {
  const begin = Math.max(entity.offset, from);
  const end = Math.min(entity.offset + entity.length, to);
  return end > begin ? [{ ...entity, offset: begin - from, length: end - begin }] : [];
}
