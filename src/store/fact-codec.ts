import { z } from "zod";
import type { SessionFact } from "../../machines/facts.ts";
import { sessionFact } from "./fact-schema.ts";
import { StoreError } from "./store-error.ts";

/**
 * For each fact type, how its older versions become newer: the first entry turns
 * version 1 into 2, and so on. The current version is one more than there are
 * entries. They get the whole fact, its `type` included.
 */
export type Upcasters = Readonly<Record<string, readonly Upcaster[]>>;
export type Upcaster = (
  fact: Readonly<Record<string, unknown>>,
) => Readonly<Record<string, unknown>>;

const UPCASTERS: Upcasters = {
  // What "always" would allow was words once. Whoever asked is gone since, so nothing is lost.
  "approval.opened": [({ request, ...fact }) => ({ ...fact, request: withoutAlways(request) })],
};

function withoutAlways(request: unknown): unknown {
  return { ...json.parse(request), always: null };
}

export interface FactRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly v: number;
  /** JSON of the fact without its type. */
  readonly body: string;
}

export interface FactCodec {
  /** @throws StoreError for a fact that could not be read again */
  encode(fact: SessionFact): Pick<FactRow, "type" | "v" | "body">;
  /** @throws StoreError that names the row */
  decode(row: FactRow): SessionFact;
}

const json = z.record(z.string(), z.unknown());

export function createFactCodec(file: string, upcasters: Upcasters = UPCASTERS): FactCodec {
  const stepsOf = (type: string): readonly Upcaster[] =>
    Object.hasOwn(upcasters, type) ? (upcasters[type] ?? []) : [];

  return {
    encode(fact) {
      const parsed = sessionFact.safeParse(fact);
      if (!parsed.success) {
        throw new StoreError(
          `The store ${file} refuses the fact ${JSON.stringify(fact)}: ${flat(parsed.error)}. ` +
            "Nothing was written; this is a fault of the program, please report it.",
        );
      }
      const { type, ...body } = parsed.data;
      return { type, v: stepsOf(type).length + 1, body: JSON.stringify(body) };
    },

    decode(row) {
      const steps = stepsOf(row.type);
      try {
        if (row.v > steps.length + 1) throw new StoreError(`version ${row.v} is newer than known`);
        const stored = { ...json.parse(JSON.parse(row.body)), type: row.type };
        const current = steps
          .slice(row.v - 1)
          .reduce<Readonly<Record<string, unknown>>>((fact, step) => step(fact), stored);
        return sessionFact.parse(current);
      } catch (cause) {
        throw new StoreError(
          `The store ${file} holds a fact that cannot be read: row ${row.seq} of facts ` +
            `(${row.type}, version ${row.v}): ${flat(cause)}. Nothing was changed; run the ` +
            "holdfast version that wrote it, or put a backup in the file's place.",
          { cause },
        );
      }
    },
  };
}

function flat(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    return cause.issues
      .map((issue) => `${issue.path.join(".") || "fact"}: ${issue.message}`)
      .join("; ");
  }
  return cause instanceof Error ? cause.message : String(cause);
}
