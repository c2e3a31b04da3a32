import { structuredPatch } from "diff";
import { z } from "zod";

/** All of what an approval is about, as Markdown for a person to read. */

const DETAIL_MAX = 20_000;

const bash = z.object({ command: z.string(), description: z.string().optional() });
const edit = z.object({
  file_path: z.string(),
  old_string: z.string(),
  new_string: z.string(),
});
const multiEdit = z.object({
  file_path: z.string(),
  edits: z.array(z.object({ old_string: z.string(), new_string: z.string() })),
});
const write = z.object({ file_path: z.string(), content: z.string() });

/** A command, a diff or the input as it is; at most 20,000 characters. */
export function detailOf(tool: string, input: unknown): string {
  const command = bash.safeParse(input).data;
  if (tool === "Bash" && command !== undefined) {
    const { description } = command;
    const why = description === undefined || description === "" ? "" : `\n\n${description}`;
    return bounded(`${fenced("sh", command.command)}${why}`);
  }
  const one = edit.safeParse(input).data;
  if (one !== undefined) return changes(one.file_path, [[one.old_string, one.new_string]]);
  const several = multiEdit.safeParse(input).data;
  if (several !== undefined) {
    const pairs = several.edits.map(
      ({ old_string, new_string }) => [old_string, new_string] as const,
    );
    return changes(several.file_path, pairs);
  }
  const file = write.safeParse(input).data;
  if (file !== undefined) return changes(file.file_path, [["", file.content]]);
  return isEmpty(input) ? "" : bounded(fenced("json", JSON.stringify(input, null, 2)));
}

function isEmpty(input: unknown): boolean {
  return typeof input !== "object" || input === null || Object.keys(input).length === 0;
}

function changes(path: string, pairs: readonly (readonly [string, string])[]): string {
  const lines = pairs.flatMap(([before, after]) =>
    // Line numbers would be those of the excerpt, not of the file: only the lines are shown.
    structuredPatch("", "", before, after, "", "", { context: 2 }).hunks.flatMap(
      (hunk) => hunk.lines,
    ),
  );
  return bounded(`\`${path.replaceAll("`", "'")}\`\n\n${fenced("diff", lines.join("\n"))}`);
}

/** A fence that nothing in the text can close. */
export function fenced(language: string, text: string): string {
  const runs = [...text.matchAll(/`{3,}/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

export function bounded(text: string): string {
  return text.length <= DETAIL_MAX ? text : `${text.slice(0, DETAIL_MAX - 1)}…`;
}
