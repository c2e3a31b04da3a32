import { readFileSync, rmSync } from "node:fs";
import { killQuietly, until } from "../processes.ts";
import { PLACES } from "./cast.ts";
import type { Happening } from "./script.ts";
import type { Stage } from "./stage.ts";
import { transcripts } from "./transcripts.ts";

/** What nobody in the chat does. */
export async function happen(stage: Stage, what: Happening): Promise<void> {
  const { bench } = stage;
  const { telegram } = bench;
  const { group, "topic one": topic, "small group": small } = PLACES;
  switch (what) {
    case "a tool runs":
      return until(what, () => toolsOf(stage).length > 0);
    case "the tool ends":
      return endAll(what, () => toolsOf(stage));
    case "the agent dies":
      return endAll(what, () => bench.agents());
    case "the agent is asleep":
      return until(what, () => bench.agents().length === 0);
    case "the transcript is lost":
      return transcripts(bench.stateDir).forEach((file) => rmSync(file));
    case "the service is killed":
      await until("it knows what has arrived", () => hasSettled(stage));
      await stage.service?.kill();
      stage.service = null;
      return;
    case "the service starts":
      return stage.startService();
    case "the topic is closed":
      return telegram.closeTopic(topic.chatId, topic.threadId);
    case "the topic is reopened":
      return telegram.reopenTopic(topic.chatId, topic.threadId);
    case "the bot is thrown out of the group":
      return telegram.kick(group.chatId);
    case "the bot is back in the group":
      return telegram.addChat({ id: group.chatId, type: "supergroup" });
    case "the small group is upgraded":
      return telegram.upgradeToSupergroup(small.chatId, PLACES["upgraded group"].chatId);
  }
}

/** Killed any sooner, it would rightly send the last message again. */
function hasSettled({ bench }: Stage): boolean {
  using store = bench.store();
  const isOpen = store.leftProgress().some((one) => one.platformMessageId === null);
  return store.pendingLanes().length === 0 && !isOpen;
}

/** The scripted agent's tools, and its tasks in the background, are processes that sleep. */
function toolsOf({ bench }: Stage): readonly number[] {
  return bench.agents().filter((pid) => nameOf(pid) === "sleep");
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

async function endAll(what: string, find: () => readonly number[]): Promise<void> {
  const found = find();
  if (found.length === 0) throw new Error(`"${what}": there is none`);
  for (const pid of found) killQuietly(pid);
  await until(what, () => found.every((pid) => nameOf(pid) === ""));
}
