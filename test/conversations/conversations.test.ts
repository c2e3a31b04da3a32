import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { play } from "../support/conversation/play.ts";
import { readConversation } from "../support/conversation/script.ts";

const folder = import.meta.dirname;
const conversations = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map((name) => readConversation(readFileSync(join(folder, name), "utf8")))
  .map((conversation) => [conversation.title, conversation] as const);

describe("a conversation in which", () => {
  it.concurrent.each(conversations)("%s", async (_title, conversation) => {
    expect(await play(conversation)).toEqual({ exitCode: 0, violations: [] });
  });
});

describe("a conversation is not as it is written where", () => {
  const NOTHING = "There is nothing to stop: it is not running, and does not wait.";
  const UNCHANGED = "Nothing was changed; /status shows what runs and what waits.";
  const stop = { user: "/stop" };
  const nothing = { bot: "sendMessage", text: [NOTHING, UNCHANGED] };
  it.concurrent.each<[string, readonly object[], string]>([
    ["the bot says something else", [stop, { ...nothing, text: "Stopped." }], "expected"],
    ["it offers a button", [stop, { ...nothing, buttons: [["Again"]] }], "buttons"],
    ["it says more", [stop, nothing, stop], "nothing of this kind is expected"],
    ["it says it elsewhere", [stop, { ...nothing, in: "group" }], "nothing of this kind"],
    ["it is silent", [{ ...nothing, replyTo: "nobody" }], "did not come"],
    ["the agent heard something else", [{ agentHears: "hello" }], "the agent heard"],
  ])("%s", async (_what, steps, words) => {
    const conversation = readConversation(JSON.stringify({ title: "", patienceMs: 2_000, steps }));
    await expect(play(conversation)).rejects.toThrow(words);
  });
});
