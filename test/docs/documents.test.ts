import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allDocuments, citationsIn, pathsIn, repository, unproved } from "./markdown.ts";

describe("paths", () => {
  it.each(allDocuments().map(({ path, text }) => [path, text] as const))(
    "named in %s exist",
    (_path, text) => {
      const missing = pathsIn(text).filter((path) => !existsSync(join(repository, path)));
      expect(missing).toEqual([]);
    },
  );

  it("are found in backticks only, without line numbers, patterns and code blocks", () => {
    const text = [
      "`src/gone.ts` `machines/a.ts:12` src/no.ts `src/*.ts` `src/<name>.ts` `npm test`",
      "```\n`src/block.ts`\n```",
      "`docs/` `package.json` `/etc/x.json` `holdfast.toml` `launch.ts` `CLAUDE.md` `.ci/run`",
    ].join("\n");
    expect(pathsIn(text)).toEqual([
      "src/gone.ts",
      "machines/a.ts",
      "docs/",
      "package.json",
      ".ci/run",
    ]);
  });
});

describe("the specification", () => {
  const source = (file: string): string | null =>
    existsSync(join(repository, file)) ? readFileSync(join(repository, file), "utf8") : null;

  it("cites for every MUST a test that exists", () => {
    const missing = allDocuments()
      .filter(({ path }) => path === "docs/specification.md")
      .flatMap(({ text }) => unproved(text, source));
    expect(missing).toEqual([]);
  });

  it("is told what is wrong with each statement that no test holds", () => {
    const text = `# What MUST hold
MUST is meant as in RFC 2119.

Prose that may span
lines.

- A holds: it MUST (test/a.test.ts: "keeps a").
- B MUST hold.
- C MUST hold (test/gone.test.ts: "keeps c").
- D MUST hold
  over two lines (test/a.test.ts: "keeps a"; test/a.test.ts: "keeps d").
- E SHOULD hold.

F MUST hold.
`;
    const found = unproved(text, (file) => (file === "test/a.test.ts" ? 'it("keeps a"' : null));
    expect(found).toEqual([
      expect.stringMatching(/B MUST.*cites no test/),
      expect.stringMatching(/C MUST.*test\/gone\.test\.ts, which does not exist/),
      expect.stringMatching(/D MUST.*test\/a\.test\.ts has no test "keeps d"/),
      expect.stringMatching(/F MUST.*cites no test/),
    ]);
  });

  it("may cite several tests in one statement", () => {
    expect(citationsIn('x (`test/a.test.ts`: "one"; test/b/c.test.ts: "two (2)")')).toEqual([
      { file: "test/a.test.ts", title: "one" },
      { file: "test/b/c.test.ts", title: "two (2)" },
    ]);
  });
});
