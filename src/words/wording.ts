declare const made: unique symbol;

/**
 * A text for people. Only src/words makes one, so that what is said can be said
 * in another language, too.
 */
export type Wording = string & { readonly [made]: true };

/** What a language writes down: the same, with plain strings. */
export type Written<T> = T extends Wording
  ? string
  : T extends (...args: infer Args) => infer Said
    ? (...args: Args) => Written<Said>
    : { readonly [Key in keyof T]: Written<T[Key]> };

/** For src/words alone: `.oxlintrc.json` keeps it from the others. */
export function wording(text: string): Wording {
  return text as Wording;
}

/** What somebody else has written, or was said before, as it is. */
export function asWritten(text: string): Wording {
  return text as Wording;
}
