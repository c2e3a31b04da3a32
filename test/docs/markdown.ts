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

/** `(test/x.test.ts: "title")`, several separated by semicolons. */
export function citationsIn(line: string): readonly Citation[] {
  return [...line.matchAll(/[(;]\s*`?(test\/[\w./-]+\.test\.ts)`?:\s*"((?:[^"\\]|\\.)+)"/g)].map(
    (match) => ({ file: match[1] ?? "", title: match[2] ?? "" }),
  );
}

/**
 * The normative statements that no test holds. A statement is a paragraph or
 * list item with MUST in it (in capitals), headings and the word's definition aside; `source` gives a test file's text,
 * or null when there is none.
 */
export function unproved(text: string, source: (file: string) => string | null): readonly string[] {
  return statements(text).flatMap((statement) => {
    const short = `"${statement.slice(0, 90)}"`;
    const citations = citationsIn(statement);
    if (citations.length === 0) return [`${short} cites no test: (test/….test.ts: "title")`];
    return citations.flatMap(({ file, title }) => {
      const code = source(file);
      if (code === null) return [`${short} cites ${file}, which does not exist`];
      return code.includes(title) ? [] : [`${short}: ${file} has no test "${title}"`];
    });
  });
}

function statements(text: string): readonly string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.)\s)/)
    .map((block) => block.replaceAll(/\s+/g, " ").trim())
    .filter((block) => /\bMUST\b/.test(block) && !/^#|\bRFC 2119\b/.test(block));
}
