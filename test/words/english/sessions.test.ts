import { describe, expect, it } from "vitest";
import { english } from "../../../src/words/english.ts";

describe("names that somebody else chose", () => {
  const NASTY = "a`b``c*d_e";
  const { notice, workspaces, conversations, files, choices } = english;

  it.each([
    notice({ code: "approval-denied", tool: NASTY }),
    notice({ code: "workspace-bound", path: NASTY, cancelled: null, waiting: 0 }),
    notice({ code: "resumed", agentSessionId: NASTY, cancelled: null }),
    notice({ code: "resume-unknown", agentSessionId: NASTY }),
    workspaces.refused("workspace-missing", NASTY),
    workspaces.current(NASTY, [NASTY]),
    workspaces.shared(NASTY),
    conversations.unknown(NASTY),
    files.failed(NASTY),
    choices.unknown("model", NASTY, []),
  ])("are one piece of code, whatever backticks they hold: %s", (words) => {
    expect(words).toContain("`a'b''c*d_e`");
    expect(words.split("`").length % 2).toBe(1);
  });
});

describe("a workspace that is refused", () => {
  it.each([
    ["workspace-outside-roots", /outside the allowed workspace roots/],
    ["workspace-missing", /does not exist/],
    ["workspace-not-a-directory", /is a file/],
    ["workspace-unreadable", /cannot be read/],
  ] as const)("as %s says why, and that nothing was changed", (reason, why) => {
    const words = english.workspaces.refused(reason, "x");
    expect(words).toMatch(why);
    expect(words).toContain("`x`");
    expect(words).toContain("Nothing was changed.");
  });
});
