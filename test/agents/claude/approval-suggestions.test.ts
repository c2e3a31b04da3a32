import { expect, it } from "vitest";
import { allowancesIn } from "../../../src/agents/claude/approval-suggestions.ts";
import { english } from "../../../src/words/english.ts";

const rules = (behavior: string, destination: string) => ({
  type: "addRules",
  rules: [{ toolName: "Bash", ruleContent: "npm test:*" }, { toolName: "Read" }],
  behavior,
  destination,
});

it.each([
  [[], null],
  [[rules("allow", "localSettings")], "Bash(npm test:*), Read in this project"],
  [[{ type: "setMode", mode: "acceptEdits", destination: "session" }], "all edits in this session"],
  [
    [{ type: "addDirectories", directories: ["/srv"], destination: "session" }],
    "/srv in this session",
  ],
  [
    [rules("allow", "session"), { type: "setMode", mode: "plan", destination: "session" }],
    "Bash(npm test:*), Read in this session; mode plan in this session",
  ],
  // Nobody agrees to what cannot be said.
  [[rules("deny", "session")], null],
  [[rules("allow", "somewhere")], null],
  [[rules("allow", "session"), { type: "something of next year" }], null],
])("the suggestions %j allow from then on: %s", (suggestions, words) => {
  const allowances = allowancesIn(suggestions);
  expect(allowances && english.approvals.allowances(allowances)).toBe(words);
});
