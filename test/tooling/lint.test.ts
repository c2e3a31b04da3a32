import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const bin = (name: string): string => join(repository, "node_modules", ".bin", name);

interface Case {
  readonly title: string;
  readonly file: string;
  readonly code: string;
  /** The rule that must report it; null: none may. */
  readonly rule: string | null;
}

const FLOATING = "typescript(no-floating-promises)";
const EXHAUSTIVE = "typescript(switch-exhaustiveness-check)";
const ANY = "typescript(no-explicit-any)";
const DEFAULT = "import(no-default-export)";
const IMPORTS = "eslint(no-restricted-imports)";
const PROPERTIES = "eslint(no-restricted-properties)";
const GLOBALS = "eslint(no-restricted-globals)";

const refuses = (rule: string, title: string, file: string, code: string): Case => ({
  title: `refuses ${title} in ${file}`,
  file,
  code,
  rule,
});
const allows = (title: string, file: string, code: string): Case => ({
  title: `allows ${title} in ${file}`,
  file,
  code,
  rule: null,
});

const env = 'export const a = process.env["A"];';
const promise = "export async function f(): Promise<void> {}\n";
const union = 'type K = "a" | "b";\nexport function f(k: K): number {\n';

const CASES: readonly Case[] = [
  refuses(FLOATING, "a floating promise", "src/x.ts", `${promise}f();`),
  refuses(FLOATING, "a floating promise", "test/x.ts", `${promise}f();`),
  allows("an awaited promise", "src/x.ts", `${promise}export const a = async () => await f();`),

  refuses(
    EXHAUSTIVE,
    "a missing case",
    "src/x.ts",
    `${union}switch (k) { case "a": return 1; }\nreturn 2;}`,
  ),
  refuses(
    EXHAUSTIVE,
    "a missing case",
    "machines/x.ts",
    `${union}switch (k) { case "a": return 1; }\nreturn 2;}`,
  ),
  allows(
    "all cases",
    "src/x.ts",
    `${union}switch (k) { case "a": return 1; case "b": return 2; }}`,
  ),

  refuses(ANY, "any", "src/x.ts", "export const a = (b: any): unknown => b;"),
  refuses(ANY, "any", "test/x.ts", "export const a = (b: any): unknown => b;"),
  allows("unknown", "src/x.ts", "export const a = (b: unknown): unknown => b;"),

  refuses(DEFAULT, "a default export", "src/x.ts", "export default 1;"),
  refuses(DEFAULT, "a default export", "test/x.ts", "export default 1;"),
  allows("a default export", "x.config.ts", "export default 1;"),

  refuses(PROPERTIES, "process.env", "src/x.ts", env),
  refuses(PROPERTIES, "process.env", "src/config/x.ts", env),
  refuses(PROPERTIES, "process.env", "src/agents/scripted/x.ts", env),
  refuses(PROPERTIES, "process.env by another way", "src/x.ts", 'export const a = process["env"];'),
  refuses(PROPERTIES, "a destructured process.env", "src/x.ts", "export const { env } = process;"),
  refuses(PROPERTIES, "globalThis.process", "src/x.ts", "export const a = globalThis.process.env;"),
  refuses(
    IMPORTS,
    "node:process",
    "src/x.ts",
    'import { env } from "node:process";\nexport { env };',
  ),
  allows("process.env", "src/config.ts", env),
  allows("process.env", "src/agents/scripted/program.ts", env),
  allows("process.env", "test/x.ts", env),
  allows("process.pid", "src/x.ts", "export const a = process.pid;"),

  ...[
    "zod",
    "node:fs",
    "../src/ports.ts",
    "./../src/ports.ts",
    "xstate-x",
    "#a",
    "@xstate/test",
  ].map((name) => refuses(IMPORTS, `an import of ${name}`, "machines/x.ts", `import "${name}";`)),
  refuses(
    IMPORTS,
    "an imported type",
    "machines/x.ts",
    'import type { a } from "../a.ts";\nexport type B = a;',
  ),
  refuses(IMPORTS, "a re-export", "machines/x.ts", 'export { a } from "../a.ts";'),
  refuses(IMPORTS, "a re-export of all", "machines/x.ts", 'export * from "../a.ts";'),
  refuses(
    IMPORTS,
    "a dynamic import",
    "machines/x.ts",
    'export const a = () => import("node:fs");',
  ),
  refuses(GLOBALS, "require", "machines/x.ts", 'export const a: unknown = require("node:fs");'),
  allows("xstate", "machines/x.ts", 'import { setup } from "xstate";\nexport const a = setup;'),
  allows("xstate/graph", "machines/x.ts", 'import { a } from "xstate/graph";\nexport const b = a;'),
  allows("a neighbour", "machines/x.ts", 'import { a } from "./y.ts";\nexport const b = a;'),
  allows("zod", "src/x.ts", 'import { z } from "zod";\nexport const a = z;'),

  refuses(GLOBALS, "Date.now", "machines/x.ts", "export const a = () => Date.now();"),
  refuses(GLOBALS, "new Date", "machines/x.ts", "export const a = () => new Date();"),
  refuses(
    GLOBALS,
    "crypto.randomUUID",
    "machines/x.ts",
    "export const a = () => crypto.randomUUID();",
  ),
  refuses(GLOBALS, "globalThis", "machines/x.ts", "export const a = () => globalThis.Date.now();"),
  refuses(GLOBALS, "performance.now", "machines/x.ts", "export const a = () => performance.now();"),
  refuses(
    GLOBALS,
    "setTimeout",
    "machines/x.ts",
    "export const a = () => void setTimeout(() => 1, 1);",
  ),
  refuses(GLOBALS, "process.env", "machines/x.ts", env),
  refuses(PROPERTIES, "Math.random", "machines/x.ts", "export const a = () => Math.random();"),
  refuses(PROPERTIES, "a destructured random", "machines/x.ts", "export const { random } = Math;"),
  allows("Math.max", "machines/x.ts", "export const a = Math.max(1, 2);"),
  allows("Date.now", "src/x.ts", "export const a = () => Date.now();"),
];

const reportSchema = z.object({
  diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })),
});

let folder: string;
const found = new Map<string, string[]>();

/** Where a case lies: `x` stands for its number, so that one project and one run hold them all. */
const place = (file: string, index: number): string => file.replace(/\bx(?=\.)/, `x${index}`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "holdfast-lint-"));
  copyFileSync(join(repository, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  writeFileSync(join(folder, "tsconfig.json"), tsconfig);
  for (const [index, { file, code }] of CASES.entries()) {
    const path = join(folder, place(file, index));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${code}\n`, { flag: "wx" });
  }
  const run = await execa(bin("oxlint"), ["--type-aware", "--format", "json", "."], {
    cwd: folder,
    env: { OXLINT_TSGOLINT_PATH: bin("tsgolint") },
    reject: false,
  });
  const report = reportSchema.parse(JSON.parse(run.stdout));
  for (const { filename, code } of report.diagnostics) {
    found.set(filename, [...(found.get(filename) ?? []), code]);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tsconfig = JSON.stringify({
  extends: join(repository, "tsconfig.json"),
  compilerOptions: { typeRoots: [join(repository, "node_modules", "@types")] },
  include: ["**/*.ts"],
});

describe("the linter", () => {
  it.each(CASES.map((one, index) => [one.title, one, index] as const))(
    "%s",
    (_title, one, index) => {
      const codes = [...new Set(found.get(place(one.file, index)))];
      expect(codes).toEqual(one.rule === null ? [] : [one.rule]);
    },
  );
});
