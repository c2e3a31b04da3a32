import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";

const manifest = z.object({ name: z.string(), version: z.string() });

/** The package's version; it lies above the sources and above the compiled files alike. */
export function readVersion(): string {
  for (let dir = import.meta.dirname; ; dir = dirname(dir)) {
    try {
      const text = readFileSync(join(dir, "package.json"), "utf8");
      const found = manifest.safeParse(JSON.parse(text));
      if (found.success && found.data.name === "holdfast") return found.data.version;
    } catch {
      // Not here: one further up.
    }
    if (dirname(dir) === dir) return "unknown";
  }
}
