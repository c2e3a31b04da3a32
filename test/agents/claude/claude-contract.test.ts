import { join } from "node:path";
import { agentContract } from "../../contract/agent-contract.ts";
import type { AgentBehaviour } from "../../contract/agent-contract.ts";
import type { Step } from "../../support/messages-api.ts";
import { createClaudeWorld, LONG_COMMAND } from "./claude-world.ts";

function stepsOf(behaviour: AgentBehaviour, workspace: string): readonly Step[] {
  switch (behaviour.do) {
    case "answer":
      return [{ text: behaviour.text }];
    case "tool":
      return [
        {
          text: behaviour.saying,
          tools: [{ name: "Bash", input: { command: `echo ${behaviour.output}` } }],
        },
        { text: behaviour.then },
      ];
    case "longTool":
      return [{ tools: [{ name: "Bash", input: { command: LONG_COMMAND } }] }];
    case "approval":
      return [
        {
          tools: [
            { name: "Write", input: { file_path: join(workspace, "asked.txt"), content: "x" } },
          ],
        },
        { text: behaviour.then },
      ];
    case "error":
      return [{ status: 403, message: behaviour.text }];
    case "tooLarge":
      return [{ tooLong: [1_200_000, 1_000_000] }];
    case "silence":
      return [{ hang: "headers" }];
  }
}

agentContract("claude", async () => {
  const world = await createClaudeWorld();
  return {
    agent: world.agent(),
    broken: world.agent({ command: [join(world.folder, "no-such-program")] }),
    workspace: world.workspace,
    prompt: (behaviour) =>
      `Please. [[fake: ${JSON.stringify(stepsOf(behaviour, world.workspace))}]]`,
    seen: async () => JSON.stringify(world.api.requests().findLast((one) => one.main)?.messages),
    cleanup: async () => world[Symbol.asyncDispose](),
  };
});
