import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEFAULT_LIMITS } from "../../../machines/limits.ts";
import { DIST } from "../../support/build.ts";
import { createScriptedAgent } from "../../../src/agents/scripted/agent.ts";
import { agentContract } from "../../contract/agent-contract.ts";
import type { AgentBehaviour } from "../../contract/agent-contract.ts";
import { realClock } from "../../contract/agent-driver.ts";
import { scripted } from "./program-driver.ts";

function stepOf(behaviour: AgentBehaviour): object {
  switch (behaviour.do) {
    case "answer":
      return { text: behaviour.text };
    case "tool": {
      const input = { command: `echo ${behaviour.output}` };
      const tools = [{ input, result: behaviour.output }];
      return { say: behaviour.saying, tools, text: behaviour.then };
    }
    case "longTool":
      return { tools: [{ input: { command: "sleep 60" }, durationMs: 60_000 }] };
    case "approval":
      return { approval: { name: "Write", input: { file_path: "x" } }, text: behaviour.then };
    case "error":
      return { error: behaviour.text };
    case "tooLarge":
      return { tooLarge: true };
    case "silence":
      return { silence: true };
  }
}

const ignore = (): void => undefined;

agentContract("scripted", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "holdfast-scripted-")));
  const workspace = join(folder, "workspace");
  await mkdir(workspace);
  const journal = join(folder, "journal.jsonl");
  const options = {
    env: { PATH: process.env["PATH"] },
    configDir: join(folder, "config"),
    permissionMode: "default",
    appendSystemPrompt: null,
    limits: DEFAULT_LIMITS,
    clock: realClock,
    newId: randomUUID,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    program: join(DIST, "src/agents/scripted/program.js"),
    programArgs: ["--journal", journal],
  };
  return {
    agent: createScriptedAgent(options),
    broken: createScriptedAgent({ ...options, node: join(folder, "no-such-node") }),
    workspace,
    prompt: (behaviour) => scripted(stepOf(behaviour)),
    seen: async () => (await readFile(journal, "utf8")).trim().split("\n").at(-1) ?? "",
    cleanup: async () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
});
