import { allows, GLOBALS, IMPORTS, PROPERTIES, readEnv, refuses, type Case } from "./lint-case.ts";

const FLOATING = "typescript(no-floating-promises)";
const EXHAUSTIVE = "typescript(switch-exhaustiveness-check)";
const ANY = "typescript(no-explicit-any)";
const DEFAULT = "import(no-default-export)";

const promise = "export async function f(): Promise<void> {}\n";
const union = 'type K = "a" | "b";\nexport function f(k: K): number {\n';

export const CASES: readonly Case[] = [
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

  ...["src/x.ts", "src/config/x.ts", "src/agents/scripted/x.ts"].flatMap((file) => [
    refuses([GLOBALS, PROPERTIES], "process.env", file, readEnv),
    refuses(GLOBALS, "process.pid", file, "export const a = process.pid;"),
  ]),
  refuses(
    [GLOBALS, PROPERTIES],
    "process.env by another way",
    "src/x.ts",
    'export const a = process["env"];',
  ),
  refuses(
    [GLOBALS, PROPERTIES],
    "a destructured process.env",
    "src/x.ts",
    "export const { env } = process;",
  ),
  refuses(
    GLOBALS,
    "process by another name",
    "src/x.ts",
    "const p = process;\nexport const a = p.env;",
  ),
  refuses(
    GLOBALS,
    "a reflected process.env",
    "src/x.ts",
    'export const a: unknown = Reflect.get(process, "env");',
  ),
  refuses(
    [GLOBALS, PROPERTIES],
    "globalThis.process",
    "src/x.ts",
    "export const a = globalThis.process.env;",
  ),
  refuses(
    [GLOBALS, PROPERTIES],
    "a destructured globalThis",
    "src/x.ts",
    "export const { process: a } = globalThis;",
  ),
  refuses(GLOBALS, "global.process", "src/x.ts", "export const a = global.process.env;"),
  refuses(GLOBALS, "self.process", "src/x.ts", "export const a: unknown = self.process;"),
  refuses(
    IMPORTS,
    "node:process",
    "src/x.ts",
    'import { env } from "node:process";\nexport { env };',
  ),
  refuses(IMPORTS, "a late node:process", "src/x.ts", 'export const a = import("node:process");'),
  refuses(PROPERTIES, "process.env", "src/log.ts", readEnv),
  refuses(
    PROPERTIES,
    "a destructured process.env",
    "src/main.ts",
    "export const { env } = process;",
  ),
  refuses(
    GLOBALS,
    "global.process",
    "src/store/state-lock.ts",
    "export const a = global.process.env;",
  ),
  allows("process.env", "src/config.ts", readEnv),
  allows("process.env", "src/agents/scripted/program.ts", readEnv),
  allows("process.env", "test/x.ts", readEnv),
  allows("globalThis", "test/x.ts", "export const a: unknown = globalThis;"),
  allows("process.kill", "src/agents/process.ts", "export const a = () => process.kill(1, 0);"),
  allows(
    "a variable of that name",
    "src/x.ts",
    "export const f = (process: { readonly env: number }) => process;",
  ),

  ...["src/x.ts", "src/sessions/x.ts", "src/cli/serve.ts"].map((file) =>
    refuses(
      IMPORTS,
      "a text for people that is made elsewhere",
      file,
      'import { wording } from "../words/wording.ts";\nexport const a = wording("Hello");',
    ),
  ),
  ...['"./words/english.ts"', '"./words/english/notices.ts"'].map((file) =>
    refuses(IMPORTS, `a language of one's own choice, ${file}`, "src/x.ts", `import ${file};`),
  ),
  allows("a language", "src/words/x.ts", 'import "./english.ts";'),
  allows(
    "the words of somebody else, and their type",
    "src/x.ts",
    'import { asWritten, type Wording } from "./words/wording.ts";\nexport const a: Wording = asWritten("Hello");',
  ),
  allows(
    "a text for people",
    "src/words/x.ts",
    'import { wording } from "./wording.ts";\nexport const a = wording("Hello");',
  ),

  allows("zod", "src/x.ts", 'import { z } from "zod";\nexport const a = z;'),
  allows("Date.now", "src/x.ts", "export const a = () => Date.now();"),
];
