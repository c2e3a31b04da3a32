import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBench, type Bench } from "../holdfast.ts";
import type { Holdfast } from "../holdfast-process.ts";
import { addChats } from "./cast.ts";
import { filledIn } from "./pattern.ts";
import type { Conversation } from "./script.ts";

export interface Named {
  readonly messageId: number;
  readonly chatId: number;
}

/** A service that runs, with what a conversation has named so far. */
export interface Stage extends AsyncDisposable {
  readonly bench: Bench;
  /** Null while it is down. */
  service: Holdfast | null;
  /** What stands in braces. */
  readonly texts: Readonly<Record<string, string>>;
  /** Messages, by what the conversation calls them. */
  readonly names: Map<string, Named>;
  startService(): Promise<void>;
}

export async function createStage(conversation: Conversation): Promise<Stage> {
  const bench = await createBench();
  const { root, workspace, telegram } = bench;
  addChats(telegram);
  const texts = { root, workspace, bot: `@${telegram.botUsername}` };
  const settings = Object.entries(conversation.settings).map(
    ([name, value]) => [name, value === null ? undefined : filledIn(value, texts)] as const,
  );
  const script = scriptFile(conversation, bench);
  const stage: Stage = {
    bench,
    service: null,
    texts,
    names: new Map(),
    async startService() {
      stage.service = await bench.start({
        HOLDFAST_AGENT: "scripted",
        ...script,
        ...Object.fromEntries(settings),
      });
    },
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
  return stage;
}

function scriptFile({ script }: Conversation, { root }: Bench): Readonly<Record<string, string>> {
  if (script === undefined) return {};
  const file = join(root, "..", "script.json");
  writeFileSync(file, JSON.stringify(script));
  return { HOLDFAST_SCRIPT: file };
}

/** Throws where nothing has this name yet. */
export function named({ names }: Stage, name: string): Named {
  const found = names.get(name);
  if (found === undefined) throw new Error(`no message is called "${name}" yet`);
  return found;
}
