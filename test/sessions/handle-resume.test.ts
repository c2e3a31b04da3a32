import { describe, expect, it } from "vitest";
import type { SessionFact } from "../../machines/facts.ts";
import type { Address } from "../../src/ports.ts";
import { sessionKey } from "../../src/sessions/session-key.ts";
import { CHAT, KEY, only, TOPIC } from "../contract/store-fixtures.ts";
import { bound } from "../support/facts.ts";
import { world } from "./command-world.ts";

describe("/resume and /fork", () => {
  const archived = (agentSessionId: string): SessionFact => ({
    type: "agentSession.archived",
    agentSessionId,
    transcript: `/t/${agentSessionId}.jsonl`,
    reason: "new",
  });
  /** This chat has left `old1`; another one holds `held1` and has left `left1`. */
  function chats(address: Address = { ...CHAT, chatId: "777" }) {
    const one = world();
    one.store.ensureSession(KEY, CHAT);
    one.store.write(
      KEY,
      only({ facts: [bound("old1"), { type: "turn.completed", epoch: 1 }, archived("old1")] }),
    );
    const key = sessionKey(address);
    one.store.ensureSession(key, address);
    one.store.write(key, only({ facts: [archived("left1"), archived("4711"), bound("held1")] }));
    return one;
  }

  it("/resume alone lists what can be gone back to", () => {
    const { type, said, asked } = chats();
    type("resume");
    expect(said()).toContain("1\\. `old1`");
    expect(asked).toEqual([]);
  });

  it.each(["1", "old1", "old"])("/resume %s is handed to the session", (named) => {
    const { type, asked } = chats();
    const commandId = type("resume", named);
    expect(asked).toEqual([[KEY, { type: "command.resume", commandId, agentSessionId: "old1" }]]);
  });

  it.each([
    ["resume", "left1"],
    ["fork", "left1"],
    ["fork", "held1"],
    ["fork", "old1"],
    ["fork", "1"],
  ] as const)("/%s %s takes it, or a copy of it", (how, named_) => {
    const named = named_ === "1" ? "old1" : named_;
    const { type, asked } = chats();
    const commandId = type(how, named_);
    expect(asked).toMatchObject([
      [KEY, { type: "command.take", commandId, how, session: { agentSessionId: named } }],
    ]);
  });

  it.each([
    [{ ...CHAT, chatId: "777" }, /belongs to another chat now.*\n.*\/fork held1/],
    [TOPIC, /belongs to another topic of this chat now.*\n.*\/fork held1/],
  ])(
    "/resume of what %o holds says that in people's words, and offers a copy",
    (address, words) => {
      const { type, said, asked, store } = chats(address);
      type("resume", "held1");
      const told = said();
      expect(told).toMatch(words);
      expect(told).not.toContain(address.chatId);
      expect(asked).toEqual([]);
      expect(store.pendingCommands()).toEqual([]);
    },
  );

  it.each([
    ["resume", "9", /no earlier conversation `9`/],
    ["resume", "4", /no earlier conversation `4`/],
    ["fork", "4", /no earlier conversation `4`/],
    ["resume", "%", /no earlier conversation `%`/],
    ["fork", "", /Which conversation\?/],
  ])("/%s %s is answered in words", (name, args, words) => {
    const { type, said, asked } = chats();
    type(name, args);
    expect(said()).toMatch(words);
    expect(asked).toEqual([]);
  });
});
