import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../machines/limits.ts";
import { loadConfig } from "../../src/config.ts";
import { renderExample, renderReference } from "../../src/config/reference.ts";
import { ALL_SETTINGS } from "../../src/config/settings.ts";
import { readDocument } from "./markdown.ts";

const REMEDY = "run `npm run docs`";

describe("docs/configuration.md", () => {
  it("is what the settings say", () => {
    expect(readDocument("docs/configuration.md").text, REMEDY).toBe(renderReference());
  });

  it("names every key and every variable", () => {
    const { text } = readDocument("docs/configuration.md");
    const names = ALL_SETTINGS.flatMap(({ key, env }) => [`\`${key}\``, `\`${env}\``]);
    expect(names.filter((name) => !text.includes(name))).toEqual([]);
  });
});

describe("holdfast.toml.example", () => {
  let home: string;

  beforeEach(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-example-")));
  });

  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const load = (toml: string) => {
    writeFileSync(join(home, "holdfast.toml"), toml);
    return loadConfig({ env: { HOME: home }, argv: {}, cwd: home });
  };

  it("is what the settings say", () => {
    expect(readDocument("holdfast.toml.example").text, REMEDY).toBe(renderExample());
  });

  it("changes nothing as it is", () => {
    const result = load(renderExample());
    expect(result).toEqual(load(""));
    expect(result.ok).toBe(true);
  });

  it("sets every key with its comment signs removed, the limits to their defaults", () => {
    mkdirSync(join(home, "projects/website"), { recursive: true });
    const toml = renderExample().replaceAll(/^#(?=\w+ =)/gm, "");
    const result = load(toml);
    if (!result.ok) throw new Error(result.problems.join("\n"));
    expect(result.config.telegram?.allowedUsers).toEqual(new Set([123456789]));
    expect(result.config.workspace).toBe(join(home, "projects/website"));
    expect(result.config.limits).toEqual(DEFAULT_LIMITS);
    expect(toml.match(/^\w+ = /gm)).toHaveLength(ALL_SETTINGS.length);
  });
});
