import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, it } from "vitest";

const repository = fileURLToPath(new URL("../../", import.meta.url));

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-summary-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A real run over the given test files. */
async function run(files: Readonly<Record<string, string>>) {
  for (const [name, code] of Object.entries(files)) writeFileSync(join(folder, name), code);
  const reporter = JSON.stringify(join(repository, "test/support/summary-reporter.ts"));
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `import { SummaryReporter } from ${reporter};
    export default { test: { globals: true, reporters: ["default", new SummaryReporter()] } };`,
  );
  const vitest = join(repository, "node_modules/.bin/vitest");
  const ended = await execa(vitest, ["run", "--root", folder], {
    cwd: folder,
    reject: false,
    stdin: "ignore",
  });
  return { code: ended.exitCode, lines: ended.stdout.split("\n"), output: ended.stdout };
}

it("ends a good run with the counts alone on the last line, after vitest's own summary", async () => {
  const { code, lines, output } = await run({
    "a.test.ts": 'test("one", () => {}); describe("group", () => test("two", () => {}));',
  });
  expect([code, lines.at(-1)]).toEqual([0, "2 passed, 0 failed"]);
  expect(output).toMatch(/Tests .*2 passed/);
});

it("counts failed and skipped tests, files that do not load and errors outside of tests", async () => {
  const { code, lines } = await run({
    "a.test.ts": 'test("good", () => {}); test("bad", () => { throw new Error("x"); });',
    "b.test.ts": 'test.skip("skipped", () => {}); test.todo("later"); test("good", () => {});',
    "c.test.ts": 'throw new Error("does not load");',
    "d.test.ts": 'test("good", () => void Promise.reject(new Error("nobody waits")));',
  });
  expect([code, lines.at(-1)]).toEqual([1, "3 passed, 3 failed, 2 skipped"]);
});
