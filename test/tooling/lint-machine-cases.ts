import { allows, GLOBALS, IMPORTS, PROPERTIES, readEnv, refuses, type Case } from "./lint-case.ts";

/** What keeps machines/ pure. */
export const MACHINE_CASES: readonly Case[] = [
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

  refuses(GLOBALS, "Date.now", "machines/x.ts", "export const a = () => Date.now();"),
  refuses(GLOBALS, "new Date", "machines/x.ts", "export const a = () => new Date();"),
  refuses(
    GLOBALS,
    "crypto.randomUUID",
    "machines/x.ts",
    "export const a = () => crypto.randomUUID();",
  ),
  ...["globalThis", "global", "self"].map((name) =>
    refuses(GLOBALS, name, "machines/x.ts", `export const a: unknown = ${name}.Date;`),
  ),
  refuses(GLOBALS, "performance.now", "machines/x.ts", "export const a = () => performance.now();"),
  refuses(
    GLOBALS,
    "setTimeout",
    "machines/x.ts",
    "export const a = () => void setTimeout(() => 1, 1);",
  ),
  refuses(
    GLOBALS,
    "AbortSignal.timeout",
    "machines/x.ts",
    "export const a = () => AbortSignal.timeout(1);",
  ),
  refuses(
    GLOBALS,
    "queueMicrotask",
    "machines/x.ts",
    "export const a = () => queueMicrotask(() => 1);",
  ),
  refuses(
    GLOBALS,
    "the date of a format",
    "machines/x.ts",
    "export const a = () => new Intl.DateTimeFormat().format();",
  ),
  allows("structuredClone", "machines/x.ts", "export const a = structuredClone([1]);"),
  refuses(GLOBALS, "process.env", "machines/x.ts", readEnv),
  refuses(
    [GLOBALS, PROPERTIES],
    "Math.random",
    "machines/x.ts",
    "export const a = () => Math.random();",
  ),
  refuses(
    [GLOBALS, PROPERTIES],
    "Math.random by another way",
    "machines/x.ts",
    'export const a = () => Math["random"]();',
  ),
  refuses(
    [GLOBALS, PROPERTIES],
    "a destructured random",
    "machines/x.ts",
    "export const { random } = Math;",
  ),
  refuses(
    GLOBALS,
    "Math by another name",
    "machines/x.ts",
    'const m = Math;\nexport const a = () => m["random"]();',
  ),
  refuses(
    PROPERTIES,
    "a destructured random",
    "machines/arithmetic.ts",
    "export const { max, random } = Math;",
  ),
];
