import { transcriptPath } from "../claude/transcript.ts";
import { newSession, record, say } from "./session.ts";
import type { World } from "./session.ts";
import { emptyMemory } from "./transcript.ts";
import type { Prompt } from "./turn.ts";
import { initLine, lifecycleLine, resultLine, syntheticMessage } from "./wire.ts";

export function isLocalCommand(text: string): boolean {
  return text.trim() === "/clear" || text.trim() === "/cost";
}

/** Answers a command that needs no model. */
export function runLocalCommand(world: World, prompt: Prompt, configDir: string): void {
  say(world, lifecycleLine(prompt.uuid, "started"));
  if (prompt.text.trim() === "/clear") clear(world, prompt, configDir);
  else cost(world, prompt);
  say(world, lifecycleLine(prompt.uuid, "completed"));
}

function clear(world: World, prompt: Prompt, configDir: string): void {
  say(world, { type: "conversation_reset", trigger: "clear", user_message_uuid: prompt.uuid });
  const id = world.newId();
  const transcript = transcriptPath(configDir, id, world.cwd);
  Object.assign(world.session, newSession(id, transcript, emptyMemory()));
  say(world, initLine(world, []));
  finish(world, prompt, "", "clear");
}

function cost(world: World, prompt: Prompt): void {
  const { inputTokens, outputTokens } = world.session;
  const text = `Total cost: $0.00 (scripted)\nUsage: ${inputTokens} input, ${outputTokens} output`;
  const content = `<command-name>/cost</command-name>`;
  record(world, { type: "user", message: { role: "user", content } }, prompt.uuid);
  const stdout = `<local-command-stdout>${text}</local-command-stdout>`;
  record(world, { type: "system", subtype: "local_command", content: stdout });
  say(world, initLine(world, [prompt.uuid]));
  const message = syntheticMessage(world.newId(), text);
  say(world, { type: "assistant", message, parent_tool_use_id: null });
  finish(world, prompt, text, "cost");
}

function finish(world: World, prompt: Prompt, text: string, localCommand: string): void {
  say(
    world,
    resultLine(world, {
      uuids: [prompt.uuid],
      isError: false,
      terminalReason: null,
      numTurns: 0,
      text,
      apiErrorStatus: null,
      used: 0,
      outputTokens: 0,
      denials: [],
      durationMs: 0,
      origin: null,
      localCommand,
    }),
  );
}
