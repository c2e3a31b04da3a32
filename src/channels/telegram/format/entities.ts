/** The kinds of MessageEntity that formatting makes of GFM. */
export type EntityType =
  | "blockquote"
  | "text_link"
  | "bold"
  | "italic"
  | "strikethrough"
  | "code"
  | "pre";

/** A MessageEntity of the Bot API. Offset and length are UTF-16 units, as JavaScript counts. */
export interface Entity {
  readonly type: EntityType;
  readonly offset: number;
  readonly length: number;
  /** For `text_link` only. */
  readonly url?: string;
  /** For `pre` only. */
  readonly language?: string;
}

/** A text with its formatting beside it: nothing in the text needs escaping. */
export interface Rich {
  readonly text: string;
  /** In order of offset, the outer before the inner. */
  readonly entities: readonly Entity[];
}

const OUTER_FIRST: Readonly<Record<EntityType, number>> = {
  blockquote: 0,
  text_link: 1,
  bold: 2,
  italic: 3,
  strikethrough: 4,
  code: 5,
  pre: 5,
};

export function byPosition(a: Entity, b: Entity): number {
  return a.offset - b.offset || b.length - a.length || OUTER_FIRST[a.type] - OUTER_FIRST[b.type];
}

/** Code is shown as it is: it holds no other entity, and its leading spaces count. */
export function isCode({ type }: Entity): boolean {
  return type === "code" || type === "pre";
}

export function moveEntity(entity: Entity, by: number): Entity {
  return { ...entity, offset: entity.offset + by };
}
