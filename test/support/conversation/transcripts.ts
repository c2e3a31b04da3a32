import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { withoutScript } from "../../../src/agents/scripted/script.ts";

/** What the scripted agents of a state directory have written down. */

export function transcripts(stateDir: string): readonly string[] {
  const projects = join(stateDir, "scripted-agent", "projects");
  try {
    return readdirSync(projects, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(projects, name));
  } catch {
    // Nothing was said to any of them yet.
    return [];
  }
}

interface Row {
  readonly timestamp: string;
  readonly promptSource?: string;
  readonly message?: { readonly content: unknown };
}

/** Every prompt that any of them was given, the oldest first, without stage directions. */
export function promptsIn(stateDir: string): readonly string[] {
  return transcripts(stateDir)
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => line.includes('"promptSource"') && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Row)
    .toSorted((one, other) => one.timestamp.localeCompare(other.timestamp))
    .map(({ message }) => withoutScript(textOf(message?.content)));
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
