/** A piece of code that the linter must report, or must not. */
export interface Case {
  readonly title: string;
  readonly file: string;
  readonly code: string;
  /** The rules that must report it, and no other may. */
  readonly rules: readonly string[];
}

export const IMPORTS = "eslint(no-restricted-imports)";
export const PROPERTIES = "eslint(no-restricted-properties)";
export const GLOBALS = "eslint(no-restricted-globals)";

export const refuses = (
  rule: string | readonly string[],
  title: string,
  file: string,
  code: string,
): Case => ({ title: `refuses ${title} in ${file}`, file, code, rules: [rule].flat() });
export const allows = (title: string, file: string, code: string): Case => ({
  title: `allows ${title} in ${file}`,
  file,
  code,
  rules: [],
});

export const readEnv = 'export const a = process.env["A"];';
