import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chartOf, MACHINE_NAMES } from "../../../src/inspector/chart/chart-of.ts";
import { chartFiles } from "../../../src/inspector/chart/files.ts";
import { readDocument } from "../../docs/markdown.ts";
import { DIST } from "../../support/build.ts";

const REMEDY = "run `npm run charts`";

describe.each(MACHINE_NAMES)("the files about the %s machine", (name) => {
  it("are what its definition says", async () => {
    const files = await chartFiles(name);
    expect([...files.keys()]).toEqual([
      `docs/machines/${name}.md`,
      `docs/machines/${name}.svg`,
      `src/inspector/charts/${name}.json`,
    ]);
    for (const [path, text] of files) expect(readDocument(path).text, REMEDY).toBe(text);
  });

  it("are in the build with its drawing as it is", () => {
    const path = `src/inspector/charts/${name}.json`;
    const built: unknown = JSON.parse(readFileSync(join(DIST, path), "utf8"));
    expect(built).toEqual(JSON.parse(readDocument(path).text));
    expect(built).toHaveProperty("chart", chartOf(name));
  });
});
