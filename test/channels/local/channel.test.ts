import { PRESSED } from "../../../src/channels/commands.ts";
import { describe, expect, it } from "vitest";
import {
  createLocalChannel,
  LOCAL_ADDRESS,
  translateLine,
} from "../../../src/channels/local/channel.ts";
import type { Outgoing } from "../../../src/ports.ts";
import { english } from "../../../src/words/english.ts";
import { channelContract } from "../../contract/channel-contract.ts";

channelContract("local", async () => {
  const shown: string[] = [];
  let broken = false;
  const write = (text: string): void => {
    if (broken) {
      broken = false;
      throw new Error("write EPIPE");
    }
    shown.push(text);
  };
  return {
    channel: createLocalChannel({ words: english, write }),
    restarted: createLocalChannel({ words: english, write }),
    address: LOCAL_ADDRESS,
    shown: () => shown,
    breakNext: () => {
      broken = true;
    },
    cleanup: async () => {},
  };
});

async function show(text: string, more: object = {}): Promise<string> {
  const shown: string[] = [];
  const channel = createLocalChannel({ words: english, write: (line) => shown.push(line) });
  const out: Outgoing = {
    id: 1,
    address: LOCAL_ADDRESS,
    text,
    footer: null,
    replyTo: null,
    ...more,
  };
  for (const part of channel.render(out)) await channel.send(out, part);
  return shown.join("\n---\n");
}

describe("the local channel", () => {
  it("marks who speaks: the agent, or holdfast itself", async () => {
    expect(await show("Done.", { kind: "answer", footer: "[ctx: 3%]" })).toBe(
      "agent> Done.\n[ctx: 3%]",
    );
    expect(await show("The agent has crashed.", { kind: "notice" })).toBe(
      "holdfast> The agent has crashed.",
    );
  });

  it("names a file that is sent", async () => {
    const file = { name: "a.txt", content: Buffer.from("abc") };
    expect(await show("look", { kind: "answer", file })).toBe("agent> 📎 a.txt look");
  });

  it("lets no agent steer the terminal", async () => {
    const evil = "a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\re\u0008f\r\ng\th";
    expect(await show(evil)).toBe("agent> abcdef\ng\th");
    expect(await show("one\r\ntwo\tthree")).toBe("agent> one\ntwo\tthree");
  });
});

describe("buttons in a terminal", () => {
  const buttons = [
    [
      { label: "Run again", nonce: "n1" },
      { label: "Skip", nonce: "n2" },
    ],
    [{ label: "See more", nonce: "n3" }],
  ];

  it("are numbered under their message, and pressed by their number", async () => {
    expect(await show("Cut short.", { kind: "notice", buttons })).toBe(
      "holdfast> Cut short.\n#1 Run again   #2 Skip   #3 See more",
    );
    const channel = createLocalChannel({ words: english, write: () => undefined });
    const out = { id: 1, address: LOCAL_ADDRESS, text: "x", footer: null, replyTo: null };
    await channel.send({ ...out, buttons }, {});
    await channel.send(out, {});
    expect(translateLine("#3", 9, undefined, channel.buttonAt)).toMatchObject({
      kind: "command",
      name: PRESSED,
      args: "n3 9",
    });
    expect(translateLine("#4", 9, undefined, channel.buttonAt)).toMatchObject({
      kind: "message",
      text: "#4",
    });
  });
});

describe("a typed line", () => {
  it("becomes a message as it was typed", () => {
    expect(translateLine("  hello there", 3)).toEqual({
      kind: "message",
      updateId: 3,
      address: LOCAL_ADDRESS,
      sender: "local",
      text: "  hello there",
      platformMessageId: null,
    });
  });

  it("becomes a command by the same rules as in Telegram", () => {
    expect(translateLine("/workspace demo", 1)).toMatchObject({
      kind: "command",
      name: "workspace",
      args: "demo",
    });
    expect(translateLine("/compact", 1)).toMatchObject({ kind: "message", text: "/compact" });
    expect(translateLine("/login", 1)).toMatchObject({ kind: "command", name: "login" });
    expect(translateLine("/login", 1, new Set())).toMatchObject({ kind: "message" });
  });

  it("is nothing when it is empty", () => {
    expect(translateLine("   ", 1)).toBeNull();
  });
});
