import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Puts `holdfast` in a folder of its own and returns a PATH that begins with it:
 * agents find this very program, whatever else is installed under its name.
 */
export function pathWithCommand(
  stateDir: string,
  program: readonly string[],
  path: string,
): string {
  const folder = join(stateDir, "bin");
  const file = join(folder, "holdfast");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A new file: another process may run the old one.
  rmSync(file, { force: true });
  writeFileSync(file, `#!/bin/sh\nexec ${program.map(quoted).join(" ")} "$@"\n`, { mode: 0o700 });
  return path === "" ? folder : `${folder}${delimiter}${path}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
