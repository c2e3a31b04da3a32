import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");

/** Where the built programs are: what users run is what the tests run, and it starts in half the time. */
export const DIST = join(ROOT, "dist");

/** Before all tests: builds the service and the scripted agent. Throws the compiler's words. */
export function setup(): void {
  try {
    execFileSync(join(ROOT, "node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json"], {
      cwd: ROOT,
      encoding: "utf8",
    });
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout) : String(error);
    throw new Error(`The build failed:\n${said}`, { cause: error });
  }
}
