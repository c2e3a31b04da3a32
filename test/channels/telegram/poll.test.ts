import { describe, expect, it } from "vitest";
import { DEFAULT_REFUSED_COMMANDS } from "../../../src/channels/commands.ts";
import type { CallFailure } from "../../../src/channels/telegram/errors.ts";
import { classifyPollError, createBatchReader } from "../../../src/channels/telegram/poll.ts";
import { english } from "../../../src/words/english.ts";
import { recordingLog } from "./recording.ts";

const OWNER = 42;
const POLICY = {
  botUsername: "holdfast_bot",
  allowedUsers: new Set([OWNER]),
  chatUsers: new Map(),
  requireMention: true,
  refusedCommands: DEFAULT_REFUSED_COMMANDS,
  files: english.files,
};

function reader() {
  const { log, entries } = recordingLog();
  const inner = createBatchReader(log);
  const read = (answer: unknown, offset: number | null = null) =>
    inner.read(answer, offset, POLICY);
  const warnings = () => entries.filter((one) => one.level === "warn").map((one) => one.message);
  return { read, warnings, entries };
}

function text(updateId: number, fromId = OWNER, fields: object = {}) {
  const from = { id: fromId, is_bot: false };
  const chat = { id: fromId, type: "private" };
  return {
    update_id: updateId,
    message: { message_id: updateId, from, chat, text: "hi", ...fields },
  };
}

describe("an answer to getUpdates", () => {
  it("gives its messages in order and the offset after the last", () => {
    const { result } = reader().read([text(5), text(6), text(9)]);
    expect(result).toMatchObject({ outcome: "received", nextOffset: 10 });
    expect(result.outcome === "received" && result.intakes.map((one) => one.updateId)).toEqual([
      5, 6, 9,
    ]);
  });

  it("leaves the offset alone when nothing came", () => {
    expect(reader().read([]).result).toEqual({
      outcome: "received",
      intakes: [],
      nextOffset: null,
    });
  });

  it("passes over what it does not know or cannot read, and the offset moves on", () => {
    const { read, warnings } = reader();
    const odd = [
      { update_id: 6, chat_boost: {} },
      { update_id: 7, message: 5 },
    ];
    const { result } = read([text(5), ...odd, text(8), { update_id: 9, poll_answer: {} }]);
    expect(result).toMatchObject({ outcome: "received", nextOffset: 10 });
    expect(result.outcome === "received" && result.intakes).toHaveLength(2);
    expect(warnings()).toEqual(["update.malformed"]);
  });

  it("keeps the other updates when one has no number", () => {
    const { read, warnings } = reader();
    expect(read([{ message: {} }, null, text(5)]).result).toMatchObject({ nextOffset: 6 });
    expect(warnings()).toEqual(["update.withoutId"]);
  });

  it("is a failure when no update has a number, so that it is not asked for again at once", () => {
    expect(reader().read([{ message: {} }]).result.outcome).toBe("failed");
    expect(reader().read({ list: [] }).result.outcome).toBe("failed");
    expect(reader().read(null).result.outcome).toBe("failed");
  });

  it("follows numbers that start anew at a lower one, and says so", () => {
    const { read, warnings } = reader();
    expect(read([text(3)], 900).result).toMatchObject({ nextOffset: 4 });
    expect(warnings()).toEqual(["update.renumbered"]);
  });

  it("speaks of each stranger once", () => {
    const { read, entries } = reader();
    const { result } = read([text(1, 66), text(2, 66), text(3, 77)]);
    read([text(4, 66)]);
    expect(result).toMatchObject({ outcome: "received", intakes: [], nextOffset: 4 });
    const refusals = entries.filter((one) => one.message === "update.refused");
    expect(refusals.map((one) => one.fields)).toMatchObject([{ userId: 66 }, { userId: 77 }]);
  });

  it("answers an album of attachments once, also when the same updates come again", () => {
    const { read } = reader();
    const photo = { text: undefined, photo: [], media_group_id: "g" };
    const album = [text(1, OWNER, photo), text(2, OWNER, photo), text(3, OWNER, photo)];
    const ids = () => {
      const { result } = read(album);
      return result.outcome === "received" ? result.intakes.map((one) => one.updateId) : [];
    };
    expect(ids()).toEqual([1]);
    expect(ids()).toEqual([1]);
  });

  it("keeps the caption of an album, wherever in it", () => {
    const photo = { text: undefined, photo: [], media_group_id: "g" };
    const captioned = { ...photo, caption: "look" };
    const { result } = reader().read([text(1, OWNER, photo), text(2, OWNER, captioned)]);
    expect(result.outcome === "received" && result.intakes.map((one) => one.kind)).toEqual([
      "unsupported",
      "message",
    ]);
  });

  it("names the callbacks to answer and the chats that moved", () => {
    const callback_query = { id: "cb", from: { id: 66, is_bot: false } };
    const upgrade = text(2, OWNER, { text: undefined, migrate_to_chat_id: -1005 });
    const batch = reader().read([{ update_id: 1, callback_query }, upgrade]);
    expect(batch).toMatchObject({ callbacks: ["cb"], moves: [{ from: "42", to: "-1005" }] });
  });
});

describe("a failed poll", () => {
  const failure = (code: number | null, detail: string, more: Partial<CallFailure> = {}) =>
    classifyPollError(
      { kind: "answered", code, detail, retryAfterMs: null, movedTo: null, ...more },
      "https://api.telegram.org",
    );

  it("is fatal with a refused token, and names the variable and the remedy", () => {
    for (const result of [failure(401, "401: Unauthorized"), failure(404, "404: Not Found")]) {
      expect(result.outcome).toBe("fatal");
      expect(result).toMatchObject({ detail: expect.stringContaining("TELEGRAM_BOT_TOKEN") });
    }
  });

  it("is a conflict while another program polls or a webhook is set, in words of its own", () => {
    const poller = failure(409, "409: Conflict: terminated by other getUpdates request");
    const webhook = failure(
      409,
      "409: Conflict: can't use getUpdates method while webhook is active",
    );
    expect(poller).toMatchObject({ outcome: "conflict", detail: /Another program/ });
    expect(webhook).toMatchObject({ outcome: "conflict", detail: /webhook is set/ });
  });

  it("keeps the wait that Telegram asks for", () => {
    expect(failure(429, "429: Too Many Requests", { retryAfterMs: 9_000 })).toEqual({
      outcome: "failed",
      detail: "429: Too Many Requests",
      retryAfterMs: 9_000,
    });
  });

  it.each([500, 502, 403, 400])("is only a failure with %i", (code) => {
    expect(failure(code, `${code}: x`).outcome).toBe("failed");
  });

  it.each(["unwritten", "unanswered", "aborted"] as const)("is only a failure when %s", (kind) => {
    expect(failure(null, "no answer", { kind }).outcome).toBe("failed");
  });
});
