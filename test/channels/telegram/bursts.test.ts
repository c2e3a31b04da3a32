import { describe, expect, it } from "vitest";
import { collectBurst, joinBursts } from "../../../src/channels/telegram/bursts.ts";
import { translate, type TranslatePolicy } from "../../../src/channels/telegram/translate.ts";
import type { RawUpdate } from "../../../src/channels/telegram/update-schema.ts";
import { english } from "../../../src/words/english.ts";
import { OWNER } from "./support.ts";

const POLICY: TranslatePolicy = {
  allowedUsers: new Set([OWNER, 43]),
  botUsername: "bot",
  refusedCommands: new Set(),
  chatUsers: new Map(),
  requireMention: true,
  files: english.files,
};

const update = (id: number, message: object, from = OWNER): RawUpdate => ({
  update_id: id,
  message: {
    message_id: id,
    date: 1,
    chat: { id: -5, type: "group", title: "g" },
    from: { id: from, is_bot: false, first_name: "A" },
    reply_to_message: { message_id: 1, from: { id: 1, is_bot: true, username: "bot" } },
    ...message,
  },
});
const forward = (id: number, text: string, from = OWNER) =>
  update(id, { text, forward_date: 1 }, from);
const plain = (id: number, text: string, from = OWNER) => update(id, { text }, from);
const photo = (id: number, album: string) =>
  update(id, { photo: [{ file_id: `f${id}` }], media_group_id: album });

const joined = (...updates: readonly RawUpdate[]) =>
  joinBursts(updates.map((one) => translate(one, POLICY))).flatMap(({ intake }) =>
    intake?.kind === "message" ? [[intake.text, ...(intake.files ?? []).map((f) => f.fileId)]] : [],
  );

describe("messages that belong together", () => {
  it("are one, with what all of them hold", () => {
    expect(joined(forward(1, "a"), forward(2, "b"), plain(3, "c"))).toEqual([["a\n\nb"], ["c"]]);
    expect(joined(photo(1, "x"), photo(2, "x"), photo(3, "y"))).toEqual([
      ["", "f1", "f2"],
      ["", "f3"],
    ]);
  });

  it("are told from those of others, and from what the same person says in between", () => {
    expect(joined(forward(1, "a"), forward(2, "b", 43), forward(3, "c"))).toEqual([
      ["a\n\nc"],
      ["b"],
    ]);
    expect(joined(forward(1, "a"), plain(2, "b"), forward(3, "c"))).toEqual([["a"], ["b"], ["c"]]);
  });

  it("stay several where one would be too long", () => {
    const long = "x".repeat(30_000);
    expect(joined(forward(1, long), forward(2, long), forward(3, "c"))).toEqual([
      [long],
      [`${long}\n\nc`],
    ]);
  });
});

describe("an answer that ends in a burst", () => {
  /** What is stored in the end, and how often it was asked again. */
  const collect = async (first: unknown, ...more: readonly unknown[]) => {
    const answers = [...more];
    let asked = 0;
    const pause = async () => {};
    const again = async () => {
      asked += 1;
      return answers.shift() ?? null;
    };
    return { got: await collectBurst(first, POLICY, pause, again), asked };
  };
  const [a, b, c] = [forward(1, "a"), forward(2, "b"), forward(3, "c")];

  it("is asked for again until it grows no more", async () => {
    expect(await collect([a], [a, b], [a, b, c], [a, b, c])).toEqual({ got: [a, b, c], asked: 3 });
  });

  it("is taken at once when something else follows the burst, and when there is none", async () => {
    expect(await collect([a, b, plain(3, "c")])).toMatchObject({ asked: 0 });
    expect(await collect([plain(1, "a")])).toMatchObject({ asked: 0 });
    expect(await collect([])).toMatchObject({ asked: 0 });
    expect(await collect("nonsense")).toEqual({ got: "nonsense", asked: 0 });
  });

  it("is taken without the burst first, where something stands before it", async () => {
    const before = plain(1, "x");
    expect(await collect([before, b, c])).toEqual({ got: [before], asked: 0 });
  });

  it("is taken as it was when asking again fails", async () => {
    expect(await collect([a, b], null)).toEqual({ got: [a, b], asked: 1 });
  });

  it("is not waited for without end, nor when it is full", async () => {
    const growing = Array.from({ length: 20 }, (_, n) =>
      Array.from({ length: n + 2 }, (_unused, at) => forward(at + 1, "f")),
    );
    const { got, asked } = await collect([a], ...growing);
    expect(asked).toBe(5);
    expect(got).toHaveLength(6);
    const full = Array.from({ length: 100 }, (_, at) => forward(at + 1, "f"));
    expect(await collect(full)).toMatchObject({ asked: 0 });
  });

  it("of a stranger holds nobody up", async () => {
    expect(await collect([forward(1, "a", 66)])).toMatchObject({ asked: 0 });
  });
});
