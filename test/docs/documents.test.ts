import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCENARIOS } from "../../src/model/check.ts";
import {
  allDocuments,
  citationsIn,
  pathsIn,
  repository,
  scenariosIn,
  unproved,
  brokenCitations,
  readDocument,
} from "./markdown.ts";

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

const source = (file: string): string | null =>
  existsSync(join(repository, file)) ? readFileSync(join(repository, file), "utf8") : null;

describe("the specification", () => {
  it("cites for every MUST a test that exists", () => {
    const { text } = readDocument("docs/specification.md");
    expect(citationsIn(text).length).toBeGreaterThan(50);
    expect(unproved(text, source)).toEqual([]);
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
- G SHOULD hold (test/a.test.ts: "keeps").

F MUST hold.
`;
    const found = unproved(text, (file) => (file === "test/a.test.ts" ? 'it("keeps a"' : null));
    expect(found).toEqual([
      expect.stringMatching(/B MUST.*cites no test/),
      expect.stringMatching(/C MUST.*test\/gone\.test\.ts, which does not exist/),
      expect.stringMatching(/D MUST.*test\/a\.test\.ts has no test "keeps d"/),
      expect.stringMatching(/G SHOULD.*test\/a\.test\.ts has no test "keeps"/),
      expect.stringMatching(/F MUST.*cites no test/),
    ]);
  });

  it("may cite several tests in one statement", () => {
    expect(citationsIn('x (`test/a.test.ts`: "one"; test/b/c.test.ts: "two (2)")')).toEqual([
      { file: "test/a.test.ts", title: "one" },
      { file: "test/b/c.test.ts", title: "two (2)" },
    ]);
  });

  it("may cite a contract suite, which every adapter runs", () => {
    expect(citationsIn('(test/contract/a-contract.ts: "one"; test/support/a.ts: "two")')).toEqual([
      { file: "test/contract/a-contract.ts", title: "one" },
    ]);
  });
});

describe("a conversation", () => {
  it("may be cited by its title", () => {
    expect(citationsIn('(test/conversations/plan.json: "one"; test/other/a.json: "two")')).toEqual([
      { file: "test/conversations/plan.json", title: "one" },
    ]);
  });
});

describe("the other documents", () => {
  it.each(allDocuments().map(({ path, text }) => [path, text] as const))(
    "cite in %s no test that does not exist",
    (_path, text) => expect(brokenCitations(text, source)).toEqual([]),
  );

  it("name every scenario of the checker, and no other", () => {
    const named = scenariosIn(readDocument("docs/invariants.md").text);
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(SCENARIOS).toSorted());
  });

  it("name scenarios in quotes, one or several", () => {
    expect(scenariosIn('| scenario "a b" | scenarios "c", "d"; "e" | "f" |')).toEqual([
      "a b",
      "c",
      "d",
    ]);
  });
});
