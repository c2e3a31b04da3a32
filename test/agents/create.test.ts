import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createAgent } from "../../src/agents/create.ts";
import { SELF_REPORT_PROMPT } from "../../src/agents/system-prompt.ts";
import { systemClock } from "../../src/clock.ts";
import { useConfigFolder } from "../support/config-folder.ts";
import { memoryLog } from "../support/memory-log.ts";
import { until } from "../support/processes.ts";

const folder = useConfigFolder();

/** The arguments that a program in the agent's place is started with. */
async function argumentsWith(env: Record<string, string>): Promise<readonly string[]> {
  const [bin, out] = [join(folder.home, "agent"), join(folder.home, "arguments")];
  writeFileSync(bin, `#!/bin/sh\nprintf '%s\\n' "$@" > ${out}.new && mv ${out}.new ${out}\n`);
  chmodSync(bin, 0o755);
  const config = folder.loaded({ env: { ...env, CLAUDE_BIN: bin } });
  const inherited = { HOME: folder.home, PATH: process.env["PATH"] };
  const agent = createAgent("claude", {
    config,
    env: inherited,
    clock: systemClock,
    log: memoryLog().log,
  });
  const marker = { stateDir: folder.home, sessionKey: "local/terminal/-", epoch: 1 };
  const plan = { mode: "fresh", agentSessionId: "11111111-1111-4111-8111-111111111111" } as const;
  const process_ = agent.launch({ plan, cwd: folder.home, model: null, marker }, () => {});
  await until("the program was started", () => existsSync(out));
  await process_.end("now");
  return readFileSync(out, "utf8").split("\n");
}

describe("the agent that the configuration asks for", () => {
  it("is asked for its own estimate of its context", async () => {
    const args = await argumentsWith({});
    expect(args[args.indexOf("--append-system-prompt") + 1]).toBe(SELF_REPORT_PROMPT);
  });

  it("is not asked for it, and told nothing else, where that is switched off", async () => {
    const args = await argumentsWith({ HOLDFAST_SELF_REPORT: "false" });
    expect(args).toContain("--session-id");
    expect(args).not.toContain("--append-system-prompt");
    expect(args.join("\n")).not.toContain("ctx");
  });
});
