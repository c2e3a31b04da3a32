import { describe, expect, it } from "vitest";
import { detailOf, fenced } from "../../../src/agents/claude/approval-detail.ts";

describe("what an approval is about", () => {
  it("is a command with the agent's reason for it", () => {
    expect(detailOf("Bash", { command: "npm test", description: "Runs the tests" })).toBe(
      "```sh\nnpm test\n```\n\nRuns the tests",
    );
  });

  it("is a diff for an edit, without what did not change", () => {
    const input = { file_path: "/w/a.ts", old_string: "one\ntwo\n", new_string: "one\n2\n" };
    expect(detailOf("Edit", input)).toBe("`/w/a.ts`\n\n```diff\n one\n-two\n+2\n```");
  });

  it("is all diffs of several edits", () => {
    const edits = [
      { old_string: "a", new_string: "b" },
      { old_string: "c", new_string: "d" },
    ];
    const detail = detailOf("MultiEdit", { file_path: "/w/a.ts", edits });
    expect(detail).toContain("-a");
    expect(detail).toContain("+d");
  });

  it("is what a new file would hold, in a fence that it cannot close", () => {
    const detail = detailOf("Write", { file_path: "/w/a.md", content: "```js\nx\n```\n" });
    expect(detail).toContain("````diff\n+```js\n+x\n+```");
    expect(detail.endsWith("\n````")).toBe(true);
  });

  it("is the input itself for any other tool, and nothing where there is none", () => {
    expect(detailOf("mcp__x__y", { a: 1 })).toBe('```json\n{\n  "a": 1\n}\n```');
    expect(detailOf("mcp__x__y", {})).toBe("");
    expect(detailOf("Bash", { command: 7 })).toContain('"command": 7');
  });

  it("is no longer than 20,000 characters", () => {
    expect(detailOf("Bash", { command: "x".repeat(30_000) })).toHaveLength(20_000);
  });

  it("keeps a fence open for any text", () => {
    expect(fenced("", "`````")).toBe("``````\n`````\n``````");
  });
});
