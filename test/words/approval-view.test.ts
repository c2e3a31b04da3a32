import { describe, expect, it } from "vitest";
import type { ApprovalOutcome, OpenApproval } from "../../machines/facts.ts";
import type { ApprovalRequest } from "../../machines/vocabulary.ts";
import { approvalView, cutMarkdown } from "../../src/words/approval-view.ts";
import { english } from "../../src/words/english.ts";

const REQUEST: ApprovalRequest = {
  requestId: "r",
  toolUseId: "t",
  kind: "tool",
  tool: "Bash",
  summary: "npm test",
  detail: "```sh\nnpm test\n```",
  always: null,
  questions: [],
};
const open = (
  more: Partial<ApprovalRequest> = {},
  rest: Partial<OpenApproval> = {},
): OpenApproval => ({
  request: { ...REQUEST, ...more },
  epoch: 1,
  messageId: 1,
  picks: [],
  decision: null,
  ...rest,
});
const labels = (approval: OpenApproval) =>
  approvalView(english, approval, { stage: "open" }).buttons.map((row) =>
    row.map((one) => one.label),
  );

describe("a request for a permission", () => {
  it("shows the tool and what it is to do, and offers to allow and to deny it", () => {
    const view = approvalView(english, open(), { stage: "open" });
    expect(view.text).toContain("**Bash** needs your permission");
    expect(view.text).toContain("npm test");
    expect(labels(open())).toEqual([["✅ Allow", "🚫 Deny"]]);
  });

  it("offers what the agent suggests for always", () => {
    const always = [
      { what: { kind: "rules", rules: ["Bash(npm test)"] }, where: "project" },
    ] as const;
    expect(labels(open({ always }))[1]).toEqual(["✅ Always: Bash(npm test) in this project"]);
  });

  it("offers more only where there is more", () => {
    const long = `\`\`\`diff\n${"+ a line\n".repeat(500)}\`\`\``;
    expect(labels(open({ detail: long })).at(-1)).toEqual(["🔍 See more"]);
    expect(
      approvalView(english, open({ detail: long }), { stage: "open" }).text.length,
    ).toBeLessThan(1_200);
  });
});

describe("a question", () => {
  const options = [
    { label: "red", description: "like fire" },
    { label: "blue", description: "" },
  ];
  const ask = (multiSelect: boolean) =>
    open({
      kind: "question",
      questions: [{ question: "Which colour?", header: "Colour", multiSelect, options }],
    });

  it("has a button for each answer", () => {
    expect(labels(ask(false))).toEqual([["red"], ["blue"]]);
    expect(approvalView(english, ask(false), { stage: "open" }).text).toContain(
      "**red**: like fire",
    );
  });

  it("with several choices marks the chosen ones and is sent by a button of its own", () => {
    expect(labels({ ...ask(true), picks: [[1]] })).toEqual([
      ["red"],
      ["✅ blue"],
      ["📨 Send the answers"],
    ]);
  });

  it("says afterwards what was answered", () => {
    const answers = { "Which colour?": "red" };
    const decided = { ...ask(false), decision: { allow: true, always: false, answers } as const };
    const view = approvalView(english, decided, { stage: "closed", outcome: "answered" });
    expect(view).toEqual({ text: "💬 Answered\nWhich colour? → **red**", buttons: [] });
  });
});

it.each<ApprovalOutcome>(["allowed", "denied", "answered", "withdrawn", "expired", "timed-out"])(
  "the outcome %s is two lines without buttons",
  (outcome) => {
    const view = approvalView(english, open(), { stage: "closed", outcome });
    expect(view.text.split("\n")).toHaveLength(2);
    expect(view.buttons).toEqual([]);
  },
);

it.each([
  ["````md\n```js\nx\n```\nmore", "````"],
  ["~~~\ncode", "~~~"],
  ["text without a fence ", ""],
])("a cut in %j is closed with %j", (start, fence) => {
  const { text, isCut } = cutMarkdown(start + "z".repeat(200), 100);
  expect(isCut).toBe(true);
  expect(text.endsWith(fence === "" ? "…" : `\n${fence}`)).toBe(true);
});
