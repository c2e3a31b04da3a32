import { describe, expect, it } from "vitest";
import type { FailureReason, ParkReason } from "../../../machines/facts.ts";
import type { Notice } from "../../../machines/plan.ts";
import { english } from "../../../src/words/english.ts";
import { NOT_FOR_PEOPLE } from "../every-text.ts";

const FALLBACKS = ["resume-refused", "too-large", "transcript-missing"] as const;
const PARKED: Readonly<Record<ParkReason, true>> = {
  "cut-short": true,
  quiet: true,
  wedged: true,
  swallowed: true,
  "too-large": true,
  "too-long": true,
  "tool-ran": true,
};
const FAILURES: Readonly<Record<FailureReason, true>> = {
  "binary-missing": true,
  "not-executable": true,
  "not-logged-in": true,
  "spawn-failed": true,
  "start-timeout": true,
  "start-failed": true,
  "projects-missing": true,
  "session-in-use": true,
  "workspace-missing": true,
  "workspace-not-a-directory": true,
  "workspace-unreadable": true,
  "workspace-outside-roots": true,
  "no-workspace": true,
  "store-failed": true,
  "crash-limit": true,
  "actor-fault": true,
};
const CANCELLED = ["running", "cut-short", null] as const;
/** Its detail is our own and never empty. */
const OURS: ReadonlySet<FailureReason> = new Set(["crash-limit"]);
const keys = <Key extends string>(record: Readonly<Record<Key, true>>) =>
  Object.keys(record) as unknown as readonly Key[];

/** One of each code at least; a code that is missing here does not compile. */
const NOTICES: { readonly [Code in Notice["code"]]: readonly Extract<Notice, { code: Code }>[] } = {
  "partly-kept": [{ code: "partly-kept" }],
  "context-cleared-by-agent": [0, 2].map((waiting) => ({
    code: "context-cleared-by-agent",
    agentSessionId: "5d2c8f6e-0001",
    waiting,
  })),
  "cleared-again": [{ code: "cleared-again", agentSessionId: "5d2c8f6e-0001" }],
  "context-lost": FALLBACKS.flatMap((reason) =>
    [false, true].map((parked) => ({ code: "context-lost" as const, reason, parked })),
  ),
  "launch-failed": keys(FAILURES).flatMap((reason) =>
    (OURS.has(reason) ? ["a reason"] : ["", "a reason"]).map((detail) => ({
      code: "launch-failed" as const,
      reason,
      detail,
      parked: OURS.has(reason),
    })),
  ),
  "turn-failed": ["", "API Error: 529"].map((detail) => ({ code: "turn-failed" as const, detail })),
  "turn-interrupted": [{ code: "turn-interrupted" }],
  parked: keys(PARKED).map((reason) => ({ code: "parked" as const, reason })),
  compacted: [
    { code: "compacted", manual: false, requeued: 0 },
    ...[0, 1, 2].map((requeued) => ({ code: "compacted" as const, manual: true, requeued })),
  ],
  "compact-failed": ["", "API Error: 529"].map((detail) => ({
    code: "compact-failed" as const,
    detail,
  })),
  "not-kept": [{ code: "not-kept" }],
  wedged: [{ code: "wedged" }],
  "approval-denied": [{ code: "approval-denied", tool: "Bash" }],
  "approval-timed-out": [{ code: "approval-timed-out", tool: "Bash" }],
  "approval-gone": [{ code: "approval-gone" }],
  "queued-behind-approval": [{ code: "queued-behind-approval" }],
  chosen: (["model", "mode", "effort", "verbose"] as const).map((choice) => ({
    code: "chosen" as const,
    choice,
    value: "1",
  })),
  named: [{ code: "named", name: "the parser" }],
  "nothing-to-name": [{ code: "nothing-to-name" }],
  stopped: [{ code: "stopped" }],
  "stopped-all": [false, true].flatMap((running) =>
    [0, 1, 2].map((waiting) => ({ code: "stopped-all" as const, running, waiting })),
  ),
  overtaken: [{ code: "overtaken" }],
  "nothing-to-stop": [{ code: "nothing-to-stop" }],
  unqueued: [0, 1, 2].map((waiting) => ({ code: "unqueued" as const, waiting })),
  dropped: [0, 1, 2].map((waiting) => ({ code: "dropped" as const, waiting })),
  "new-context": [0, 1, 2].flatMap((waiting) =>
    CANCELLED.map((cancelled) => ({ code: "new-context" as const, cancelled, waiting })),
  ),
  "workspace-bound": [0, 1, 2].flatMap((waiting) =>
    CANCELLED.map((cancelled) => ({
      code: "workspace-bound" as const,
      path: "/work/project",
      cancelled,
      waiting,
    })),
  ),
  "agent-changed": [{ code: "agent-changed", agentKind: "claude" }],
  resumed: CANCELLED.map((cancelled) => ({
    code: "resumed" as const,
    agentSessionId: "abc",
    cancelled,
  })),
  forked: CANCELLED.map((cancelled) => ({
    code: "forked" as const,
    agentSessionId: "abc",
    cancelled,
  })),
  "waiting-for-place": [0, 1, 2].map((ahead) => ({ code: "waiting-for-place" as const, ahead })),
  "resume-unknown": [{ code: "resume-unknown", agentSessionId: "abc" }],
  retrying: [{ code: "retrying" }],
  skipped: [{ code: "skipped" }],
  "nothing-parked": [{ code: "nothing-parked" }],
};

/** Says that what was asked for is done: nobody needs to be told what to do about it. */
const CONFIRMS: ReadonlySet<Notice["code"]> = new Set([
  ...["chosen", "named", "compacted", "forked", "agent-changed", "unqueued", "dropped"],
  ...["workspace-bound", "waiting-for-place", "retrying", "skipped", "resumed", "nothing-parked"],
] as const);

const ALL = Object.values(NOTICES).flat();

describe("every notice", () => {
  it.each(ALL.map((notice) => [JSON.stringify(notice), notice] as const))(
    "%s is said in one or two lines, with nothing left open",
    (_, notice) => {
      const words = english.notice(notice);
      const lines = words.split("\n");
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) {
        expect(line).toBe(line.trim());
        expect(line.length).toBeGreaterThan(5);
        expect(line).toMatch(/[.!?]$|`$|reason given$/);
      }
      expect(words).not.toMatch(NOT_FOR_PEOPLE);
    },
  );

  it("is said in words of its own", () => {
    const withDetail = ALL.filter((one) => !("detail" in one) || one.detail !== "");
    expect(new Set(withDetail.map(english.notice)).size).toBe(withDetail.length);
  });

  it.each(ALL.filter(({ code }) => !CONFIRMS.has(code)))(
    "of a failure says what is kept and what can be done: $code $reason",
    (notice) => {
      expect(english.notice(notice)).toMatch(
        /kept|goes on|wait|[Nn]othing (?:was changed|is lost)/,
      );
      expect(english.notice(notice)).toMatch(
        /\/[a-z]+|next message|[Ss]end|[Cc]heck|press a folder|write|say|repeat|reply|ask/,
      );
    },
  );

  it.each(NOTICES["context-lost"])("of a lost context says what is kept: $reason", (notice) =>
    expect(english.notice(notice)).toContain("Project context in CLAUDE.md is kept."),
  );

  it.each([...NOTICES.parked, ...NOTICES["context-lost"].filter((one) => one.parked)])(
    "of a parked message names both choices: $code $reason",
    (notice) => expect(english.notice(notice)).toMatch(/\/retry.*\/skip/),
  );
});

describe("what an agent says of its own failure", () => {
  const said = (detail: string) => english.notice({ code: "turn-failed", detail });

  it("is shown with its last line that says something", () => {
    expect(said("Traceback\n  at x\nError: the end\n\n  ")).toMatch(/: `Error: the end`\n/);
  });

  it("is cut to 300 characters, which it shows", () => {
    const line = said("x".repeat(5_000)).split("\n")[0] ?? "";
    expect(line.endsWith(`${"x".repeat(299)}…\``)).toBe(true);
    expect(said("y".repeat(300))).toContain("y".repeat(300));
  });

  it("is shown as it is where it would be taken for formatting", () => {
    expect(said("a_b_c *d* [e](f) `g`")).toContain("`a_b_c *d* [e](f) 'g'`");
  });

  it.each(["spawn-failed", "not-executable", "start-failed", "store-failed"] as const)(
    "stands as code behind the sentence of %s",
    (reason) => {
      const words = english.notice({
        code: "launch-failed",
        reason,
        detail: "x\nENOENT: *x*",
        parked: false,
      });
      expect(words).toContain(": `ENOENT: *x*`\n");
    },
  );

  it("is a sentence of its own where an agent that did not start in time gave none", () => {
    const timeout = (detail: string) =>
      english.notice({ code: "launch-failed", reason: "start-timeout", detail, parked: false });
    expect(timeout("")).toMatch(/^❌ The agent did not start in time\.\n/);
    expect(timeout("no answer within 60 s")).toContain(
      "did not start in time: `no answer within 60 s`",
    );
  });

  it("does not break the sentence when it is empty", () => {
    expect(said(" \n ")).toContain("no reason given");
    const failed = english.notice({
      code: "launch-failed",
      reason: "start-failed",
      detail: "",
      parked: false,
    });
    expect(failed).toMatch(/^❌ The agent ended while starting\.\n/);
  });
});
