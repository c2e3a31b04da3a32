import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../../", import.meta.url));

export interface Document {
  /** From the repository's top. */
  readonly path: string;
  readonly text: string;
}

export const readDocument = (path: string): Document => ({
  path,
  text: readFileSync(join(repository, path), "utf8"),
});

/** README.md and all of docs/. */
export function allDocuments(): readonly Document[] {
  const docs = readdirSync(join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  return ["README.md", ...docs].map(readDocument);
}

const PATH =
  /^(?:machines|src|test|docs|\.ci)\/|^(?:README|CHANGELOG)\.md$|^(?:package|tsconfig|knip)[\w.-]*\.json$|^[\w-]+\.(?:config\.ts|toml\.example)$/;

/**
 * What stands in backticks and looks like a path of the repository: below one
 * of its folders, or a file at its top. Patterns and placeholders are none.
 */
export function pathsIn(text: string): readonly string[] {
  const withoutBlocks = text.replaceAll(/^(`{3,}|~{3,})[^]*?^\1/gm, "");
  return [...withoutBlocks.matchAll(/`([^`\n]+)`/g)]
    .map((match) => (match[1] ?? "").replace(/:\d+$/, ""))
    .filter((name) => PATH.test(name) && !/[\s*{}<>…$]|\.\.\./.test(name));
}

export interface Citation {
  readonly file: string;
  readonly title: string;
}

const CITATION =
  /[(;]\s*`?(test\/[\w./-]+(?:\.test|-contract)\.ts|test\/conversations\/[\w-]+\.json)`?:\s*"((?:[^"\\]|\\.)+)"/g;

/** `(test/x.test.ts: "title")`, several separated by semicolons; a contract suite or a conversation may be cited as well. */
export function citationsIn(line: string): readonly Citation[] {
  return [...line.matchAll(CITATION)].map((match) => ({
    file: match[1] ?? "",
    title: match[2] ?? "",
  }));
}

/** `(scenario "one", "two")`, as docs/invariants.md names those of the checker. */
export function scenariosIn(text: string): readonly string[] {
  return [...text.matchAll(/\bscenarios? ((?:"[^"]+"(?:, )?)+)/g)].flatMap((match) =>
    [...(match[1] ?? "").matchAll(/"([^"]+)"/g)].map((name) => name[1] ?? ""),
  );
}

/** A test file's text, or null when there is none. */
export type Source = (file: string) => string | null;

/** The normative statements that no test holds, and the citations of tests that are not there. */
export function unproved(text: string, source: Source): readonly string[] {
  return statements(text).flatMap((statement) => {
    const short = `"${statement.slice(0, 90)}"`;
    return isNormative(statement) && citationsIn(statement).length === 0
      ? [`${short} cites no test: (test/….test.ts: "title")`]
      : brokenCitations(statement, source).map((fault) => `${short}${fault}`);
  });
}

/** A title counts in quotes and as a whole: half of one would outlive its test. */
export function brokenCitations(text: string, source: Source): readonly string[] {
  return citationsIn(text).flatMap(({ file, title }) => {
    const code = source(file);
    if (code === null) return [` cites ${file}, which does not exist`];
    return code.includes(`"${title}"`) ? [] : [`: ${file} has no test "${title}"`];
  });
}

/** A paragraph or list item with MUST in it (in capitals), headings and the word's definition aside. */
function isNormative(statement: string): boolean {
  return /\bMUST\b/.test(statement) && !/^#|\bRFC 2119\b/.test(statement);
}

function statements(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s)/)
    .map((block) => block.replaceAll(/\s+/g, " ").trim());
}
