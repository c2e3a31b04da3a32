import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Case } from "./lint-case.ts";
import { CASES } from "./lint-cases.ts";
import { MACHINE_CASES } from "./lint-machine-cases.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const bin = (name: string): string => join(repository, "node_modules", ".bin", name);

const ALL: readonly Case[] = [...CASES, ...MACHINE_CASES];

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
  for (const [index, { file, code }] of ALL.entries()) {
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
  it.each(ALL.map((one, index) => [one.title, one, index] as const))("%s", (_title, one, index) => {
    const codes = [...new Set(found.get(place(one.file, index)))];
    expect(codes.toSorted()).toEqual(one.rules.toSorted());
  });
});
