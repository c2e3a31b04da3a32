import { z } from "zod";

/** What the agent suggests to allow from now on (`permission_suggestions`, 2.1.332). */
const suggestionSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("addRules"),
    rules: z.array(z.object({ toolName: z.string(), ruleContent: z.string().nullish() })),
    behavior: z.string(),
    destination: z.string(),
  }),
  z.object({ type: z.literal("setMode"), mode: z.string(), destination: z.string() }),
  z.object({
    type: z.literal("addDirectories"),
    directories: z.array(z.string()),
    destination: z.string(),
  }),
]);

const WHERE: Readonly<Record<string, string>> = {
  session: "in this session",
  localSettings: "in this project",
  projectSettings: "in this project, for everybody",
  userSettings: "everywhere",
};

const MODES: Readonly<Record<string, string>> = {
  acceptEdits: "all edits",
  bypassPermissions: "everything, unasked",
};

/** In a few words; null where nothing is suggested, or something that cannot be put in words: nobody agrees to that unseen. */
export function alwaysWords(suggestions: readonly unknown[]): string | null {
  if (suggestions.length === 0) return null;
  const words = suggestions.map((one) => {
    const known = suggestionSchema.safeParse(one).data;
    if (known === undefined) return null;
    const where = WHERE[known.destination];
    const what = whatOf(known);
    return where === undefined || what === null ? null : `${what} ${where}`;
  });
  return words.includes(null) ? null : words.join("; ");
}

function whatOf(suggestion: z.infer<typeof suggestionSchema>): string | null {
  switch (suggestion.type) {
    case "addRules":
      if (suggestion.behavior !== "allow") return null;
      return suggestion.rules
        .map(({ toolName, ruleContent }) =>
          ruleContent ? `${toolName}(${ruleContent})` : toolName,
        )
        .join(", ");
    case "setMode":
      return MODES[suggestion.mode] ?? `mode ${suggestion.mode}`;
    case "addDirectories":
      return suggestion.directories.join(", ");
  }
}
