import { describe, expect, it } from "vitest";
import type { FailureReason, ParkReason } from "../../machines/facts.ts";
import type { Notice } from "../../machines/plan.ts";
import { OUR_COMMANDS } from "../../src/channels/commands.ts";
import { statusWords, type StatusView } from "../../src/words/status-view.ts";
import { MENU, noticeWords, WORDS, workspaceRefused } from "../../src/words/english/notices.ts";
import { bound, factsOf, ONE_TURN, received } from "../support/facts.ts";

const FALLBACKS = ["resume-refused", "too-large", "transcript-missing"] as const;
const PARKED: Readonly<Record<ParkReason, true>> = {
  "cut-short": true,
  quiet: true,
  wedged: true,
  swallowed: true,
  "too-large": true,
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
  "cleared-again": [{ code: "cleared-again" }],
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

const ALL = Object.values(NOTICES).flat();

describe("every notice", () => {
  it.each(ALL.map((notice) => [JSON.stringify(notice), notice] as const))(
    "%s is said in one or two lines, with nothing left open",
    (_, notice) => {
      const words = noticeWords(notice);
      const lines = words.split("\n");
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) {
        expect(line).toBe(line.trim());
        expect(line.length).toBeGreaterThan(5);
        expect(line).toMatch(/[.!?]$|`$|reason given$/);
      }
      expect(words).not.toMatch(/undefined|null|NaN|\[object|\$\{|: \.|\.\.| {2}|``/);
    },
  );

  it("is said in words of its own", () => {
    const withDetail = ALL.filter((one) => !("detail" in one) || one.detail !== "");
    expect(new Set(withDetail.map(noticeWords)).size).toBe(withDetail.length);
  });

  it.each([...NOTICES["launch-failed"], ...NOTICES["turn-failed"], ...NOTICES["turn-interrupted"]])(
    "of a failure says what is kept and what can be done: $code $reason",
    (notice) => {
      expect(noticeWords(notice)).toMatch(/Nothing is lost|context is kept|\/retry runs it again/);
      expect(noticeWords(notice)).toMatch(
        /next message tries again|Send the message again|press a folder/,
      );
    },
  );

  it.each(NOTICES["context-lost"])("of a lost context says what is kept: $reason", (notice) =>
    expect(noticeWords(notice)).toContain("Project context in CLAUDE.md is kept."),
  );

  it.each([...NOTICES.parked, ...NOTICES["context-lost"].filter((one) => one.parked)])(
    "of a parked message names both choices: $code $reason",
    (notice) => expect(noticeWords(notice)).toMatch(/\/retry.*\/skip/),
  );
});

describe("what an agent says of its own failure", () => {
  const said = (detail: string) => noticeWords({ code: "turn-failed", detail });

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
      const words = noticeWords({
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
      noticeWords({ code: "launch-failed", reason: "start-timeout", detail, parked: false });
    expect(timeout("")).toMatch(/^❌ The agent did not start in time\.\n/);
    expect(timeout("no answer within 60 s")).toContain("did not start: no answer within 60 s.");
  });

  it("does not break the sentence when it is empty", () => {
    expect(said(" \n ")).toContain("no reason given");
    const failed = noticeWords({
      code: "launch-failed",
      reason: "start-failed",
      detail: "",
      parked: false,
    });
    expect(failed).toMatch(/^❌ The agent ended while starting\.\n/);
  });
});

describe("names that somebody else chose", () => {
  const NASTY = "a`b``c*d_e";

  it.each([
    noticeWords({ code: "approval-denied", tool: NASTY }),
    noticeWords({ code: "workspace-bound", path: NASTY, cancelled: null, waiting: 0 }),
    noticeWords({ code: "resumed", agentSessionId: NASTY, cancelled: null }),
    noticeWords({ code: "resume-unknown", agentSessionId: NASTY }),
    workspaceRefused("workspace-missing", NASTY),
    WORDS.workspace(NASTY, [NASTY]),
    WORDS.sharedWorkspace(NASTY),
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
    expect(workspaceRefused(reason, "x")).toMatch(why);
    expect(workspaceRefused(reason, "x")).toContain("`x`");
    expect(workspaceRefused(reason, "x")).toContain("Nothing was changed.");
  });
});

describe("the help and the menu", () => {
  it("name only commands that there are", () => {
    const named = [...WORDS.help.matchAll(/(?<=^|, )\/(\w+)/gm)].map((found) => found[1]);
    expect(named.length).toBeGreaterThan(5);
    for (const name of [...named, ...MENU.map((one) => one.command)]) {
      expect(OUR_COMMANDS).toContain(name);
    }
  });

  it("keep to what a command menu may hold", () => {
    for (const { command, description } of MENU) {
      expect(command).toMatch(/^[a-z0-9_]{1,32}$/);
      expect(description.length).toBeGreaterThan(0);
      expect(description.length).toBeLessThanOrEqual(256);
    }
    expect(new Set(MENU.map((one) => one.command)).size).toBe(MENU.length);
  });
});

describe("the other words", () => {
  it("name their figures", () => {
    expect(WORDS.tooLong(1_048_576)).toContain("1024 KiB");
    expect(WORDS.queueFull(500)).toMatch(/^500 messages/);
    expect(WORDS.refusedCommand("login")).toContain("/login");
    expect(WORDS.unsupported("a photo")).toContain("a photo");
  });

  it("say what is kept and what can be done about a message that is refused, in two lines", () => {
    const words = WORDS.refusedByPlatform("400: Bad Request: `x`\n");
    expect(words.split("\n")).toHaveLength(2);
    expect(words).toMatch(/refused it: `400: Bad Request: 'x'`\n.*kept\. Ask for it again/);
  });

  it("say what is kept and what can be done where a topic takes nothing, in two lines", () => {
    expect(WORDS.topicClosed.split("\n")).toHaveLength(2);
    expect(WORDS.topicClosed).toMatch(/kept\.\n.*writes in that topic again.*ask again/);
  });

  it("put the cause of a turn that nobody asked for above its text, where there is one", () => {
    expect(WORDS.relayed("make has ended", "all green")).toBe("🔔 make has ended\n\nall green");
    expect(WORDS.relayed("", "all green")).toBe("all green");
  });
});

describe("the answer to /status", () => {
  const view = (more: Partial<StatusView> = {}): string =>
    statusWords({
      phase: null,
      facts: factsOf(...ONE_TURN),
      workspace: "/work/project",
      percent: 62,
      textOf: (id) => `text of ${id}`,
      ...more,
    });

  it("says the state, workspace, session, model, context and queue", () => {
    expect(view()).toBe(
      [
        "**Asleep; your next message resumes it**",
        "Workspace: `/work/project`",
        "Agent: scripted, session `s1`",
        "Model: model-1",
        "Context: 62%",
        "Queue: 0 waiting",
      ].join("\n"),
    );
  });

  it.each([
    ["busy", "Working"],
    ["waiting", "Waiting for your permission"],
    ["idle", "Ready"],
    ["background", "work goes on in the background"],
    ["moving", "Starting its agent"],
    ["ending", "Falling asleep"],
    ["queued", "Waiting for a free place"],
  ] as const)("names the phase %s", (phase, words) => expect(view({ phase })).toContain(words));

  it("says what is not known yet of a session never seen", () => {
    const words = view({ facts: factsOf(), percent: null });
    expect(words).toContain("Asleep, nothing to resume");
    expect(words).toContain("session none yet");
    expect(words).toContain("Model: not known yet");
    expect(words).toContain("Context: not known yet");
  });

  it("says that the session has failed, and what the user can do", () => {
    const facts = factsOf(...ONE_TURN, received(2), {
      type: "session.failed",
      reason: "not-logged-in",
      detail: "",
    });
    expect(view({ facts })).toContain("Failed (not-logged-in); your next message tries again");
    expect(view({ facts })).toContain("Queue: 1 waiting");
  });

  it("shows what runs and what waits for a decision, shortened", () => {
    const facts = factsOf(
      bound("s1"),
      received(1),
      { type: "message.given", id: 1, epoch: 1, transcript: null },
      received(2),
      { type: "message.parked", id: 2, reason: "quiet" },
      received(3),
      { type: "message.parked", id: 3, reason: "quiet" },
    );
    const words = view({ facts, textOf: (id) => `${id}:\n${"long ".repeat(50)}` });
    expect(words).toMatch(/^Running: “1: long .{40,60}…”$/m);
    expect(words).toMatch(/^Waiting for your decision: 2\. First: “2: .*” \(\/retry or \/skip\)$/m);
    expect(words.split("\n").every((line) => line.length < 140)).toBe(true);
  });

  it("says that the next conversation starts fresh while the intent is pending", () => {
    const facts = factsOf(...ONE_TURN, { type: "fresh.intended", epoch: 2, reason: "new" });
    expect(view({ facts })).toContain("your next message starts a new conversation");
    expect(view({ facts })).not.toContain("resumes");
  });

  it("promises no resume where a failure and a pending intent meet", () => {
    const facts = factsOf(
      ...ONE_TURN,
      { type: "fresh.intended", epoch: 2, reason: "resume-refused" },
      { type: "session.failed", reason: "start-failed", detail: "" },
    );
    expect(view({ facts })).toContain("Failed (start-failed); your next message tries again");
    expect(view({ facts })).not.toContain("resumes");
  });
});
