import { z } from "zod";
import type { Allowance } from "../../../machines/vocabulary.ts";

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

const WHERE: Readonly<Record<string, Allowance["where"]>> = {
  session: "session",
  localSettings: "project",
  projectSettings: "everybody",
  userSettings: "everywhere",
};

/** Null where nothing is suggested, or something that nobody could be told: nobody agrees to that unseen. */
export function allowancesIn(suggestions: readonly unknown[]): readonly Allowance[] | null {
  if (suggestions.length === 0) return null;
  const all: Allowance[] = [];
  for (const one of suggestions) {
    const known = suggestionSchema.safeParse(one).data;
    if (known === undefined) return null;
    const where = WHERE[known.destination];
    const what = whatOf(known);
    if (where === undefined || what === null) return null;
    all.push({ what, where });
  }
  return all;
}

function whatOf(suggestion: z.infer<typeof suggestionSchema>): Allowance["what"] | null {
  switch (suggestion.type) {
    case "addRules": {
      if (suggestion.behavior !== "allow") return null;
      const rules = suggestion.rules.map(({ toolName, ruleContent }) =>
        ruleContent ? `${toolName}(${ruleContent})` : toolName,
      );
      return { kind: "rules", rules };
    }
    case "setMode":
      return { kind: "mode", mode: suggestion.mode };
    case "addDirectories":
      return { kind: "folders", paths: suggestion.directories };
  }
}
