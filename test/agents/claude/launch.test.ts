import { describe, expect, it } from "vitest";
import { launchSpec, readMarker, sameMarker } from "../../../src/agents/claude/launch.ts";
import type { LaunchRequest } from "../../../src/ports.ts";

const settings = {
  command: ["node", "agent.js"],
  env: { PATH: "/bin", GONE: undefined, HOLDFAST_AGENT_EPOCH: "stale" },
  permissionMode: "plan",
  appendSystemPrompt: null,
} as const;

const marker = { stateDir: "/state", sessionKey: "telegram/1/-", epoch: 4 };
const request = (change: Partial<LaunchRequest>): LaunchRequest => ({
  plan: { mode: "fresh", agentSessionId: "id-1" },
  cwd: "/workspace",
  model: null,
  marker,
  ...change,
});

describe("how an agent is launched", () => {
  it("speaks stream-json over stdio, permissions included", () => {
    const { file, args, cwd } = launchSpec(settings, request({}));
    expect([file, cwd]).toEqual(["node", "/workspace"]);
    expect(args.join(" ")).toBe(
      "agent.js -p --input-format stream-json --output-format stream-json --verbose " +
        "--permission-prompt-tool stdio --permission-mode plan --include-partial-messages " +
        "--session-id id-1",
    );
  });

  it.each([
    [{ mode: "resume", agentSessionId: "id-2", transcript: "/t" }, "--resume id-2"],
    [{ mode: "continue" }, "--continue"],
  ] as const)("with the plan %j asks for %s", (plan, expected) => {
    const { args } = launchSpec(settings, request({ plan, model: "opus[1m]" }));
    expect(args.join(" ").endsWith(`${expected} --model opus[1m]`)).toBe(true);
  });

  it("asks for the permission mode and the effort that were chosen", () => {
    const chosen = request({ permissionMode: "acceptEdits", effort: "high" });
    const args = launchSpec(settings, chosen).args.join(" ");
    expect(args).toContain("--permission-mode acceptEdits");
    expect(args).not.toContain("--permission-mode plan");
    expect(args).toContain("--effort high");
  });

  it("adds to the system prompt what it is told to", () => {
    const { args } = launchSpec({ ...settings, appendSystemPrompt: "be brief" }, request({}));
    expect(args.slice(-2)).toEqual(["--append-system-prompt", "be brief"]);
  });

  it("gives the agent commands of its own, tells it of them and asks nobody about them", () => {
    const own = request({ commandEnv: { PATH: "/own:/bin", HOLDFAST_AGENT_TOKEN: "t" } });
    const { args, env } = launchSpec({ ...settings, appendSystemPrompt: "be brief" }, own);
    expect(env).toMatchObject({ PATH: "/own:/bin", HOLDFAST_AGENT_TOKEN: "t" });
    expect(args.slice(-3)).toEqual([
      "--allowedTools",
      "Bash(holdfast send:*)",
      "Bash(holdfast restart-context)",
    ]);
    expect(args.at(-4)).toMatch(/^be brief\n\n.*holdfast send PATH/s);
  });

  it("passes the environment it was given and the marker, which is read back", () => {
    const { env } = launchSpec(settings, request({}));
    expect(env).toEqual({
      PATH: "/bin",
      HOLDFAST_AGENT_STATE_DIR: "/state",
      HOLDFAST_AGENT_SESSION: "telegram/1/-",
      HOLDFAST_AGENT_EPOCH: "4",
    });
    const read = readMarker(new Map(Object.entries(env)));
    expect(read).toEqual(marker);
    expect(sameMarker(marker, { ...marker, epoch: 5 })).toBe(false);
    expect(readMarker(new Map([["HOLDFAST_AGENT_STATE_DIR", "/state"]]))).toBeNull();
  });
});
